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

/** The texts of a setting: the flag without its dashes with the name of its value, its help, and the default in words. */
interface OptionText {
  readonly usage: string
  readonly help: string
  readonly default?: string
}

/** A setting without its texts, and the table of the file that it is in. */
type Definition<T> = Pick<
  Option<T>,
  "default" | "repeatable" | "needsRestart" | "namesFile" | "namesPlan" | "read"
> & { readonly table?: string }

/** Makes settings of their definitions and texts. */
export function defineOptions<const D extends Readonly<Record<string, Definition<unknown>>>>(
  texts: { readonly [K in keyof D]: OptionText },
  definitions: D,
): { readonly [K in keyof D]: D[K] extends Definition<infer T> ? Option<T> : never } {
  const made = Object.entries(definitions).map(([key, { table, ...definition }]) => {
    const { usage, help, default: defaultText = String(definition.default) } = texts[key as keyof D]
    const [name = "", value = null] = usage.split(" ")
    const fileKey = name.replaceAll("-", "_")
    const names = {
      flag: `--${name}`,
      value,
      env: `PENKNIFE_${fileKey.toUpperCase()}`,
      fileKey: table === undefined ? fileKey : fileKey.replace(`${table}_`, `${table}.`),
    }
    return [key, { ...names, help, defaultText, ...definition }]
  })
  return Object.fromEntries(made)
}

/** A setting with one value. */
export function one<T, Default extends T | null>(read: Reader<T>, value: Default): Definition<T | Default> {
  return { read, default: value }
}

/** A setting that can be given several times. */
export function many<T>(read: Reader<T>): Definition<readonly T[]> {
  return { read, default: [], repeatable: true }
}

/** A setting of a listener, of the store or of the log's output, which need a restart. */
export function fixed<T>(definition: Definition<T>): Definition<T> {
  return { ...definition, needsRestart: true }
}

/** A setting whose key in the file is in a table: `catalog.include`. */
export function inTable<T>(table: string, definition: Definition<T>): Definition<T> {
  return { ...definition, table }
}

/** A setting that names a plan. */
export function plan(): Definition<string> {
  return { ...one(text, "free"), namesPlan: true }
}

/** A setting that names a file of the service's machine. */
export function file(): Definition<string | null> {
  return { ...one(text, null), namesFile: true }
}

/** A switch, off by default. */
export function toggle(): Definition<boolean> {
  return { read: trueOrFalse, default: false }
}
