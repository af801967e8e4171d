import { defaultPlans, type Plans } from "../accounts/plan.ts"
import { parseServerAddress } from "../ports/dns/server-address.ts"
import { type LogLevel, logLevels } from "../ports/log.ts"
import { type Network, toNetwork } from "../values/ip.ts"
import { parseInstant } from "../values/time-text.ts"
import { ConfigError } from "./config-error.ts"
import { readCredits, readPlans } from "./plans.ts"

/** One setting: how it is named everywhere, what it means, how its text is read. The README's table is made of these. */
export interface Option<T> {
  /** `--port NUMBER`; the environment variable and the file key are made from the name. */
  readonly name: string
  /** What its value is called in help; null for a switch, which has none as a flag and is true or false elsewhere. */
  readonly value: string | null
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

function onOff(option: { name: string; help: string; defaultText: string }): Option<boolean> {
  return { ...option, value: null, default: false, read: trueOrFalse }
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
  bodyTimeoutSeconds: one({
    name: "body-timeout",
    value: "SECONDS",
    help: "time in which a request body must have arrived",
    default: 20,
    read: wholeNumber(1, 25),
  }),
  maxCalls: one({
    name: "max-calls",
    value: "NUMBER",
    help: "calls under way at once, in each process; more are answered 503",
    default: 2_048,
    read: wholeNumber(1, 65_535),
  }),
  bluetoothCompanies: one<string | null>({
    name: "bluetooth-companies",
    value: "FILE",
    help: "newer list of Bluetooth companies, JSON or YAML",
    default: null,
    defaultText: "built in",
    read: text,
  }),
  noGraphql: onOff({
    name: "no-graphql",
    help: "turn the GraphQL gateway off",
    defaultText: "it is on",
  }),
  logLevel: one<LogLevel | null>({
    name: "log-level",
    value: "LEVEL",
    help: `lines from this level on: ${logLevels.join(", ")}`,
    default: null,
    defaultText: "info; mock: error",
    read: oneOf(logLevels),
  }),
  logFormat: one<"auto" | "json" | "pretty">({
    name: "log-format",
    value: "FORMAT",
    help: "json, pretty, or auto: pretty on a terminal",
    default: "auto",
    read: oneOf(["auto", "json", "pretty"]),
  }),
  logSample: one({
    name: "log-sample",
    value: "SHARE",
    help: "share of request lines written, 0 to 1; those of 5xx always are",
    default: 1,
    read: share,
  }),
  noMetrics: onOff({
    name: "no-metrics",
    help: "serve no /metrics",
    defaultText: "it is served",
  }),
  metricsToken: one<string | null>({
    name: "metrics-token",
    value: "TOKEN",
    help: "what readers of /metrics have to send as a bearer token",
    default: null,
    defaultText: "none: everyone may read",
    read: text,
  }),
} as const satisfies Record<string, Option<unknown>>

/** Settings that `mock` alone has. */
export const mockOptions = {
  seedTimeMs: one({
    name: "seed-time",
    value: "INSTANT",
    help: "what the clock shows until it is moved",
    default: Date.UTC(2025, 0, 1),
    defaultText: "2025-01-01T00:00:00Z",
    read: instant,
  }),
  dnsFile: one<string | null>({
    name: "dns",
    value: "FILE",
    help: "YAML file with the DNS that the SPF validator sees",
    default: null,
    defaultText: "a small world of examples",
    read: text,
  }),
  plan: one({ name: "plan", value: "PLAN", help: "plan of the key mock-key", default: "pro", read: text }),
  tlsSelfSigned: one<readonly string[]>({
    name: "tls-self-signed",
    value: "NAME[,NAME…]",
    help: "serve TLS with a certificate for these names, made at the start",
    default: [],
    defaultText: "plain HTTP",
    read: hostNames,
  }),
  caOut: one<string | null>({
    name: "ca-out",
    value: "FILE",
    help: "write the certificate of the authority that clients have to trust; needs --tls-self-signed",
    default: null,
    defaultText: "not written",
    read: text,
  }),
} as const satisfies Record<string, Option<unknown>>

/** Every setting by its key. */
export const allOptions = { ...options, ...mockOptions }

type Options = typeof allOptions
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
    Object.entries(allOptions).map(([key, option]) => [key, settingOf(key, option, { flags, env, file })]),
  ) as Settings
  if ((settings.tlsCert === null) !== (settings.tlsKey === null)) {
    throw new ConfigError("--tls-cert and --tls-key must be given together.")
  }
  if (settings.caOut !== null && settings.tlsSelfSigned.length === 0) {
    throw new ConfigError("--ca-out needs --tls-self-signed.")
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

/** The flag with the name of its value, as help and README show it. */
export function usageOf(option: Option<unknown>): string {
  return option.value === null ? flagOf(option) : `${flagOf(option)} ${option.value}`
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
    const isSwitch = option.value === null
    if (typeof value !== "string" && typeof value !== "number" && !(isSwitch && typeof value === "boolean")) {
      throw new Error(isSwitch ? "must be true or false" : "must be a text or a number")
    }
    return option.read(String(value))
  } catch (cause) {
    throw new ConfigError(`${where} ${cause instanceof Error ? cause.message : String(cause)}.`)
  }
}

function refuseUnknownKeys(file: ConfigSources["file"]): void {
  const known = new Set([...Object.values(allOptions).map(fileKeyOf), "plans", "credits"])
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

function oneOf<const T extends string>(values: readonly T[]): (text: string) => T {
  return (text) => {
    const value = values.find((known) => known === text)
    if (value === undefined) throw new Error(`must be one of ${values.join(", ")}, not '${text}'`)
    return value
  }
}

function share(value: string): number {
  const number = /^\d*\.?\d+$/.test(value) ? Number(value) : Number.NaN
  if (!(number >= 0 && number <= 1)) throw new Error(`must be a number from 0 to 1, not '${value}'`)
  return number
}

function trueOrFalse(value: string): boolean {
  if (value !== "true" && value !== "false") throw new Error(`must be true or false, not '${value}'`)
  return value === "true"
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

function instant(value: string): number {
  const ms = parseInstant(value)
  if (ms === null || ms < 0)
    throw new Error(`must be an instant such as 2025-01-01T00:00:00Z, not '${value}'`)
  return ms
}

function hostNames(value: string): readonly string[] {
  const names = value.split(",").map((name) => name.trim())
  for (const name of names) {
    if (!/^(\*\.)?[A-Za-z0-9_.-]+$|^[0-9A-Fa-f:]+$/.test(name) || name.length > 253) {
      throw new Error(`must be host names or IP addresses, with commas between, not '${value}'`)
    }
  }
  return names
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
