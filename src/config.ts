import { type Network, toNetwork } from "./account/address.ts"
import { defaultPlans, type Plans } from "./account/plan.ts"
import { ConfigError } from "./config-error.ts"
import { readCredits, readPlans } from "./config-tables.ts"
import { parseServerAddress } from "./ports/dns/server-address.ts"

/** One setting: how it is named everywhere, what it means, how its text is read. The README's table is made of these. */
export interface Option<T> {
  /** `--port NUMBER`; the environment variable and the file key are made from the name. */
  readonly name: string
  readonly value: string
  readonly help: string
  readonly default: T
  /** How the default reads in help, when it is not its plain text. */
  readonly defaultText?: string
  readonly repeatable?: boolean
  /** Reads one text; throws an Error whose message follows the option's name: "must be …". */
  readonly read: (text: string) => unknown
}

function one<T>(option: {
  name: string
  value: string
  help: string
  default: T
  defaultText?: string
  read: (text: string) => T
}): Option<T> {
  return option
}

function many<T>(option: {
  name: string
  value: string
  help: string
  defaultText?: string
  read: (text: string) => T
}): Option<readonly T[]> {
  return { ...option, default: [], repeatable: true }
}

/** Every setting of the program. Flag beats environment beats file beats default. */
export const options = {
  host: one({
    name: "host",
    value: "ADDRESS",
    help: "address to listen on",
    default: "127.0.0.1",
    read: text,
  }),
  port: one({
    name: "port",
    value: "NUMBER",
    help: "port to listen on; 0 picks a free one",
    default: 8080,
    read: wholeNumber(0, 65_535),
  }),
  db: one({
    name: "db",
    value: "FILE",
    help: "the data file: accounts, keys, credits",
    default: "penknife.db",
    read: text,
  }),
  workers: one({
    name: "workers",
    value: "NUMBER",
    help: "processes that share the port and the data file (Linux)",
    default: 1,
    read: wholeNumber(1, 64),
  }),
  dnsServers: many({
    name: "dns-server",
    value: "IP[:PORT]",
    help: "DNS server to ask; repeatable",
    defaultText: "the system's",
    read: serverAddress,
  }),
  trustedProxies: many({
    name: "trust-proxy",
    value: "CIDR",
    help: "proxy whose X-Forwarded-For is believed; repeatable",
    defaultText: "none",
    read: network,
  }),
  tlsCert: one<string | null>({
    name: "tls-cert",
    value: "FILE",
    help: "PEM certificate chain; needs --tls-key",
    default: null,
    defaultText: "plain HTTP",
    read: text,
  }),
  tlsKey: one<string | null>({
    name: "tls-key",
    value: "FILE",
    help: "PEM private key; needs --tls-cert",
    default: null,
    defaultText: "plain HTTP",
    read: text,
  }),
  maxBodyBytes: one({
    name: "max-body",
    value: "BYTES",
    help: "largest request body",
    default: 2_097_152,
    read: wholeNumber(1_024, 1_073_741_824),
  }),
  bluetoothCompanies: one<string | null>({
    name: "bluetooth-companies",
    value: "FILE",
    help: "newer list of Bluetooth companies, JSON or YAML",
    default: null,
    defaultText: "built in",
    read: text,
  }),
} as const satisfies Record<string, Option<unknown>>

type Options = typeof options
export type OptionKey = keyof Options
type Settings = { readonly [K in OptionKey]: Options[K] extends Option<infer T> ? T : never }

export interface Config extends Settings {
  readonly plans: Plans
  /** Credits per call by API id, where they differ from the API's own. */
  readonly credits: ReadonlyMap<string, number>
}

/** What the user wrote where. */
export interface ConfigSources {
  /** Texts by option key; a repeatable one has a list. */
  readonly flags: Readonly<Record<string, unknown>>
  readonly env: Readonly<Record<string, string | undefined>>
  /** The parsed TOML file and its name, for messages; null without one. */
  readonly file: { readonly name: string; readonly values: Readonly<Record<string, unknown>> } | null
}

/** Puts the sources together into one frozen configuration, or throws {@link ConfigError}. */
export function loadConfig({ flags, env, file }: ConfigSources): Config {
  refuseUnknownKeys(file)
  const settings = Object.fromEntries(
    Object.entries(options).map(([key, option]) => [key, settingOf(key, option, { flags, env, file })]),
  ) as Settings
  if ((settings.tlsCert === null) !== (settings.tlsKey === null)) {
    throw new ConfigError("--tls-cert and --tls-key must be given together.")
  }
  return Object.freeze({
    ...settings,
    plans: readPlans(file?.values.plans, defaultPlans, file?.name ?? ""),
    credits: readCredits(file?.values.credits, file?.name ?? ""),
  })
}

export function flagOf(option: Option<unknown>): string {
  return `--${option.name}`
}

export function envOf(option: Option<unknown>): string {
  return `PENKNIFE_${fileKeyOf(option).toUpperCase()}`
}

export function fileKeyOf(option: Option<unknown>): string {
  return option.name.replaceAll("-", "_")
}

/** The default as help and README show it. */
export function defaultTextOf(option: Option<unknown>): string {
  return option.defaultText ?? String(option.default)
}

function settingOf(key: string, option: Option<unknown>, { flags, env, file }: ConfigSources): unknown {
  const flag = flags[key]
  if (flag !== undefined) return readSetting(option, flagOf(option), flag)
  const variable = env[envOf(option)]
  if (variable !== undefined && variable !== "") {
    const value = option.repeatable ? variable.split(",").map((part) => part.trim()) : variable
    return readSetting(option, envOf(option), value)
  }
  const entry = file?.values[fileKeyOf(option)]
  if (entry !== undefined) return readSetting(option, `'${fileKeyOf(option)}' in ${file?.name}`, entry)
  return option.default
}

function readSetting(option: Option<unknown>, where: string, value: unknown): unknown {
  if (option.repeatable)
    return (Array.isArray(value) ? value : [value]).map((item) => readOne(option, where, item))
  return readOne(option, where, value)
}

function readOne(option: Option<unknown>, where: string, value: unknown): unknown {
  try {
    if (typeof value !== "string" && typeof value !== "number") throw new Error("must be a text or a number")
    return option.read(String(value))
  } catch (cause) {
    throw new ConfigError(`${where} ${cause instanceof Error ? cause.message : String(cause)}.`)
  }
}

function refuseUnknownKeys(file: ConfigSources["file"]): void {
  const known = new Set([...Object.values(options).map(fileKeyOf), "plans", "credits"])
  for (const key of Object.keys(file?.values ?? {})) {
    if (!known.has(key)) {
      throw new ConfigError(
        `'${key}' in ${file?.name} is not a setting. The settings are ${[...known].join(", ")}.`,
      )
    }
  }
}

function text(value: string): string {
  if (value === "") throw new Error("must not be empty")
  return value
}

function wholeNumber(minimum: number, maximum: number): (value: string) => number {
  return (value) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
    if (!(number >= minimum && number <= maximum)) {
      throw new Error(`must be a whole number from ${minimum} to ${maximum}, not '${value}'`)
    }
    return number
  }
}

function serverAddress(value: string): string {
  parseServerAddress(value)
  return value
}

function network(value: string): Network {
  try {
    return toNetwork(value)
  } catch {
    throw new Error(`must be an IP address or a network such as 10.0.0.0/8, not '${value}'`)
  }
}
