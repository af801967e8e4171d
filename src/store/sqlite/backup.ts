import { Database } from "bun:sqlite"
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { StoreUnusable } from "../store.ts"
import { requireOwn, versionOf } from "./migrations.ts"
import { messageOf } from "./open.ts"

/** A copy of a store, and what is in it. */
export interface BackupReport {
  readonly file: string
  readonly bytes: number
  readonly storeVersion: number
  readonly accounts: number
}

/**
 * Copies the store `source` into `target` while others read and write it: the copy is the store as it was at one instant,
 * since `VACUUM INTO` reads it in one transaction, and with a write-ahead log such a reader holds up no writer. The copy is
 * on the disk, and checked, before it gets its name. Its mode is 0600: a store holds the secrets that sign webhooks.
 * @throws {StoreUnusable} when there is no store, when `target` exists, or when it cannot be written
 */
export function backUp(source: string, target: string): BackupReport {
  if (!existsSync(source)) throw new StoreUnusable(`There is no data file ${source}. Name it with --db.`)
  reserve(target)
  const partial = `${target}.partial`
  try {
    copyStore(source, partial)
    const report = inspectStore(partial)
    renameSync(partial, target)
    syncFolder(target)
    return { file: target, ...report }
  } catch (cause) {
    rmSync(partial, { force: true })
    rmSync(target, { force: true })
    if (cause instanceof StoreUnusable) throw cause
    throw new StoreUnusable(`${source} could not be copied to ${target}: ${messageOf(cause)}.`, { cause })
  }
}

/**
 * Copies a store into a file that is new, through SQLite, so that what is only in its write-ahead log comes along.
 * @throws what SQLite and the file system throw
 */
export function copyStore(source: string, target: string): void {
  // An empty file is written into, and keeps its mode; what an earlier, killed run left is of no use.
  rmSync(target, { force: true })
  closeSync(openSync(target, "wx", 0o600))
  const database = new Database(source, { create: false, readwrite: true, strict: true })
  try {
    requireStore(database, source)
    database.query("VACUUM INTO ?1").run(target)
  } finally {
    database.close()
  }
  const file = openSync(target, "r+")
  fsyncSync(file)
  closeSync(file)
}

/**
 * Reads a store from end to end.
 * @throws {StoreUnusable} when it is none, is damaged, or is from a newer version of this program
 */
export function inspectStore(file: string): Omit<BackupReport, "file"> {
  let database: Database
  try {
    database = new Database(file, { create: false, readwrite: true, strict: true })
  } catch (cause) {
    throw new StoreUnusable(`${file} cannot be opened: ${messageOf(cause)}.`, { cause })
  }
  try {
    const storeVersion = requireStore(database, file)
    const [first] = database
      .query<{ integrity_check: string }, []>("PRAGMA integrity_check(1)")
      .all()
      .map((row) => row.integrity_check)
    if (first !== "ok") throw new StoreUnusable(`${file} is damaged: ${first}.`)
    if (database.query("PRAGMA foreign_key_check").get() !== null) {
      throw new StoreUnusable(`${file} is damaged: it has keys or usage of accounts that are not in it.`)
    }
    const row = database.query<{ accounts: number }, []>("SELECT count(*) AS accounts FROM accounts").get()
    return { bytes: statSync(file).size, storeVersion, accounts: row?.accounts ?? 0 }
  } catch (cause) {
    if (cause instanceof StoreUnusable) throw cause
    throw new StoreUnusable(`${file} is damaged, or no store of penknife: ${messageOf(cause)}.`, { cause })
  } finally {
    database.close()
  }
}

/** The version of a store that this program knows. */
function requireStore(database: Database, file: string): number {
  requireOwn(database, file)
  const version = versionOf(database)
  if (version < 1) throw new StoreUnusable(`${file} is no store of penknife.`)
  return version
}

/** Takes the name at once, so that two backups cannot both have it. */
function reserve(target: string): void {
  try {
    closeSync(openSync(target, "wx", 0o600))
  } catch (cause) {
    const exists = cause instanceof Error && "code" in cause && cause.code === "EEXIST"
    throw new StoreUnusable(
      exists
        ? `${target} exists already and is not overwritten. Give another name, or remove it.`
        : `${target} cannot be written: ${messageOf(cause)}.`,
      { cause },
    )
  }
}

/** Without it a power cut may undo a rename (fsync(2)). Windows opens no folders. */
export function syncFolder(file: string): void {
  if (process.platform === "win32") return
  const folder = openSync(dirname(file), "r")
  fsyncSync(folder)
  closeSync(folder)
}
