import { Database } from "bun:sqlite"
import { existsSync, linkSync, renameSync, rmSync, statSync } from "node:fs"
import { messageOf } from "../../values/message-of.ts"
import { identityOf, realPathOf, syncFolderOf } from "../../values/real-path.ts"
import { StoreUnusable } from "../store.ts"
import { copyDataFile, inspectDataFile, type OnStep, removeDataFile } from "./backup.ts"
import { isBusy } from "./errors.ts"
import { giveToOwnerOf, lockForReplacing } from "./file-lock.ts"
import { openDatabase, requireAccess, requireFile } from "./open.ts"

/**
 * Replaces the data file `target` with a checked and migrated copy of the backup `source`. The old file is kept. A rename
 * puts the copy in place, so that there is a whole data file at any moment. A symbolic link `target` stays; its file is replaced.
 * @param nowMs goes into the name of the old data file
 * @returns the report of the copy, and as `replaced` the new name of the old data file; null without one
 * @throws StoreUnusable, and changes nothing, when the backup is unfit or a process has the data file open
 */
export function restore(source: string, target: string, nowMs: number, onStep: OnStep = () => {}) {
  requireFile(source, `There is no backup ${source}. Give the name of a file that 'backup' made.`)
  if (identityOf(source) === identityOf(target))
    throw new StoreUnusable(`${source} is the data file itself. Name another one with --db.`)
  const { size } = statSync(source)
  onStep("check", source, size)
  inspectDataFile(source)
  const file = pathOf(target)
  const fresh = `${file}.restoring`
  try {
    onStep("copy", source, size)
    copyDataFile(source, fresh)
    onStep("check", target, statSync(fresh).size)
    openDatabase(fresh, { mustExist: true }).close()
    const report = inspectDataFile(fresh)
    giveToOwnerOf(file, fresh)
    const replaced = putInPlace(file, fresh, nowMs)
    syncFolderOf(file)
    return { ...report, file, replaced }
  } catch (cause) {
    removeDataFile(fresh)
    if (cause instanceof StoreUnusable) throw cause
    requireAccess(target, cause)
    throw new StoreUnusable(`${source} could not be restored to ${target}: ${messageOf(cause)}.`, { cause })
  }
}

function pathOf(target: string): string {
  try {
    return realPathOf(target)
  } catch (cause) {
    requireAccess(target, cause)
    throw new StoreUnusable(
      `Nothing can be restored to ${target}: ${messageOf(cause)}. Name another with --db.`,
    )
  }
}

function putInPlace(target: string, fresh: string, nowMs: number): string | null {
  const unlock = lockForReplacing(target)
  try {
    return existsSync(target) ? replace(target, fresh, nowMs) : place(target, fresh)
  } finally {
    unlock()
  }
}

function place(target: string, fresh: string): null {
  // SQLite would replay an abandoned log into the new file.
  for (const end of ["-wal", "-shm"]) rmSync(target + end, { force: true })
  renameSync(fresh, target)
  return null
}

function replace(target: string, fresh: string, nowMs: number): string {
  const unlock = requireUnused(target)
  try {
    const kept = `${target}.replaced-${new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, "")}`
    if (existsSync(kept)) throw new StoreUnusable(`${kept} exists already. Move it away first.`)
    // Left over only when SQLite could not read the data file. They belong to it.
    for (const end of ["-wal", "-shm"]) if (existsSync(target + end)) renameSync(target + end, kept + end)
    keep(target, kept)
    renameSync(fresh, target)
    return kept
  } finally {
    unlock()
  }
}

/** Links where the file system can, so that there is a data file at any moment. */
function keep(target: string, kept: string): void {
  try {
    linkSync(target, kept)
  } catch {
    renameSync(target, kept)
  }
}

/**
 * Throws if a process has the data file open; else locks the file until the returned function is called. Leaving WAL mode works
 * for an only connection alone (https://sqlite.org/pragma.html#pragma_journal_mode), and merges the log into the file. A file
 * that SQLite cannot read is replaced without this check; the lock file keeps servers safe.
 */
function requireUnused(target: string): () => void {
  const database = new Database(target, { create: false, readwrite: true })
  try {
    database.run("PRAGMA busy_timeout = 500")
    database.run("PRAGMA journal_mode = DELETE")
    database.run("BEGIN EXCLUSIVE")
  } catch (cause) {
    database.close()
    if (!isBusy(cause)) return () => {}
    const problem = `${target} is in use. Stop the server, then restore, then start it again.`
    throw new StoreUnusable(problem, { cause })
  }
  return () => database.close()
}
