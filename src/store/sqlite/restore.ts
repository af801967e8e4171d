import { Database } from "bun:sqlite"
import { existsSync, linkSync, renameSync, rmSync } from "node:fs"
import { resolve } from "node:path"
import { StoreUnusable } from "../store.ts"
import { type BackupReport, copyDataFile, inspectDataFile, syncFolderOf } from "./backup.ts"
import { isBusy, messageOf } from "./errors.ts"
import { openDatabase } from "./open.ts"

export interface RestoreReport extends BackupReport {
  /** The new name of the data file that was replaced; null without one. */
  readonly replaced: string | null
}

/**
 * Replaces the data file `target` with a checked and migrated copy of the backup `source`. The old file is kept. A rename
 * puts the copy in place, so that there is a whole data file at any moment.
 * @param nowMs goes into the name of the old data file
 * @throws StoreUnusable, and changes nothing, when the backup is unfit or a process has the data file open
 */
export function restore(source: string, target: string, nowMs: number): RestoreReport {
  if (!existsSync(source)) {
    throw new StoreUnusable(`There is no backup ${source}. Give the name of a file that 'backup' made.`)
  }
  if (resolve(source) === resolve(target)) {
    throw new StoreUnusable(`${source} is the data file itself. Name another one with --db.`)
  }
  inspectDataFile(source)
  const fresh = `${target}.restoring`
  try {
    copyDataFile(source, fresh)
    openDatabase(fresh, { mustExist: true }).close()
    const report = inspectDataFile(fresh)
    const replaced = existsSync(target) ? replace(target, fresh, nowMs) : place(target, fresh)
    syncFolderOf(target)
    return { ...report, file: target, replaced }
  } catch (cause) {
    for (const end of ["", "-wal", "-shm"]) rmSync(fresh + end, { force: true })
    if (cause instanceof StoreUnusable) throw cause
    throw new StoreUnusable(`${source} could not be restored to ${target}: ${messageOf(cause)}.`, { cause })
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
 * Throws if a process has the data file open; else locks the file until the returned function is called. Leaving WAL mode
 * works for an only connection alone (https://sqlite.org/pragma.html#pragma_journal_mode), and merges the log into the
 * file. A file that SQLite cannot read is replaced without this check.
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
