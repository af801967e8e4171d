import { Database } from "bun:sqlite"
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, statSync } from "node:fs"
import { messageOf } from "../../values/message-of.ts"
import { identityOf, realPathOf, syncFolderOf } from "../../values/real-path.ts"
import { StoreUnusable } from "../store.ts"
import { logFileOf, sizeOf } from "./checkpoints.ts"
import { giveToOwnerOf, lockForReplacing, openDatabase, requireAccess, requireFile } from "./database-file.ts"
import { isBusy, isCannotOpen } from "./errors.ts"
import { requireStore } from "./migrations.ts"

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
  using _ = { [Symbol.dispose]: lockForReplacing(target) }
  return existsSync(target) ? replace(target, fresh, nowMs) : place(target, fresh)
}

function place(target: string, fresh: string): null {
  // SQLite would replay an abandoned log into the new file.
  for (const end of ["-wal", "-shm"]) rmSync(target + end, { force: true })
  renameSync(fresh, target)
  return null
}

function replace(target: string, fresh: string, nowMs: number): string {
  using _ = requireUnused(target)
  const kept = `${target}.replaced-${new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, "")}`
  if (existsSync(kept)) throw new StoreUnusable(`${kept} exists already. Move it away first.`)
  // Left over only when SQLite could not read the data file. They belong to it.
  for (const end of ["-wal", "-shm"]) if (existsSync(target + end)) renameSync(target + end, kept + end)
  keep(target, kept)
  renameSync(fresh, target)
  return kept
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
 * Throws if a process has the data file open; else locks the file until the returned database is closed. Leaving WAL mode works
 * for an only connection alone (https://sqlite.org/pragma.html#pragma_journal_mode), and merges the log into the file. A file
 * that SQLite cannot read is replaced without this check; the lock file keeps servers safe.
 */
function requireUnused(target: string): Database | null {
  const database = new Database(target, { create: false, readwrite: true })
  try {
    database.run("PRAGMA busy_timeout = 500")
    database.run("PRAGMA journal_mode = DELETE")
    database.run("BEGIN EXCLUSIVE")
  } catch (cause) {
    database.close()
    if (!isBusy(cause)) return null
    const problem = `${target} is in use. Stop the server, then restore, then start it again.`
    throw new StoreUnusable(problem, { cause })
  }
  return database
}

/**
 * Gives the space of deleted rows back to the disk. SQLite copies the file once, so it needs as much free space meanwhile. Other
 * commands wait or fail. If it fails, the file is as it was.
 * @returns sizes in bytes, with the write-ahead log
 * @throws StoreUnusable when the file is missing, or a service or another command works on it
 */
export function compact(file: string) {
  requireFile(file, `There is no data file ${file}. Name it with --db.`)
  const bytes = () => sizeOf(file) + sizeOf(logFileOf(file))
  using _ = { [Symbol.dispose]: lockForReplacing(file, "compact, then start it again") }
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
}

/** A copy of a data file. */
interface BackupReport {
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
function copyDataFile(source: string, target: string): void {
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
function removeDataFile(file: string): void {
  for (const end of ["", "-journal", "-wal", "-shm"]) rmSync(file + end, { force: true })
}

/** Throws StoreUnusable when the data file is damaged, belongs to another program, or has a newer schema. */
function inspectDataFile(file: string): Omit<BackupReport, "file"> {
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
  try {
    using database = new Database(file, options)
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
