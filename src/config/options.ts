import { logLevels } from "../ports/log.ts"
import {
  dnsServer,
  hostNames,
  instant,
  network,
  oneOf,
  type Reader,
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
  readonly read: Reader<unknown>
}

const logFormats = ["auto", "json", "pretty"] as const
const seedTimeMs = Date.UTC(2025, 0, 1)

/** The settings of `serve`. */
export const options = {
  host: option("host ADDRESS", "address to listen on", text, "127.0.0.1"),
  port: option("port NUMBER", "port to listen on; 0 picks a free one", wholeNumber(0, 65_535), 8080),
  db: option("db FILE", "the data file: accounts, keys, credits", text, "penknife.db"),
  workers: option("workers NUMBER", "processes that share the port (Linux only)", wholeNumber(1, 64), 1),
  dnsServers: list("dns-server IP[:PORT]", "DNS server to ask; repeatable", dnsServer, "the system's"),
  trustedProxies: list("trust-proxy CIDR", "proxy to trust in X-Forwarded-For; repeatable", network, "none"),
  tlsCert: option("tls-cert FILE", "PEM certificate chain; needs --tls-key", text, null, "plain HTTP"),
  tlsKey: option("tls-key FILE", "PEM private key; needs --tls-cert", text, null, "plain HTTP"),
  maxBodyBytes: option(
    "max-body BYTES",
    "largest request body",
    wholeNumber(1_024, 1_073_741_824),
    2_097_152,
  ),
  bodyTimeoutSeconds: option("body-timeout SECONDS", "time for a body to arrive", wholeNumber(1, 25), 20),
  maxCalls: option(
    "max-calls NUMBER",
    "calls at once in a process; others get 503",
    wholeNumber(1, 65_535),
    2_048,
  ),
  bluetoothCompanies: option(
    "bluetooth-companies FILE",
    "newer list of companies, JSON or YAML",
    text,
    null,
    "built in",
  ),
  noGraphql: toggle("no-graphql", "turn GraphQL off", "GraphQL is on"),
  logLevel: option(
    "log-level LEVEL",
    "lowest level to log",
    oneOf(logLevels),
    null,
    "info, or error for mock",
  ),
  logFormat: option("log-format FORMAT", "auto: pretty on a terminal, else json", oneOf(logFormats), "auto"),
  logSample: option("log-sample SHARE", "share of requests to log, 0 to 1; 5xx are always logged", share, 1),
  noMetrics: toggle("no-metrics", "turn /metrics off", "/metrics is served"),
  metricsToken: option("metrics-token TOKEN", "bearer token that /metrics requires", text, null, "none"),
} as const satisfies Record<string, Option<unknown>>

/** The settings that only `mock` has. */
export const mockOptions = {
  seedTimeMs: option(
    "seed-time INSTANT",
    "the clock at the start",
    instant,
    seedTimeMs,
    "2025-01-01T00:00:00Z",
  ),
  dnsFile: option(
    "dns FILE",
    "YAML file with the DNS records to answer with",
    text,
    null,
    "a set of examples",
  ),
  plan: option("plan PLAN", "plan of the key mock-key", text, "pro"),
  tlsSelfSigned: option(
    "tls-self-signed NAME[,NAME…]",
    "serve TLS for these names",
    hostNames,
    [],
    "plain HTTP",
  ),
  caOut: option(
    "ca-out FILE",
    "write the CA certificate here; needs --tls-self-signed",
    text,
    null,
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

function option<T, Default extends T | null>(
  usage: string,
  help: string,
  read: Reader<T>,
  value: Default,
  defaultText = String(value),
): Option<T | Default> {
  const [name = "", valueName = ""] = usage.split(" ")
  return { name, value: valueName, help, read, default: value, defaultText }
}

function list<T>(usage: string, help: string, read: Reader<T>, defaultText: string): Option<readonly T[]> {
  return { ...option(usage, help, read, null, defaultText), default: [], repeatable: true }
}

function toggle(name: string, help: string, defaultText: string): Option<boolean> {
  return { name, value: null, help, read: trueOrFalse, default: false, defaultText }
}
