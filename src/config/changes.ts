import { isObject } from "../values/is-object.ts"
import { describeConfig } from "./describe.ts"
import type { Config } from "./load.ts"
import { type OptionKey, options } from "./options.ts"

/**
 * Every setting that differs, in the order of the documentation, then plans and prices: its name in the configuration file, such
 * as `plans.free.premium`, the values as JSON, without secrets, null where it is not set, and whether a change needs a restart.
 */
export function changesBetween(before: Config, after: Config) {
  const shownBefore = describeConfig(before)
  const shownAfter = describeConfig(after)
  const settings = Object.entries(options).flatMap(([key, { fileKey, needsRestart = false }]) => {
    if (isSame(Reflect.get(before, key), Reflect.get(after, key))) return []
    return { setting: fileKey, before: shownBefore[fileKey], after: shownAfter[fileKey], needsRestart }
  })
  const tables = ["plans", "credits"].flatMap((table) => {
    const old = flatten(shownBefore[table], table)
    const next = flatten(shownAfter[table], table)
    return [...new Set([...old.keys(), ...next.keys()])].flatMap((setting) => {
      const change = { setting, before: old.get(setting) ?? null, after: next.get(setting) ?? null }
      return isSame(change.before, change.after) ? [] : { ...change, needsRestart: false }
    })
  })
  return [...settings, ...tables]
}

/** A configuration with those settings of a running service that only a start can change. */
export function keepUntilRestart(running: Config, next: Config): Config {
  const kept = (Object.keys(options) as (keyof typeof options)[]).filter((key) => options[key].needsRestart)
  const valuesOf = (source: object) => Object.fromEntries(kept.map((key) => [key, Reflect.get(source, key)]))
  const origins = { ...next.origins, ...valuesOf(running.origins) } as Record<
    OptionKey,
    Config["origins"][OptionKey]
  >
  return Object.freeze({ ...next, ...valuesOf(running), origins })
}

/** The values of a table and of the tables in it, by their names: `plans.free.premium`. */
function flatten(value: unknown, name: string): Map<string, unknown> {
  if (!isObject(value)) return new Map([[name, value]])
  return new Map(Object.entries(value).flatMap(([key, inner]) => [...flatten(inner, `${name}.${key}`)]))
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
