import * as fs from "node:fs"
import { basename, dirname, join } from "node:path"
import { parse, TomlError } from "smol-toml"
import { messageOf } from "../values/message-of.ts"
import { realPathOf, syncFolderOf } from "../values/real-path.ts"
import type { Config } from "./load.ts"
import { ConfigError } from "./setting-name.ts"

/** Where a running service reads its configuration again: the same flags and environment, and the present file. */
export type ConfigSource = ReturnType<typeof createConfigSource>

/** A file as {@link loadConfig} takes it. */
type ReadFile = { readonly name: string; readonly text: string; readonly values: Record<string, unknown> }

/**
 * Where a configuration is read again.
 * @param load makes the configuration of the file, or without one
 */
export function createConfigSource(name: string | null, load: (file: ReadFile | null) => Config) {
  return {
    /**
     * The text of the configuration file; null without a file.
     * @throws ConfigError when it cannot be read
     */
    readText: () => (name === null ? null : readConfigFile(name)),
    /**
     * The configuration with this text instead of the file's.
     * @throws ConfigError
     */
    read: (text: string | null) =>
      load(name === null || text === null ? null : { name, text, values: readToml(name, text) }),
    /**
     * Checks whether {@link ConfigSource.replaceText} will likely work.
     * @throws ConfigError
     */
    requireReplaceable() {
      if (name !== null) requireReplaceable(name)
    },
    /**
     * Replaces the configuration file, if its text is still the expected one.
     * @throws ConfigError; the file is then unchanged
     */
    replaceText(expected: string, text: string) {
      if (name !== null) replaceConfigFile(name, expected, text)
    },
  }
}

function readConfigFile(name: string): string {
  try {
    return fs.readFileSync(name, "utf8")
  } catch {
    throw new ConfigError(`The configuration file ${name} cannot be read.`)
  }
}

/** Checks that this process may write a configuration file anew. */
function requireReplaceable(name: string): void {
  const { path, stats } = find(name)
  // Root may write any file, so only the mode shows that it should not be written.
  if ((stats.mode & 0o222) === 0 || !isWritable(path))
    throw new ConfigError(
      `The configuration file ${name} is read-only for the service. Let the service's user write to it, or change it by hand and ` +
        "run 'penknife reload'.",
    )
  if (!isWritable(dirname(path)))
    throw new ConfigError(
      `The directory of the configuration file ${name} is read-only for the service, so a new file cannot take its place. Put it in ` +
        "a directory to which the service's user may write, or change it by hand and run 'penknife reload'.",
    )
}

/**
 * Replaces a configuration file whose text is still the expected one. A reader finds the whole old text or the whole new one,
 * even after a power cut. Owner and mode stay.
 */
function replaceConfigFile(name: string, expected: string, text: string): void {
  requireReplaceable(name)
  // The target of a symbolic link is replaced, and the link stays.
  const { path, stats } = find(name)
  const folder = orRefuse(name, () => fs.mkdtempSync(join(dirname(path), `.${basename(path)}-`)))
  using _ = { [Symbol.dispose]: () => fs.rmSync(folder, { recursive: true, force: true }) }
  const temporary = join(folder, basename(path))
  orRefuse(name, () => write(temporary, text, stats))
  if (readConfigFile(name) !== expected)
    throw new ConfigError(
      `The configuration file ${name} was changed meanwhile. See 'penknife config diff', and try again.`,
    )
  orRefuse(name, () => fs.renameSync(temporary, path))
  syncFolderOf(path)
}

function find(name: string): { readonly path: string; readonly stats: fs.Stats } {
  try {
    const path = realPathOf(name)
    return { path, stats: fs.statSync(path) }
  } catch {
    throw new ConfigError(`The configuration file ${name} cannot be read.`)
  }
}

function isWritable(path: string): boolean {
  try {
    fs.accessSync(path, fs.constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Writes a new file with the owner and the mode of another, and waits until it is on the disk. */
function write(path: string, text: string, { mode, uid, gid }: fs.Stats): void {
  const file = fs.openSync(path, "wx", 0o600)
  using _ = { [Symbol.dispose]: () => fs.closeSync(file) }
  const made = fs.fstatSync(file)
  if (made.uid !== uid || made.gid !== gid) fs.fchownSync(file, uid, gid)
  fs.fchmodSync(file, mode & 0o777)
  fs.writeFileSync(file, text)
  fs.fsyncSync(file)
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

/**
 * Reads the text of a configuration file. The message about a mistake names its position and does not quote the text, which may
 * hold a secret.
 * @throws ConfigError
 */
export function readToml(name: string, text: string): Record<string, unknown> {
  try {
    return parse(text)
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause
    const [problem = ""] = cause.message.replace(/^Invalid TOML document: /, "").split("\n")
    throw new ConfigError(
      `The configuration file ${name} is not valid TOML at line ${cause.line}, column ${cause.column}: ${problem}.`,
    )
  }
}
