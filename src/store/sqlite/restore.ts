import { Database, SQLiteError } from "bun:sqlite"
import { existsSync, linkSync, renameSync, rmSync } from "node:fs"
import { resolve } from "node:path"
import { StoreUnusable } from "../store.ts"
import { type BackupReport, copyStore, inspectStore, syncFolder } from "./backup.ts"
import { messageOf, openDatabase } from "./open.ts"

export interface RestoreReport extends BackupReport {
  /** Where the store went that was there before; null when there was none. */
  readonly replaced: string | null
}

/**
 * Puts a copy of the backup `source` in the place of the data file `target`: checked, brought to the schema of this
 * program, and in one rename, so that at any moment there is the old store or the new one, whole. The old one is kept.
 * @param nowMs names what is kept
 * @throws {StoreUnusable} when the backup is unfit, or when a process has the data file open; nothing is changed then
 */
export function restore(source: string, target: string, nowMs: number): RestoreReport {
  if (!existsSync(source)) throw new StoreUnusable(`There is no backup ${source}.`)
  if (resolve(source) === resolve(target)) {
    throw new StoreUnusable(`${source} is the data file itself. Name another one with --db.`)
  }
  inspectStore(source)
  const fresh = `${target}.restoring`
  try {
    copyStore(source, fresh)
    openDatabase(fresh, { mustExist: true }).close()
    const report = inspectStore(fresh)
    const replaced = existsSync(target) ? replace(target, fresh, nowMs) : place(target, fresh)
    syncFolder(target)
    return { ...report, file: target, replaced }
  } catch (cause) {
    for (const end of ["", "-wal", "-shm"]) rmSync(fresh + end, { force: true })
    if (cause instanceof StoreUnusable) throw cause
    throw new StoreUnusable(`${source} could not be restored to ${target}: ${messageOf(cause)}.`, { cause })
  }
}

function place(target: string, fresh: string): null {
  // A log without its file would be replayed into the new one.
  for (const end of ["-wal", "-shm"]) rmSync(target + end, { force: true })
  renameSync(fresh, target)
  return null
}

function replace(target: string, fresh: string, nowMs: number): string {
  const release = requireUnused(target)
  try {
    const kept = `${target}.replaced-${new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, "")}`
    if (existsSync(kept)) throw new StoreUnusable(`${kept} exists already. Move it away first.`)
    // Only a store that cannot be read has these still; they belong to it.
    for (const end of ["-wal", "-shm"]) if (existsSync(target + end)) renameSync(target + end, kept + end)
    keep(target, kept)
    renameSync(fresh, target)
    return kept
  } finally {
    release()
  }
}

/** A second name, where the file system has such, so that the data file is there at any moment. */
function keep(target: string, kept: string): void {
  try {
    linkSync(target, kept)
  } catch {
    renameSync(target, kept)
  }
}

/**
 * Makes sure that nobody has the data file open, and holds it until the returned function is called. Leaving write-ahead
 * logging takes the one connection there is (https://sqlite.org/pragma.html#pragma_journal_mode), and brings the log into
 * the file. Of a store that cannot be read nothing can be told; to replace it is what a backup is for.
 */
function requireUnused(target: string): () => void {
  const database = new Database(target, { create: false, readwrite: true })
  try {
    database.run("PRAGMA busy_timeout = 500")
    database.run("PRAGMA journal_mode = DELETE")
    database.run("BEGIN EXCLUSIVE")
  } catch (cause) {
    database.close()
    if (cause instanceof SQLiteError && /^SQLITE_(BUSY|LOCKED)/.test(cause.code ?? "")) {
      throw new StoreUnusable(`${target} is in use. Stop the server, then restore, then start it again.`, {
        cause,
      })
    }
    return () => {}
  }
  return () => database.close()
}
