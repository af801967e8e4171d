import { Database, SQLiteError } from "bun:sqlite"
import { closeSync, existsSync, openSync } from "node:fs"
import { StoreUnavailable, StoreUnusable } from "../store.ts"
import { migrate, requireOwn } from "./migrations.ts"

/**
 * How long a statement waits for a lock of another process before it gives up. Processes of our own hold one for less than a
 * millisecond. The wait stops everything else in this process; whoever can wait longer does so in `write.ts`.
 */
const busyTimeoutMs = 25
/** While a file is opened nothing else is going on, and another process may be bringing its schema up to date. */
const openTimeoutMs = 5_000

/**
 * Opens (and makes, unless `mustExist`) the data file, and brings its schema up to date. `:memory:` is a store of its
 * own that ends with the process.
 * @throws {StoreUnusable} when the file is missing, is no store, or is from a newer version
 */
export function openDatabase(file: string, options: { mustExist?: boolean } = {}): Database {
  if (options.mustExist && !existsSync(file)) {
    throw new StoreUnusable(
      `There is no data file ${file}. Name it with --db, or make one with 'account create'.`,
    )
  }
  let database: Database
  try {
    if (!options.mustExist) makeForOwner(file)
    database = new Database(file, { create: !options.mustExist, readwrite: true, strict: true })
  } catch (cause) {
    throw new StoreUnusable(`The data file ${file} cannot be opened: ${messageOf(cause)}.`, { cause })
  }
  try {
    database.run(`PRAGMA busy_timeout = ${openTimeoutMs}`)
    requireOwn(database, file)
    // Of a new file only. A charge writes whole pages to the log: with many callers, small ones cost a fifth less.
    database.run("PRAGMA page_size = 1024")
    database.run("PRAGMA journal_mode = WAL")
    // With WAL, NORMAL never corrupts and survives a killed process; only a power cut may lose the last commits.
    database.run("PRAGMA synchronous = NORMAL")
    database.run("PRAGMA foreign_keys = ON")
    // A charge dirties a page per account: rarer checkpoints write a page that changed often only once. At most 32 MB.
    database.run("PRAGMA wal_autocheckpoint = 32768")
    database.run("PRAGMA cache_size = -8000")
    migrate(database, file)
    database.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
  } catch (cause) {
    database.close()
    if (cause instanceof StoreUnusable) throw cause
    throw new StoreUnusable(`The data file ${file} cannot be used: ${messageOf(cause)}.`, { cause })
  }
  return database
}

/**
 * Makes a new file for its owner alone: webhook secrets stand in it, and SQLite would leave it to the umask, which mostly
 * lets everybody on the machine read. The log beside it gets the same rights from SQLite.
 */
function makeForOwner(file: string): void {
  if (file !== ":memory:" && !existsSync(file)) closeSync(openSync(file, "a", 0o600))
}

/** Makes what runs operations on a database; what SQLite cannot do now becomes {@link StoreUnavailable}. */
export function createGuard(database: Database): <T>(operation: () => T) => T {
  return (operation) => {
    try {
      return operation()
    } catch (cause) {
      throw toStoreFault(cause, database)
    }
  }
}

/** What SQLite cannot do now becomes {@link StoreUnavailable}; anything else, a bug, stays what it is. */
export function toStoreFault(cause: unknown, database: Database): unknown {
  if (!(cause instanceof SQLiteError)) return cause
  const code = primaryCode(cause)
  // Broken pages that are kept in memory would still be broken when the file has been mended.
  if (code === "SQLITE_CORRUPT" || code === "SQLITE_NOTADB") database.run("PRAGMA shrink_memory")
  if (!unavailableCodes.has(code)) return cause
  return new StoreUnavailable(`${cause.code}: ${cause.message}`, { cause })
}

/** Whether an operation failed because another process has the lock. */
export function isBusy(cause: unknown): boolean {
  return cause instanceof SQLiteError && primaryCode(cause) === "SQLITE_BUSY"
}

/** `SQLITE_IOERR` of `SQLITE_IOERR_SHORT_READ`. */
function primaryCode({ code }: SQLiteError): string {
  return code?.split("_").slice(0, 2).join("_") ?? ""
}

const unavailableCodes = new Set([
  "SQLITE_BUSY",
  "SQLITE_LOCKED",
  "SQLITE_FULL",
  "SQLITE_READONLY",
  "SQLITE_IOERR",
  "SQLITE_CORRUPT",
  "SQLITE_NOTADB",
  "SQLITE_CANTOPEN",
  "SQLITE_NOMEM",
  "SQLITE_PROTOCOL",
])

/** What went wrong, for a sentence. */
export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
