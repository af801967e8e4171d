import type { Plans } from "../accounts/plan.ts"
import { escapeHidden } from "../values/hidden-characters.ts"
import { isObject } from "../values/is-object.ts"
import { messageOf } from "../values/message-of.ts"
import { nearestFirst } from "../values/nearest.ts"
import type { Option } from "./define-option.ts"
import { allOptions, type OptionKey, type OwnOptions, type Settings } from "./options.ts"
import { plansOfNames, pricesThatFit, readCredits, readPlans } from "./plans.ts"
import { ConfigError, type Origin, type SettingPlaces, settingName } from "./setting-name.ts"
import type { Environment } from "./traces.ts"

/** All settings of the program, read and checked. */
export interface Config extends Settings, SettingPlaces {
  /** The text of the configuration file; null without one. It may hold secrets. */
  readonly fileText: string | null
  readonly plans: Plans
  /** The user and password for a PostgreSQL URL without them: `PGUSER` and `PGPASSWORD`. */
  readonly dbLogin: { readonly user?: string | undefined; readonly password?: string | undefined }
  /** The password for `smtp` in `PENKNIFE_SMTP_PASSWORD`; null without it. */
  readonly smtpPassword: string | null
  /** The variables of OpenTelemetry, which {@link readTraceSettings} reads. They may hold secrets. */
  readonly otelEnv: Environment
  /** Credits per call by API id; an API that is not listed keeps its own price. */
  readonly credits: ReadonlyMap<string, number>
  /** Whether the file changes plans and prices. */
  readonly tables: { readonly plans: Origin; readonly credits: Origin }
}

/** Where settings come from, before they are read. */
export interface ConfigSources {
  /** By option key: a text, a list of texts for a repeatable option, true for a switch. */
  readonly flags: Readonly<Record<string, unknown>>
  /** The environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Null without a file. */
  readonly file: ConfigFile | null
}

/** A TOML file: its name, its text if it is known, and its values. */
interface ConfigFile {
  readonly name: string
  readonly text?: string
  readonly values: Readonly<Record<string, unknown>>
}

/** Every mistake in the settings, one a line. */
export class ConfigMistakes extends ConfigError {
  /** The configuration without the settings that have mistakes, for checks that go on. */
  readonly rest: Config

  constructor(mistakes: readonly string[], rest: Config) {
    super(mistakes.join("\n"))
    this.rest = rest
  }
}

/**
 * A flag overrides the environment, the environment overrides the file.
 * @throws ConfigMistakes
 * @param own options of the command that differ from those of the table, such as the port of `mock`
 */
export function loadConfig(sources: ConfigSources, own: OwnOptions = {}): Config {
  const { file } = sources
  const mistakes = [...unknownKeys(file)]

  /** Continues after a mistake, so that all are reported at once. */
  function collecting<T>(read: () => T, otherwise: T): T {
    try {
      return read()
    } catch (thrown) {
      if (!(thrown instanceof ConfigError)) throw thrown
      mistakes.push(thrown.message)
      return otherwise
    }
  }

  const refused = new Set<string>()
  const read = Object.entries({ ...allOptions, ...own }).map(([key, option]) => {
    const setting = collecting(() => readSetting(key, option, sources), null)
    if (setting === null) refused.add(key)
    return [key, setting ?? { value: option.default, origin: "default" as const }] as const
  })
  const { plans: planTables, credits: prices } = file?.values ?? {}
  const plans = collecting(() => readPlans(planTables, file?.name ?? ""), plansOfNames(planTables))
  const credits = collecting(() => readCredits(prices, file?.name ?? ""), pricesThatFit(prices))
  const settings = Object.fromEntries(read.map(([key, { value }]) => [key, value])) as Settings
  const origins = Object.fromEntries(read.map(([key, { origin }]) => [key, origin])) as Config["origins"]
  mistakes.push(...mistakesBetween(settings, { origins, file: file?.name ?? null, refused }, plans))
  const config: Config = Object.freeze({
    ...settings,
    origins,
    file: file?.name ?? null,
    fileText: file?.text ?? null,
    dbLogin: { user: sources.env.PGUSER, password: sources.env.PGPASSWORD },
    smtpPassword: sources.env.PENKNIFE_SMTP_PASSWORD || null,
    otelEnv: Object.fromEntries(Object.entries(sources.env).filter(([name]) => name.startsWith("OTEL_"))),
    plans,
    credits,
    tables: tablesOf(file),
  })
  if (mistakes.length > 0) throw new ConfigMistakes(mistakes, config)
  return config
}

function tablesOf(file: ConfigSources["file"]): Config["tables"] {
  const originOf = (value: unknown): Origin => (value === undefined ? "default" : "file")
  return { plans: originOf(file?.values.plans), credits: originOf(file?.values.credits) }
}

function readSetting(key: string, option: Option<unknown>, { flags, env, file }: ConfigSources) {
  const given = env[option.env] || undefined
  const candidates: readonly (readonly [origin: Origin, where: string, value: unknown])[] = [
    ["flag", option.flag, flags[key]],
    ["environment", option.env, option.repeatable ? given?.split(",").map((part) => part.trim()) : given],
    ["file", `'${option.fileKey}' in ${file?.name}`, valueAt(file, option.fileKey)],
  ]
  for (const [origin, where, value] of candidates) {
    if (value === undefined) continue
    if (!option.repeatable) return { value: readOne(option, where, value), origin }
    const items = Array.isArray(value) ? value : [value]
    return { value: readEach(items, (item) => readOne(option, where, item)), origin }
  }
  return { value: option.default, origin: "default" }
}

/** Reads all items, so that the mistakes of all are known. */
function readEach(items: readonly unknown[], read: (item: unknown) => unknown): readonly unknown[] {
  const mistakes: string[] = []
  const values = items.map((item) => {
    try {
      return read(item)
    } catch (thrown) {
      if (!(thrown instanceof ConfigError)) throw thrown
      mistakes.push(thrown.message)
      return null
    }
  })
  if (mistakes.length > 0) throw new ConfigError(mistakes.join("\n"))
  return values
}

function readOne(option: Option<unknown>, where: string, value: unknown): unknown {
  try {
    const isSwitch = option.value === null
    if (typeof value !== "string" && typeof value !== "number" && !(isSwitch && typeof value === "boolean"))
      throw new Error(isSwitch ? "must be true or false" : `must be a text or a number: ${option.value}`)
    return option.read(String(value))
  } catch (cause) {
    // A mistake is one line, also when it repeats a value with line breaks.
    throw new ConfigError(`${where} ${escapeHidden(messageOf(cause))}.`)
  }
}

/** The value of a key such as `max_body` or, in a table, `catalog.include`. */
function valueAt(file: ConfigSources["file"], fileKey: string): unknown {
  return fileKey
    .split(".")
    .reduce<unknown>((table, name) => (isObject(table) ? table[name] : undefined), file?.values)
}

function unknownKeys(file: ConfigSources["file"]): readonly string[] {
  const known = [...Object.values(allOptions).map(({ fileKey }) => fileKey), "plans", "credits"]
  const tables = new Set(known.filter((key) => key.includes(".")).map((key) => key.replace(/\..*/, "")))
  return Object.entries(file?.values ?? {}).flatMap(([key, value]) => {
    if (tables.has(key) && !isObject(value)) return `'${key}' in ${file?.name} must be a table.`
    const keys =
      tables.has(key) && isObject(value) ? Object.keys(value).map((inner) => `${key}.${inner}`) : [key]
    return keys
      .filter((one) => !known.includes(one))
      .map(
        (one) =>
          `'${one}' in ${file?.name} is not a setting. The settings are ${nearestFirst(one, known).join(", ")}.`,
      )
  })
}

interface ReadPlaces extends SettingPlaces {
  /** The keys of settings whose values were refused. Their mistakes are said already. */
  readonly refused: ReadonlySet<string>
}

/** The mistakes that two settings make together, such as one that needs another. */
function mistakesBetween(settings: Settings, places: ReadPlaces, plans: Plans): readonly string[] {
  const name = (key: OptionKey, beside?: OptionKey) => settingName(places, key, beside)
  const isGiven = (key: OptionKey) => places.origins[key] !== "default"
  const { tlsCert, tlsKey, caOut, tlsSelfSigned, smtp, mailFrom, like, strictLike } = settings
  const { tryCalls, tryPlan, signUpMode, signUpPlan } = settings

  /** Says that a setting needs another one, unless that one is given and wrong. */
  function needs(key: OptionKey, other: OptionKey): readonly string[] {
    return places.refused.has(other) ? [] : [`${name(key)} needs ${name(other, key)}.`]
  }

  /** A wrong plan is said although the rest of its table is off or wrong. */
  function mistakeOfPlan(key: "tryPlan" | "signUpPlan", isOn: boolean, plan: string): readonly string[] {
    if (plans.has(plan) || !(isOn || isGiven(key))) return []
    return [`${name(key)} must be one of ${[...plans.keys()].join(", ")}, not '${plan}'.`]
  }

  return [
    ...(tlsCert !== null && tlsKey === null ? needs("tlsCert", "tlsKey") : []),
    ...(tlsKey !== null && tlsCert === null ? needs("tlsKey", "tlsCert") : []),
    ...(caOut !== null && tlsSelfSigned.length === 0 ? needs("caOut", "tlsSelfSigned") : []),
    ...(strictLike && like === null ? needs("strictLike", "like") : []),
    ...mistakesOfBackups(settings, name, needs),
    ...(smtp !== null && mailFrom === null ? needs("smtp", "mailFrom") : []),
    ...mistakeOfPlan("tryPlan", tryCalls > 0, tryPlan),
    ...(tryCalls > 0 ? mistakesOfTry(tryPlan, plans, name) : []),
    ...mistakeOfPlan("signUpPlan", signUpMode !== "off", signUpPlan),
  ]
}

type Name = (key: OptionKey, beside?: OptionKey) => string
type Needs = (key: OptionKey, other: OptionKey) => readonly string[]

function mistakesOfBackups({ backupEverySeconds, backupDir, db }: Settings, name: Name, needs: Needs) {
  if (backupEverySeconds === null) return []
  const every = name("backupEverySeconds")
  if (/^postgres(?:ql)?:/.test(db))
    return [`${every} copies a data file. PostgreSQL has backups of its own; see docs/backup.md.`]
  if (db === ":memory:") return [`${every} needs a data file: a store in memory has no backups.`]
  return backupDir === null ? needs("backupEverySeconds", "backupDir") : []
}

/** Strangers share the plan of calls without a key, so it has to end their use. */
function mistakesOfTry(tryPlan: string, plans: Plans, name: Name): readonly string[] {
  const plan = plans.get(tryPlan)
  if (!plan || (plan.monthlyCredits !== null && plan.requestsPerMinute !== null)) return []
  return [
    `${name("tryPlan", "tryCalls")}: calls without a key need a plan with limits. Set monthly_credits and requests_per_minute of ` +
      `the plan '${tryPlan}', or name another one.`,
  ]
}
