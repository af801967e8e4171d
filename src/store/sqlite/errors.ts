import { type Database, SQLiteError } from "bun:sqlite"
import { StoreUnavailable } from "../store.ts"

const locked = "Another process keeps the data file locked. Try again, or end that process."
const damaged = "The data file is damaged. Stop the server and restore a backup."

/** SQLite errors that come from outside this program (https://sqlite.org/rescode.html), and what to do about them. */
const advice: Readonly<Record<string, string>> = {
  SQLITE_BUSY: locked,
  SQLITE_LOCKED: locked,
  SQLITE_PROTOCOL: locked,
  SQLITE_FULL: "The disk is full. Free some space.",
  SQLITE_READONLY: "The data file cannot be written. Check the rights of the file and its folder.",
  SQLITE_CANTOPEN: "The data file cannot be opened. Check that it exists, and its rights.",
  SQLITE_IOERR: "The disk cannot be read or written. Check the disk.",
  SQLITE_NOMEM: "There is not enough memory. Free some, or use a larger machine.",
  SQLITE_CORRUPT: damaged,
  SQLITE_NOTADB: damaged,
}

/** Turns an error from outside this program into {@link StoreUnavailable}. Any other is a bug and is returned unchanged. */
export function toStoreError(cause: unknown, database: Database | null): unknown {
  if (!(cause instanceof SQLiteError)) return cause
  const text = advice[primaryCode(cause)]
  // Damaged pages in SQLite's cache would outlive the repair of the file.
  if (text === damaged) database?.run("PRAGMA shrink_memory")
  return text ? new StoreUnavailable(`${text} (${cause.code}: ${cause.message})`, { cause }) : cause
}

/** Whether another connection has the lock. */
export function isBusy(cause: unknown): boolean {
  return cause instanceof SQLiteError && primaryCode(cause) === "SQLITE_BUSY"
}

/** Whether SQLite could not open a file. */
export function isCannotOpen(cause: unknown): boolean {
  return cause instanceof SQLiteError && primaryCode(cause) === "SQLITE_CANTOPEN"
}

/** Whether the disk is full, or could not be read or written. */
export function isOfDisk(cause: unknown): boolean {
  return cause instanceof SQLiteError && ["SQLITE_FULL", "SQLITE_IOERR"].includes(primaryCode(cause))
}

/** Whether the disk did not confirm a flush, of SQLite or of our own. */
export function isFailedFlush(cause: unknown): boolean {
  if (cause instanceof SQLiteError) return cause.code === "SQLITE_IOERR_FSYNC"
  return cause instanceof Error && "syscall" in cause && cause.syscall === "fdatasync"
}

/** `SQLITE_IOERR` of `SQLITE_IOERR_SHORT_READ`. */
function primaryCode({ code }: SQLiteError): string {
  return code?.split("_").slice(0, 2).join("_") ?? ""
}
