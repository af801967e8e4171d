import { Database } from "bun:sqlite"
import { accessSync, chownSync, closeSync, constants, existsSync, openSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { messageOf } from "../../values/message-of.ts"
import { once } from "../../values/once.ts"
import { linkChain, realPathOf } from "../../values/real-path.ts"
import { StoreUnusable } from "../store.ts"
import { isBusy, isOfDisk } from "./errors.ts"
import { migrate, requireOwnSchema, schemaSteps } from "./migrations.ts"

/** SQLite blocks the process while it waits for a lock. Ours last under a millisecond; `read-write.ts` waits for longer ones. */
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
    // Deleted data, such as a webhook's secret or an address, must not stay readable in free space of the file. SQLite leaves
    // copies of some rows where it divides a page (rebuildPage in its btree.c); VACUUM removes them.
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
function createForOwner(file: string): boolean {
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

/** Servers keep their lock for as long as they run, so waiting longer would not help. */
const replaceTimeoutMs = 500

/** Releases a lock. The system releases those of a process that ends, however it ends. */
type Unlock = () => void

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
  const file = join(directory, "backups")
  const problem = accessProblem(file)
  if (problem !== null) throw new StoreUnusable(`No backup can be written to ${directory}. ${problem}`)
  return lock(file, 0, "BEGIN EXCLUSIVE", "A backup is being made. Wait until it is finished.")
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
