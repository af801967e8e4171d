import { Database } from "bun:sqlite"
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs"
import { messageOf } from "../../values/message-of.ts"
import { syncFolderOf } from "../../values/real-path.ts"
import { StoreUnusable } from "../store.ts"
import { isCannotOpen } from "./errors.ts"
import { requireStore } from "./migrations.ts"
import { requireAccess, requireFile } from "./open.ts"

/** A copy of a data file. */
export interface BackupReport {
  readonly file: string
  readonly bytes: number
  readonly storeVersion: number
  readonly accounts: number
  readonly keys: number
}

/** The next step of a copy, shown to people who wait for it. */
export type OnStep = (step: "copy" | "check", file: string, bytes: number) => void

/**
 * Copies the data file `source` to `target`, with its state at one instant: `VACUUM INTO` reads in one transaction and blocks no
 * writer. The copy gets its name once it is checked and on the disk. Its mode is 0600, since it holds webhook secrets.
 * @throws StoreUnusable when `source` is missing, `target` exists, or the copy fails
 */
export function backUp(source: string, target: string, onStep: OnStep = () => {}): BackupReport {
  requireFile(source, `There is no data file ${source}. Name it with --db.`)
  reserve(target)
  const partial = `${target}.partial`
  try {
    onStep("copy", source, statSync(source).size)
    copyDataFile(source, partial)
    onStep("check", target, statSync(partial).size)
    const report = inspectDataFile(partial)
    renameSync(partial, target)
    syncFolderOf(target)
    return { file: target, ...report }
  } catch (cause) {
    removeDataFile(partial)
    rmSync(target, { force: true })
    if (cause instanceof StoreUnusable) throw cause
    if (isCannotOpen(cause)) requireAccess(source, cause)
    throw new StoreUnusable(`${source} could not be copied to ${target}: ${messageOf(cause)}.`, { cause })
  }
}

/** Copies a data file with its write-ahead log to one new file. Throws what SQLite and the file system throw. */
export function copyDataFile(source: string, target: string): void {
  // A killed run may have left the file. SQLite writes into an empty file and keeps its mode.
  removeDataFile(target)
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

/** Removes a data file and those that belong to it: SQLite would take a journal of an earlier file for one of the next. */
export function removeDataFile(file: string): void {
  for (const end of ["", "-journal", "-wal", "-shm"]) rmSync(file + end, { force: true })
}

/** Throws StoreUnusable when the data file is damaged, belongs to another program, or has a newer schema. */
export function inspectDataFile(file: string): Omit<BackupReport, "file"> {
  return inspect(file, { create: false, readwrite: true, strict: true })
}

/**
 * Checks a copy that {@link backUp} made and does not change it.
 * @throws StoreUnusable as {@link inspectDataFile} does
 */
export function inspectBackup(file: string): BackupReport {
  return { file, ...inspect(file, { readonly: true, strict: true }) }
}

function inspect(file: string, options: ConstructorParameters<typeof Database>[1]) {
  let database: Database | null = null
  try {
    database = new Database(file, options)
    const storeVersion = requireStore(database, file)
    const check = database.query<{ integrity_check: string }, []>("PRAGMA integrity_check(1)").get()
    if (check?.integrity_check !== "ok") throw damaged(file, check?.integrity_check)
    if (database.query("PRAGMA foreign_key_check").get() !== null)
      throw damaged(file, "it has keys or usage of accounts that are missing")
    const counts = database
      .query<{ accounts: number; keys: number }, []>(
        "SELECT (SELECT count(*) FROM accounts) AS accounts, (SELECT count(*) FROM keys) AS keys",
      )
      .get()
    return { bytes: statSync(file).size, storeVersion, accounts: 0, keys: 0, ...counts }
  } catch (cause) {
    if (cause instanceof StoreUnusable) throw cause
    if (isCannotOpen(cause)) requireAccess(file, cause)
    throw damaged(file, messageOf(cause), cause)
  } finally {
    database?.close()
  }
}

function damaged(file: string, problem: string | undefined, cause?: unknown): StoreUnusable {
  return new StoreUnusable(`${file} is damaged, or not a data file of penknife: ${problem}.`, { cause })
}

/** Creates the file at once, so that two backups cannot write to the same name. */
function reserve(target: string): void {
  try {
    closeSync(openSync(target, "wx", 0o600))
  } catch (cause) {
    const exists = cause instanceof Error && "code" in cause && cause.code === "EEXIST"
    throw new StoreUnusable(
      exists
        ? `${target} exists already and is not overwritten. Give another name, or remove it.`
        : `${target} cannot be written: ${messageOf(cause)}. Check its path and rights.`,
      { cause },
    )
  }
}
