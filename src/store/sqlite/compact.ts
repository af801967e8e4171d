import { messageOf } from "../../values/message-of.ts"
import { StoreUnusable } from "../store.ts"
import { logFileOf, sizeOf } from "./checkpoints.ts"
import { isBusy } from "./errors.ts"
import { lockForReplacing } from "./file-lock.ts"
import { openDatabase, requireFile } from "./open.ts"

/**
 * Gives the space of deleted rows back to the disk. SQLite copies the file once, so it needs as much free space meanwhile. Other
 * commands wait or fail. If it fails, the file is as it was.
 * @returns sizes in bytes, with the write-ahead log
 * @throws StoreUnusable when the file is missing, or a service or another command works on it
 */
export function compact(file: string) {
  requireFile(file, `There is no data file ${file}. Name it with --db.`)
  const bytes = () => sizeOf(file) + sizeOf(logFileOf(file))
  const unlock = lockForReplacing(file, "compact, then start it again")
  try {
    const bytesBefore = bytes()
    const database = openDatabase(file, { mustExist: true })
    try {
      database.run("VACUUM")
      database.run("PRAGMA wal_checkpoint(TRUNCATE)")
    } catch (cause) {
      const problem = isBusy(cause)
        ? "another command works on it. Try again when that has ended"
        : `${messageOf(cause)}. It needs as much free space as the file has, also in the directory for temporary files (TMPDIR)`
      throw new StoreUnusable(`${file} was not made smaller: ${problem}.`, { cause })
    } finally {
      database.close()
    }
    return { file, bytesBefore, bytes: bytes() }
  } finally {
    unlock()
  }
}
