import { Database } from "bun:sqlite"
import { accessSync, closeSync, constants, existsSync, openSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { messageOf } from "../../values/message-of.ts"
import { once } from "../../values/once.ts"
import { linkChain } from "../../values/real-path.ts"
import { StoreUnusable } from "../store.ts"
import { isOfDisk } from "./errors.ts"
import { migrate, requireOwnSchema, schemaSteps } from "./migrations.ts"

/** SQLite blocks the process while it waits for a lock. Ours last under a millisecond; `write.ts` waits for longer ones. */
const busyTimeoutMs = 25
/** While a file is opened nothing else runs, and another process may be migrating its schema. */
const openTimeoutMs = 5_000

/** The write-ahead log is emptied when it has so many bytes. */
export const logLimitBytes = 33_554_432
const pageBytes = 1_024

/**
 * Opens a data file, or makes it unless `mustExist`, and migrates its schema. `:memory:` is a database in memory.
 * @param options.isServed whether the disk must first confirm all that the log holds
 * @param options.image a serialized database, of which one in memory is a copy
 * @throws StoreUnusable when the file is missing, belongs to another program, or has a newer schema
 */
export function openDatabase(
  file: string,
  { mustExist = false, isServed = false, steps = schemaSteps, image = null as Uint8Array | null } = {},
): Database {
  if (mustExist)
    requireFile(file, `There is no data file ${file}. Name it with --db, or make one with 'account create'.`)
  let database: Database
  try {
    if (!mustExist) createForOwner(file)
    database =
      image !== null
        ? Database.deserialize(image, { strict: true })
        : new Database(file, { create: !mustExist, readwrite: true, strict: true })
  } catch (cause) {
    requireAccess(file, cause)
    const problem = `The data file ${file} cannot be opened: ${messageOf(cause)}.`
    throw new StoreUnusable(`${problem} Check its path and rights, or name another with --db.`, { cause })
  }
  try {
    database.run(`PRAGMA busy_timeout = ${openTimeoutMs}`)
    requireOwnSchema(database, file, steps.length + 1)
    // For new files. A charge writes whole pages to the log: with many accounts, small pages cost a fifth less.
    database.run(`PRAGMA page_size = ${pageBytes}`)
    database.run("PRAGMA journal_mode = WAL")
    // With WAL, NORMAL survives a killed process. Only a power cut may lose the last commits; the file stays intact.
    database.run("PRAGMA synchronous = NORMAL")
    // Fewer checkpoints write a page that changes often fewer times. Only while another process reads, the log grows further.
    database.run(`PRAGMA wal_autocheckpoint = ${logLimitBytes / pageBytes}`)
    database.run(`PRAGMA journal_size_limit = ${logLimitBytes}`)
    database.run("PRAGMA cache_size = -8000")
    // Deleted data, such as a webhook's secret or an address, must not stay readable in free space of the file.
    database.run("PRAGMA secure_delete = ON")
    // A table that others name may be made anew.
    database.run("PRAGMA foreign_keys = OFF")
    migrate(database, file, { steps })
    database.run("PRAGMA foreign_keys = ON")
    if (image) prepareLater(database)
    // An earlier process may have ended since a flush failed. The rest of its log is written and flushed anew.
    if (isServed) database.run("PRAGMA wal_checkpoint(PASSIVE)")
    database.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
  } catch (cause) {
    database.close()
    if (cause instanceof StoreUnusable) throw cause
    requireAccess(file, cause)
    const problem = `The data file ${file} cannot be used: ${messageOf(cause)}.`
    // SQLite says "disk I/O error" when a full disk has no room for the file that processes share.
    const advice = isOfDisk(cause) ? "Free some space if its disk is full. Else name" : "Name"
    throw new StoreUnusable(`${problem} ${advice} another with --db, or restore a backup.`, { cause })
  }
  return database
}

/** Prepares a statement when it is first used: each takes up to 15 kB, and a copy of an image uses few. */
function prepareLater(database: Database): void {
  const query = database.query.bind(database)
  const later = (sql: string) => {
    const statement = once(() => query(sql))
    return new Proxy(statement, { get: (_, name) => Reflect.get(statement(), name).bind(statement()) })
  }
  Object.assign(database, { query: later })
}

/**
 * Makes an empty file unless there is one. True if it did. Webhook secrets are in a data file, and with most umasks SQLite would
 * let every user of the machine read it.
 */
export function createForOwner(file: string): boolean {
  if (file === ":memory:" || existsSync(file)) return false
  closeSync(openSync(file, "a", 0o600))
  return true
}

/** @throws StoreUnusable with a message when there is no file, or when this process may not see it */
export function requireFile(file: string, message: string): void {
  if (existsSync(file)) return
  requireAccess(file)
  throw new StoreUnusable(message)
}

/** @throws StoreUnusable when this process cannot make or change the file where it is */
export function requireAccess(file: string, cause?: unknown): void {
  const isFull = cause instanceof Error && "code" in cause && cause.code === "ENOSPC"
  const problem = isFull ? "Its disk is full. Free some space." : accessProblem(file)
  if (problem !== null)
    throw new StoreUnusable(`The data file ${file} cannot be opened. ${problem}`, { cause })
}

const { R_OK, W_OK, X_OK } = constants

/** SQLite and the lock keep files next to the data file. */
const ends = ["", "-wal", "-shm", "-lock"]

/**
 * Says what is wrong with the place of a data file: a missing folder or permission, or a read-only mount; of the files next to it
 * too. Null for any other reason. SQLite reports no more than that it cannot open the file.
 */
export function accessProblem(file: string): string | null {
  let path = file
  // Each folder is checked before anything in it is looked at.
  for (path of linkChain(file)) {
    for (const folder of foldersOf(path)) {
      const found = statSync(folder, { throwIfNoEntry: false })
      if (!found) return `There is no folder ${folder}. Make it, or name another file with --db.`
      if (!found.isDirectory()) return `${folder} is no folder. Name a file in a folder with --db.`
      if (denialOf(folder, X_OK)) return describe("look into the folder", folder, X_OK)
    }
  }
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    return `${path} is a folder. Name a file in it with --db.`
  const present = ends.map((end) => path + end).filter((each) => existsSync(each))
  const denied = present.find((each) => denialOf(each, R_OK | W_OK))
  if (denied !== undefined) return describe("read and write", denied, R_OK | W_OK)
  const folder = dirname(path)
  return denialOf(folder, W_OK) ? describe("make files in the folder", folder, W_OK) : null
}

/** All folders above a path, from the root on. */
function foldersOf(path: string): readonly string[] {
  const folder = dirname(resolve(path))
  return dirname(folder) === folder ? [folder] : [...foldersOf(folder), folder]
}

/** `EACCES`, or `EROFS` for what is mounted read-only; null for what is allowed. */
function denialOf(path: string, mode: number): string | null {
  try {
    accessSync(path, mode)
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : null
    if (code === "EACCES" || code === "EROFS") return code
  }
  return null
}

function describe(what: string, path: string, asked: number): string {
  if (denialOf(path, asked) === "EROFS")
    return `${path} is mounted read-only. Mount it for writing too, or name another file with --db.`
  const { uid, mode } = statSync(path)
  const permissions = (mode & 0o777).toString(8).padStart(4, "0")
  const owner = `user ${uid}${uid === 0 ? " (root)" : ""}`
  const own = process.getuid?.() ?? ""
  const advice =
    uid === own ? `'chmod u+rwX ${path}'.` : `'chown ${own} ${path}', or run penknife as its owner.`
  return `User ${own} may not ${what} ${path}, which belongs to ${owner} with mode ${permissions}. Run ${advice}`
}
