import { Database } from "bun:sqlite"
import { chownSync, statSync } from "node:fs"
import { join } from "node:path"
import { messageOf } from "../../values/message-of.ts"
import { realPathOf } from "../../values/real-path.ts"
import { StoreUnusable } from "../store.ts"
import { isBusy } from "./errors.ts"
import { createForOwner, requireAccess } from "./open.ts"

/** Servers keep their lock for as long as they run, so waiting longer would not help. */
const replaceTimeoutMs = 500

/** Releases a lock. The system releases those of a process that ends, however it ends. */
export type Unlock = () => void

/**
 * Shows `restore` that a server works on a data file. Any number of processes may hold this lock. It is on an empty file next to
 * the data file, since SQLite cannot lock a data file whose header is damaged. The file stays when it is unlocked: two processes
 * could otherwise lock two files of the same name.
 * @param timeoutMs how long to wait while a restore puts a file in place
 * @throws StoreUnusable when that takes longer, or when the lock file cannot be used
 */
export function lockForServing(file: string, timeoutMs = 5_000): Unlock {
  return lock(file, timeoutMs, "BEGIN", `${file} is being restored. Start the server again afterwards.`)
}

/**
 * Keeps servers away from a data file, which need not exist.
 * @param work for which they must stop, and what to do after it
 * @throws StoreUnusable when a server runs on it, or when the lock file cannot be used
 */
export function lockForReplacing(file: string, work = "restore, then start it again"): Unlock {
  const inUse = `${file} is in use. Stop the server, then ${work}.`
  return lock(file, replaceTimeoutMs, "BEGIN EXCLUSIVE", inUse)
}

/**
 * Lets one process at a time make backups in a directory.
 * @throws StoreUnusable when another does, or when the lock file cannot be used
 */
export function lockForBackups(directory: string): Unlock {
  const busy = "A backup is being made. Wait until it is finished."
  return lock(join(directory, "backups"), 0, "BEGIN EXCLUSIVE", busy)
}

function lock(file: string, timeoutMs: number, begin: "BEGIN" | "BEGIN EXCLUSIVE", busy: string): Unlock {
  const database = open(file)
  try {
    database.run(`PRAGMA busy_timeout = ${timeoutMs}`)
    database.run(begin)
    // SQLite takes a shared lock with the first read of a transaction.
    database.query("SELECT count(*) FROM sqlite_schema").get()
  } catch (cause) {
    database.close()
    if (isBusy(cause)) throw new StoreUnusable(busy, { cause })
    throw unusable(file, cause)
  }
  return () => database.close()
}

function open(file: string): Database {
  try {
    const name = `${realPathOf(file)}-lock`
    if (createForOwner(name)) giveToOwnerOf(file, name)
    return new Database(name, { create: false, readwrite: true })
  } catch (cause) {
    throw unusable(file, cause)
  }
}

/**
 * Run by root, gives a file the owner of the data file, so that the service's own user can use it. SQLite does so with its log.
 */
export function giveToOwnerOf(file: string, other: string): void {
  const owner = statSync(file, { throwIfNoEntry: false })
  if (process.getuid?.() === 0 && owner) chownSync(other, owner.uid, owner.gid)
}

function unusable(file: string, cause: unknown): StoreUnusable {
  requireAccess(file, cause)
  const problem = `The data file ${file} cannot be locked with the file ${file}-lock: ${messageOf(cause)}.`
  return new StoreUnusable(`${problem} Check its path and rights, or name another with --db.`, { cause })
}
