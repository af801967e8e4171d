import { constants, lstatSync, readdirSync, realpathSync, type Stats, statSync, unlinkSync } from "node:fs"
import { type FileHandle, open as openFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { type BackupFile, type Backups, backupNameForm, type OpenBackup } from "../admin/backups/backups.ts"
import { AdminFault } from "../admin/fault.ts"
import type { Config } from "../config/load.ts"
import { ConfigError, settingOfFile } from "../config/setting-name.ts"
import type { RunOwnCommand } from "../ports/own-process.ts"
import { isPostgresUrl } from "../store/open.ts"
import { lockForBackups } from "../store/sqlite/database-file.ts"
import { StoreUnusable } from "../store/store.ts"
import { messageOf } from "../values/message-of.ts"

/** The output of the command that checks a backup. */
type Report = { readonly store_version: number; readonly accounts: number; readonly keys: number }

/** Backups of the data file of a configuration, made by commands of this program in their own processes. */
export function createBackups({ db, backupDir }: Config, run: RunOwnCommand | null): Backups {
  const directory = () => requireDirectory(db, backupDir)

  function requireRun(): RunOwnCommand {
    if (run) return run
    throw conflict("Backups are made by the service, not by a process inside another program.")
  }

  async function verify(name: string) {
    const path = join(directory(), name)
    const file = toBackup(name, statOf(path))
    if (!file) throw none(name)
    const { exitCode, output, errors } = await requireRun()(["check-backup", path, "--json"])
    if (exitCode !== 0) throw conflict(problemIn(errors))
    const { store_version: storeVersion, accounts, keys } = JSON.parse(output) as Report
    return { ...file, storeVersion, accounts, keys }
  }

  function list(): readonly BackupFile[] {
    const folder = directory()
    const files = readdirSync(folder).flatMap((name) => {
      const stats = statOf(join(folder, name))
      return (isDataFile(stats) ? null : toBackup(name, stats)) ?? []
    })
    return files.sort((a, b) => b.madeMs - a.madeMs || (a.name < b.name ? 1 : -1))
  }

  async function open(name: string): Promise<OpenBackup> {
    const path = join(directory(), name)
    // A copy that is removed meanwhile can be read to its end.
    const handle = await openFile(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => null)
    const stats = await handle?.stat()
    const file = isDataFile(stats) ? null : toBackup(name, stats)
    if (handle && file)
      return { ...file, chunks: readChunks(handle, file.bytes), close: () => handle.close() }
    await handle?.close()
    throw none(name)
  }

  /** An operator may have set the directory of the data file itself. */
  function isDataFile(stats: Stats | undefined): boolean {
    const dataFile = statSync(db, { throwIfNoEntry: false })
    return stats !== undefined && stats.ino === dataFile?.ino && stats.dev === dataFile.dev
  }

  return {
    async requireRoom(name) {
      requireRun()
      const path = join(directory(), name)
      if (statOf(path))
        throw conflict(`There is a file '${name}' already, and it is not overwritten. Give another name.`, {
          parameter: "name",
        })
      lockOrRefuse(directory())()
    },
    async create(name) {
      const folder = directory()
      using _ = { [Symbol.dispose]: lockOrRefuse(folder) }
      const copied = await requireRun()(["backup", join(folder, name), `--db=${resolve(db)}`, "--json"])
      if (copied.exitCode !== 0) throw new AdminFault("unavailable", problemIn(copied.errors))
      return await verify(name)
    },
    list: async () => list(),
    verify,
    open,
    async remove(name) {
      const path = join(directory(), name)
      if (!list().some((file) => file.name === name)) throw none(name)
      unlinkSync(path)
    },
    async lastMs() {
      if (backupDir === null || isPostgresUrl(db)) return null
      try {
        return list()[0]?.madeMs ?? null
      } catch {
        // The operations on backups report a wrong directory; the health of the service must stay readable.
        return null
      }
    },
  }
}

const chunkBytes = 262_144

/** Reads as many bytes as the file had when it was opened. */
async function* readChunks(handle: FileHandle, bytes: number): AsyncGenerator<Uint8Array> {
  for (let position = 0; position < bytes; ) {
    const buffer = new Uint8Array(Math.min(chunkBytes, bytes - position))
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position)
    if (bytesRead === 0) throw new Error("the file became shorter while it was read")
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

/**
 * The check of the directory of a configuration.
 * @throws ConfigError
 */
export function requireBackupDirectory(config: Config): void {
  const { backupDir } = config
  if (backupDir === null) return
  const place = settingOfFile(config, "backupDir", backupDir)
  let stats: Stats | undefined
  try {
    stats = statSync(backupDir, { throwIfNoEntry: false })
  } catch (cause) {
    throw new ConfigError(`${place} cannot be read: ${messageOf(cause)}.`)
  }
  if (stats === undefined)
    throw new ConfigError(`${place} does not exist. Create this directory, or name another one.`)
  if (!stats.isDirectory()) throw new ConfigError(`${place} is not a directory. Name another one.`)
}

function none(name: string): AdminFault {
  return new AdminFault("not-found", `There is no backup '${name}'.`, { parameter: "name" })
}

function requireDirectory(db: string, backupDir: string | null): string {
  if (isPostgresUrl(db))
    throw conflict(
      "Backups are copies of a data file, and this store is on a PostgreSQL server. Copy the server with pg_basebackup, or " +
        "use a managed database's own backups; see docs/backup.md.",
    )
  if (db === ":memory:") throw conflict("A store in memory has no backups. Set a data file with --db.")
  if (backupDir === null)
    throw conflict(
      "There is no directory for backups. Set it with --backup-dir, PENKNIFE_BACKUP_DIR or backup_dir, and start the service again.",
    )
  try {
    const folder = realpathSync(backupDir)
    if (statSync(folder).isDirectory()) return folder
  } catch (cause) {
    throw conflict(
      `The directory ${backupDir} cannot be used: ${messageOf(cause)}. Create it, or set another --backup-dir.`,
      { cause },
    )
  }
  throw conflict(`${backupDir} is not a directory. Set another --backup-dir.`)
}

function lockOrRefuse(folder: string): () => void {
  try {
    return lockForBackups(folder)
  } catch (thrown) {
    if (!(thrown instanceof StoreUnusable)) throw thrown
    throw conflict(thrown.message, { cause: thrown })
  }
}

function conflict(message: string, more?: ConstructorParameters<typeof AdminFault>[2]): AdminFault {
  return new AdminFault("conflict", message, more)
}

/** Does not follow a link, which could lead out of the directory. */
function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}

/** Null if it is not a finished copy: another file, a link, or the empty file that reserves the name of a copy in progress. */
function toBackup(name: string, stats: Stats | undefined): BackupFile | null {
  if (!stats?.isFile() || stats.size === 0 || !backupNameForm.test(name)) return null
  return { name, bytes: stats.size, madeMs: Math.floor(stats.mtimeMs) }
}

/** The error message of a command of this program. */
function problemIn(errors: string): string {
  const text = errors.trim().replace(/^penknife: /, "")
  return text === "" ? "The process that worked on the backup was ended. Try again." : text
}
