import { type Reader, text, trueOrFalse } from "./readers.ts"

/** One setting. The flag, the environment variable, the file key, help and documentation are all made from this. */
export interface Option<T> {
  /** Such as `--max-body`. */
  readonly flag: string
  /** The name of the flag's value in help; null for a switch, which has no value. */
  readonly value: string | null
  /** Such as `PENKNIFE_MAX_BODY`. */
  readonly env: string
  /** The key in the TOML file, such as `max_body`, or `catalog.include` in a table. */
  readonly fileKey: string
  readonly help: string
  readonly default: T
  /** The default as help shows it. */
  readonly defaultText: string
  readonly repeatable?: boolean
  /** Whether a change needs a restart. */
  readonly needsRestart?: boolean
  /** Whether it names a file of the service's machine, which must not be chosen over HTTP. */
  readonly namesFile?: boolean
  /** Whether it is the name of a plan, so that it is chosen from the configured ones. */
  readonly namesPlan?: boolean
  readonly read: Reader<unknown>
}

/** A setting with one value. `usage` is the flag without its dashes, and the name of its value. */
export function one<T, Default extends T | null>(
  usage: string,
  help: string,
  read: Reader<T>,
  value: Default,
  defaultText = String(value),
): Option<T | Default> {
  return { ...named(usage), help, read, default: value, defaultText }
}

/** A setting that can be given several times. */
export function many<T>(
  usage: string,
  help: string,
  read: Reader<T>,
  defaultText: string,
): Option<readonly T[]> {
  return { ...one(usage, help, read, null, defaultText), default: [], repeatable: true }
}

/** A setting of a listener, of the store or of the log's output, which need a restart. */
export function fixed<T>(option: Option<T>): Option<T> {
  return { ...option, needsRestart: true }
}

/** A setting whose key in the file is in a table: `catalog.include`. */
export function inTable<T>(table: string, option: Option<T>): Option<T> {
  return { ...option, fileKey: option.fileKey.replace(`${table}_`, `${table}.`) }
}

/** A setting that names a plan. */
export function plan(usage: string, help: string): Option<string> {
  return { ...one(usage, help, text, "free"), namesPlan: true }
}

/** A setting that names a file of the service's machine. */
export function file(usage: string, help: string, defaultText: string): Option<string | null> {
  return { ...one(usage, help, text, null, defaultText), namesFile: true }
}

/** A switch, off by default. */
export function toggle(name: string, help: string, defaultText: string): Option<boolean> {
  return { ...named(name), help, read: trueOrFalse, default: false, defaultText }
}

function named(usage: string): Pick<Option<unknown>, "flag" | "value" | "env" | "fileKey"> {
  const [name = "", value = null] = usage.split(" ")
  const fileKey = name.replaceAll("-", "_")
  return { flag: `--${name}`, value, env: `PENKNIFE_${fileKey.toUpperCase()}`, fileKey }
}
