import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { messageOf } from "../values/message-of.ts"
import { ConfigError } from "./config-error.ts"
import type { Config } from "./load.ts"
import type { ConfigSource } from "./source.ts"
import { readToml } from "./toml.ts"

/** A file as {@link loadConfig} takes it. */
type ReadFile = { readonly name: string; readonly text: string; readonly values: Record<string, unknown> }

/**
 * Where a configuration is read again.
 * @param load makes the configuration of the file, or without one
 */
export function createConfigSource(
  name: string | null,
  load: (file: ReadFile | null) => Config,
): ConfigSource {
  return {
    readText: () => (name === null ? null : readConfigFile(name)),
    read: (text) =>
      load(name === null || text === null ? null : { name, text, values: readToml(name, text) }),
    requireReplaceable() {
      if (name !== null) requireReplaceable(name)
    },
    replaceText(expected, text) {
      if (name !== null) replaceConfigFile(name, expected, text)
    },
  }
}

function readConfigFile(name: string): string {
  try {
    return readFileSync(name, "utf8")
  } catch {
    throw new ConfigError(`The configuration file ${name} cannot be read.`)
  }
}

/** Checks that this process may write a configuration file anew. */
function requireReplaceable(name: string): void {
  const { path, stats } = find(name)
  // For root, which may write any file, the mode alone says that it should not be written.
  if ((stats.mode & 0o222) === 0 || !isWritable(path)) {
    throw new ConfigError(
      `The configuration file ${name} is read-only for the service. Let the service's user write to it, or change it by hand and ` +
        "run 'penknife reload'.",
    )
  }
  if (!isWritable(dirname(path))) {
    throw new ConfigError(
      `The directory of the configuration file ${name} is read-only for the service, so a new file cannot take its place. Put it in ` +
        "a directory to which the service's user may write, or change it by hand and run 'penknife reload'.",
    )
  }
}

/**
 * Replaces a configuration file whose text is still the expected one. Who reads it, also after a power cut, finds the whole old
 * text or the whole new one. Owner and mode stay.
 */
function replaceConfigFile(name: string, expected: string, text: string): void {
  requireReplaceable(name)
  // The file itself, so that a symbolic link stays one.
  const { path, stats } = find(name)
  const folder = orRefuse(name, () => mkdtempSync(join(dirname(path), `.${basename(path)}-`)))
  try {
    const temporary = join(folder, basename(path))
    orRefuse(name, () => write(temporary, text, stats))
    if (readConfigFile(name) !== expected) {
      throw new ConfigError(
        `The configuration file ${name} was changed meanwhile. See 'penknife config diff', and try again.`,
      )
    }
    orRefuse(name, () => renameSync(temporary, path))
    sync(dirname(path))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function find(name: string): { readonly path: string; readonly stats: Stats } {
  try {
    const path = realpathSync(name)
    return { path, stats: statSync(path) }
  } catch {
    throw new ConfigError(`The configuration file ${name} cannot be read.`)
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Writes a new file with the owner and the mode of another, and waits until it is on the disk. */
function write(path: string, text: string, { mode, uid, gid }: Stats): void {
  const file = openSync(path, "wx", 0o600)
  try {
    const made = fstatSync(file)
    if (made.uid !== uid || made.gid !== gid) fchownSync(file, uid, gid)
    fchmodSync(file, mode & 0o777)
    writeFileSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Makes a new name last through a power cut. */
function sync(directory: string): void {
  const file = openSync(directory, "r")
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function orRefuse<T>(name: string, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    throw new ConfigError(
      `The configuration file ${name} cannot be replaced: ${messageOf(cause)}. A single file that is mounted into a container cannot ` +
        "be replaced; mount its directory.",
    )
  }
}
