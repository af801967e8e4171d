import { logLevels } from "../ports/log.ts"
import {
  dnsServer,
  hostNames,
  instant,
  network,
  oneOf,
  share,
  text,
  trueOrFalse,
  wholeNumber,
} from "./readers.ts"

/** One setting. The flag, the environment variable, the file key, help and README are all made from this. */
export interface Option<T> {
  /** The flag without its dashes; the environment variable and the file key are made from it. */
  readonly name: string
  /** What help calls the value; null for a switch, whose flag has no value. */
  readonly value: string | null
  readonly help: string
  readonly default: T
  /** How help shows the default. */
  readonly defaultText: string
  readonly repeatable?: boolean
  /** The only values allowed. */
  readonly choices?: readonly string[]
  /** Reads one text; throws an Error that continues the option's name: "must be …". */
  readonly read: (text: string) => unknown
}

/** The settings of `serve`. */
export const options = {
  host: one("host ADDRESS", "address to listen on", text, "127.0.0.1"),
  port: one("port NUMBER", "port to listen on; 0 picks a free one", wholeNumber(0, 65_535), 8080),
  db: one("db FILE", "the data file: accounts, keys, credits", text, "penknife.db"),
  workers: one("workers NUMBER", "processes that share the port (Linux only)", wholeNumber(1, 64), 1),
  dnsServers: many("dns-server IP[:PORT]", "DNS server to ask; repeatable", dnsServer, "the system's"),
  trustedProxies: many(
    "trust-proxy CIDR",
    "proxy whose X-Forwarded-For header is trusted; repeatable",
    network,
    "none",
  ),
  tlsCert: optional("tls-cert FILE", "PEM certificate chain; needs --tls-key", "plain HTTP"),
  tlsKey: optional("tls-key FILE", "PEM private key; needs --tls-cert", "plain HTTP"),
  maxBodyBytes: one("max-body BYTES", "largest request body", wholeNumber(1_024, 1_073_741_824), 2_097_152),
  bodyTimeoutSeconds: one(
    "body-timeout SECONDS",
    "time for a request body to arrive",
    wholeNumber(1, 25),
    20,
  ),
  maxCalls: one(
    "max-calls NUMBER",
    "calls that each process handles at once; further calls get 503",
    wholeNumber(1, 65_535),
    2_048,
  ),
  bluetoothCompanies: optional(
    "bluetooth-companies FILE",
    "newer list of Bluetooth companies, JSON or YAML",
    "built in",
  ),
  noGraphql: toggle("no-graphql", "turn GraphQL off", "GraphQL is on"),
  logLevel: choice("log-level LEVEL", "lowest level to log", logLevels, null, "info, or error for mock"),
  logFormat: choice(
    "log-format FORMAT",
    "auto is pretty on a terminal, else json",
    ["auto", "json", "pretty"],
    "auto",
  ),
  logSample: one("log-sample SHARE", "share of requests to log, 0 to 1; 5xx are always logged", share, 1),
  noMetrics: toggle("no-metrics", "turn /metrics off", "/metrics is served"),
  metricsToken: optional("metrics-token TOKEN", "bearer token that /metrics requires", "none"),
} as const satisfies Record<string, Option<unknown>>

/** The settings that only `mock` has. */
export const mockOptions = {
  seedTimeMs: one(
    "seed-time INSTANT",
    "the clock at the start",
    instant,
    Date.UTC(2025, 0, 1),
    "2025-01-01T00:00:00Z",
  ),
  dnsFile: optional(
    "dns FILE",
    "YAML file with the DNS records that the SPF validator sees",
    "a set of examples",
  ),
  plan: one("plan PLAN", "plan of the key mock-key", text, "pro"),
  tlsSelfSigned: one<readonly string[]>(
    "tls-self-signed NAME[,NAME…]",
    "serve TLS with a new certificate for these names",
    hostNames,
    [],
    "plain HTTP",
  ),
  caOut: optional(
    "ca-out FILE",
    "where to write the CA certificate that clients must trust; needs --tls-self-signed",
    "not written",
  ),
} as const satisfies Record<string, Option<unknown>>

/** Every setting by its key. */
export const allOptions = { ...options, ...mockOptions }

export type OptionKey = keyof typeof allOptions

/** Such as `--port`. */
export function flagOf(option: Option<unknown>): string {
  return `--${option.name}`
}

/** Such as `PENKNIFE_PORT`. */
export function envOf(option: Option<unknown>): string {
  return `PENKNIFE_${fileKeyOf(option).toUpperCase()}`
}

/** The key in the TOML file, such as `max_body`. */
export function fileKeyOf(option: Option<unknown>): string {
  return option.name.replaceAll("-", "_")
}

/** The flag with its value, such as `--port NUMBER`. */
export function usageOf(option: Option<unknown>): string {
  return option.value === null ? flagOf(option) : `${flagOf(option)} ${option.value}`
}

function one<T>(
  usage: string,
  help: string,
  read: (text: string) => T,
  value: T,
  defaultText = String(value),
): Option<T> {
  return { ...named(usage), help, read, default: value, defaultText }
}

function optional(usage: string, help: string, defaultText: string): Option<string | null> {
  return { ...named(usage), help, read: text, default: null, defaultText }
}

function many<T>(
  usage: string,
  help: string,
  read: (text: string) => T,
  defaultText: string,
): Option<readonly T[]> {
  return { ...named(usage), help, read, default: [], defaultText, repeatable: true }
}

function choice<const T extends string, Default extends T | null>(
  usage: string,
  help: string,
  choices: readonly T[],
  value: Default,
  defaultText = String(value),
): Option<T | Default> {
  return { ...named(usage), help, choices, read: oneOf(choices), default: value, defaultText }
}

function toggle(name: string, help: string, defaultText: string): Option<boolean> {
  return { name, value: null, help, read: trueOrFalse, default: false, defaultText }
}

function named(usage: string): { name: string; value: string } {
  const [name = "", value = ""] = usage.split(" ")
  return { name, value }
}
