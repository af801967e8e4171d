import {
  type ConfigChange,
  type ConfigEdit,
  type ConfigRefusal,
  ConfigRefused,
  type SettingValue,
  type SettingValues,
} from "../admin/config/config-control.ts"
import type { TomlEdit } from "../config/edit-toml.ts"
import type { ConfigSource } from "../config/file.ts"
import type { Config } from "../config/load.ts"
import { type OptionKey, options } from "../config/options.ts"
import { ConfigError } from "../config/setting-name.ts"
import { nearestFirst } from "../values/nearest.ts"

/** The parts that {@link prepareEdit} uses. */
interface EditParts {
  readonly running: Config
  /** The text of the configuration file; null without one. */
  readonly text: string | null
  readonly source: ConfigSource | null
  /** Makes everything that follows from a configuration. Rejects with ConfigError and ConfigRefused. */
  prepareNext(next: Config): Promise<{ readonly changes: readonly ConfigChange[] }>
  /** Writes the file anew and takes it over. Rejects with ConfigRefused when nothing was changed. */
  replace(expected: string, text: string): Promise<readonly ConfigChange[]>
}

/** A number for the text of a configuration file; null without a file. */
export function versionOf({ fileText }: Pick<Config, "fileText">): number | null {
  if (fileText === null) return null
  // 48 bits fit a number of JSON and an ETag.
  return Number.parseInt(new Bun.CryptoHasher("sha256").update(fileText).digest("hex").slice(0, 12), 16) || 1
}

/** Checks a change of settings and returns the edit that makes it. Rejects with ConfigRefused. */
export async function prepareEdit(values: SettingValues, parts: EditParts): Promise<ConfigEdit> {
  const { running, prepareNext, replace } = parts
  const { source, name, text } = await orRefuse(() => requireFile(parts))
  const edits = await orRefuse(() => toEdits(values, name), "values")
  await orRefuse(() => requireFromFile(values, running))
  // Loaded with the first change, since most services never see one.
  const { editToml } = await import("../config/edit-toml.ts")
  const next = await orRefuse(() => editToml(name, text, edits), "values")
  const { changes } = await orRefuse(async () => prepareNext(source.read(next)), "values")
  return { changes, isNew: next !== text, save: () => replace(text, next) }
}

/** Turns a ConfigError into the refusal of a change of the configuration. */
export async function orRefuse<T>(work: () => Promise<T> | T, reason: ConfigRefusal = "state"): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown
    throw new ConfigRefused(`The configuration was not changed. ${thrown.message}`, reason)
  }
}

const noFile =
  "This service was started without a configuration file. Write one, an empty one to begin with, and start the service with --config " +
  "FILE (PENKNIFE_CONFIG)."

/** Requires a file that can be replaced and still has the running text. */
function requireFile({ running: { file, fileText }, text, source }: EditParts) {
  if (source === null || file === null || fileText === null) throw new ConfigError(noFile)
  if (text !== fileText)
    throw new ConfigError(
      `The configuration file ${file} was changed since this process read it. If another worker just changed it, try again in some ` +
        "seconds. Otherwise see 'penknife config diff'; take it over with 'penknife reload' or undo it, and try again.",
    )
  source.requireReplaceable()
  return { source, name: file, text }
}

const optionOf = new Map(
  Object.entries(options).map(([key, option]) => [option.fileKey as string, { key, option }]),
)
/** A plan, an entry of it, or a price. Other names are those of settings. */
const tableForm = /^(?:plans\.[a-z][a-z0-9_-]*(?:\.[a-z][a-z_]*)?|credits\.[a-z0-9-]+)$/

/** Throws one error with every mistake. */
function toEdits(values: SettingValues, file: string): readonly TomlEdit[] {
  const mistakes = Object.entries(values).flatMap(([name, value]) => mistakeOf(name, value, file) ?? [])
  if (mistakes.length > 0) throw new ConfigError(mistakes.join("\n"))
  return Object.entries(values).map(([name, value]) => ({ path: name.split("."), value }))
}

function mistakeOf(name: string, value: SettingValue, file: string): string | null {
  const known = optionOf.get(name)
  if (!known && !tableForm.test(name)) {
    const names = nearestFirst(name, [...optionOf.keys(), "plans.NAME.premium", "credits.API"])
    return `'${name}' is not a setting. The settings are ${names.join(", ")}.`
  }
  if (value !== null && /^plans\.[^.]+$/.test(name))
    return `'${name}' is a plan. Name one of its entries, such as '${name}.monthly_credits', or remove the plan with null.`
  if ([value].flat().some((item) => typeof item === "string" && !item.isWellFormed()))
    return `'${name}' must be well-formed Unicode text, without lone surrogates.`
  const { namesFile = false, needsRestart = false } = known?.option ?? {}
  if (needsRestart)
    return `'${name}' is taken over only at a start. Change it in ${file}, and start the service again.`
  if (namesFile)
    return `'${name}' names a file of the service's machine. Change it in ${file} there, and run 'penknife reload'.`
  return null
}

/** A flag or a variable wins over the file, so a change of the file would do nothing. */
function requireFromFile(values: SettingValues, { origins }: Config): void {
  const mistakes = Object.keys(values).flatMap((name) => {
    const known = optionOf.get(name)
    if (!known) return []
    const { flag, env } = known.option
    const origin = origins[known.key as OptionKey]
    if (origin !== "flag" && origin !== "environment") return []
    const by = origin === "flag" ? `the flag ${flag}` : `the environment variable ${env}`
    return `'${name}' is set by ${by}, which wins over the file. Change it there, and start the service again.`
  })
  if (mistakes.length > 0) throw new ConfigError(mistakes.join("\n"))
}
