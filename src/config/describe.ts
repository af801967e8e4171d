import { describePlan } from "../accounts/plan.ts"
import type { Network } from "../values/ip.ts"
import { isObject } from "../values/is-object.ts"
import { withoutPassword } from "../values/text.ts"
import type { Option } from "./define-option.ts"
import type { Config } from "./load.ts"
import { type OptionKey, options } from "./options.ts"
import type { AdminPlace } from "./readers.ts"

/** Settings whose value nobody may read back. */
const secretSettings: readonly string[] = ["metricsToken"] satisfies readonly OptionKey[]

/**
 * The settings of the service by their names in the configuration file, with plans and prices, as JSON. A secret that is set
 * is shown as `(set)`, and a URL without its password.
 */
export function describeConfig(config: Config): Record<string, unknown> {
  const settings = Object.entries(options).map(([key, { fileKey }]): [string, unknown] => {
    const value: unknown = Reflect.get(config, key)
    if (secretSettings.includes(key) && value !== null) return [fileKey, "(set)"]
    // The URL of a mail server never has a password, and its query says how it is reached.
    return [fileKey, key === "smtp" ? value : toJson(value)]
  })
  const { origins } = config
  const sources = Object.entries(options).map(([key, { fileKey }]) => [fileKey, origins[key as OptionKey]])
  const plans = [...config.plans.values()].map((plan): [string, unknown] => [plan.name, describePlan(plan)])
  return {
    ...Object.fromEntries(settings),
    plans: Object.fromEntries(plans),
    credits: Object.fromEntries(config.credits),
    sources: { ...Object.fromEntries(sources), ...config.tables },
  }
}

/**
 * The settings with where each comes from and when a change of it takes effect, their values as a configuration file has them.
 */
export function listSettings(config: Config) {
  const { backupEverySeconds: seconds } = config
  const values = { ...describeConfig(config), ...(seconds !== null && { backup_every: toDuration(seconds) }) }
  return Object.entries(options).map(([key, option]: [string, Option<unknown>]) => {
    const {
      fileKey,
      flag,
      help,
      defaultText,
      read,
      needsRestart = false,
      namesFile = false,
      namesPlan = false,
    } = option
    const change: "now" | "reload" | "restart" = needsRestart ? "restart" : namesFile ? "reload" : "now"
    return {
      setting: fileKey,
      value: Reflect.get(values, fileKey) as unknown,
      default: defaultText,
      source: config.origins[key as OptionKey],
      flag,
      choices: namesPlan ? [...config.plans.keys()] : (read.choices?.slice() ?? null),
      description: help,
      change,
    }
  })
}

/** A time as a setting has it: `24h`. */
function toDuration(seconds: number): string {
  const [size, unit] = durations.find(([size]) => seconds % size === 0) ?? [1, "s"]
  return `${seconds / size}${unit}`
}

const durations = [
  [3_600, "h"],
  [60, "m"],
] as const

function toJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toJson)
  if (isPlace(value)) return `${value.host.includes(":") ? `[${value.host}]` : value.host}:${value.port}`
  if (isNetwork(value)) return `${value.address}/${value.prefix}`
  return typeof value === "string" ? withoutPassword(value) : value
}

function isPlace(value: unknown): value is Exclude<AdminPlace, string> {
  return typeof value === "object" && value !== null && "host" in value && "port" in value
}

function isNetwork(value: unknown): value is Network {
  return typeof value === "object" && value !== null && "address" in value && "prefix" in value
}

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
