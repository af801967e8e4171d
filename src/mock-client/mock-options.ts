/**
 * How `startMock` starts the mock; every option may be left out, and others are refused. The settings of the shell
 * (`PENKNIFE_PLAN`, …) have no effect.
 */
export interface MockOptions {
  /** The port to listen on; by default, and with 0, a free one. */
  readonly port?: number
  /** The mock's clock at the start, such as `2025-01-01T00:00:00Z` (the default). */
  readonly seedTime?: string
  /**
   * `real` lets the clock run on from `seedTime`, so that a client that honours `Retry-After` gets through; `stopped` by default.
   */
  readonly clock?: "stopped" | "real"
  /** A YAML file with the DNS records that the SPF validator sees; by default a set of examples. */
  readonly dns?: string
  /** A YAML file with what other hosts answer over HTTPS; by default a set of examples. */
  readonly web?: string
  /** The state at the start: the name of a YAML or TOML file, or its content (as JSON at most 100 kB). */
  readonly seed?: string | Readonly<Record<string, unknown>>
  /** The plan of `Mock.key`; `pro` by default. */
  readonly plan?: string
  /** Host names to serve TLS for. The certificate is made at the start; clients must trust `Mock.ca`. */
  readonly tls?: readonly string[]
  /** A folder with APIs of your own, which the mock serves too. */
  readonly apis?: string
  /** A running service, such as `https://api.example.com`, to compare with at the start; see `Mock.differences`. */
  readonly like?: string
  /** `true` refuses to start if something differs from the service of `like`, or that could not be found out. */
  readonly strictLike?: boolean
  /** A mail catcher on this machine, such as `smtp://127.0.0.1:1025`, which gets the mails. */
  readonly smtp?: string
  /** The address of a receiver of webhooks on this machine, for the accounts of all keys. */
  readonly webhook?: string
  /** Whose time is signed: the machine's, by which receivers check it (the default), or the mock's, the same on every run. */
  readonly webhookTime?: "machine" | "mock"
  /** `false` turns GraphQL off. */
  readonly graphql?: boolean
  /**
   * The address of a running mock, such as `http://127.0.0.1:8090`. Nothing is started: the test gets a session of its own on
   * that mock, which ends with `stop()`, and after ten minutes without a request. It goes with no other option.
   */
  readonly shared?: string
  /** The command that runs penknife, such as `["/opt/penknife"]`; by default it is found by itself. */
  readonly command?: readonly [program: string, ...args: string[]]
}

/** The flag of each option; null where {@link argumentsOf} has another way. */
const flags: Readonly<Record<keyof MockOptions, string | null>> = {
  port: "--port",
  seedTime: "--seed-time",
  clock: "--clock",
  dns: "--dns",
  web: "--web",
  seed: "--seed",
  plan: "--plan",
  tls: "--tls-self-signed",
  apis: "--apis",
  ...{ like: "--like", strictLike: "--strict-like" },
  smtp: "--smtp",
  webhook: "--webhook",
  webhookTime: "--webhook-time",
  ...{ graphql: null, shared: null, command: null },
}

/**
 * A mistyped option would otherwise be ignored, and the test run against another mock than it means.
 * @throws Error that names the options that exist, or one that does not go with `shared`
 */
export function requireOptions(options: MockOptions): void {
  const names = Object.keys(flags)
  const unknown = Object.keys(options).find((name) => !names.includes(name))
  if (unknown !== undefined)
    throw new Error(`penknife mock: there is no option '${unknown}'; there are ${names.join(", ")}`)
  const other = Object.entries(options).find(([name, value]) => name !== "shared" && value !== undefined)
  if (options.shared !== undefined && other)
    throw new Error(`penknife mock: 'shared' uses a mock that runs already: start that with '${other[0]}'`)
}

/** The arguments of penknife for these options. */
export function argumentsOf(options: MockOptions): string[] {
  const all = { ...options, port: options.port ?? 0 }
  const given = Object.entries(flags).flatMap(([name, flag]) => {
    const value = all[name as keyof MockOptions] ?? false
    if (flag === null || value === false) return []
    if (value === true) return [flag]
    return [flag, name === "seed" && typeof value === "object" ? JSON.stringify(value) : String(value)]
  })
  const start = ["mock", "--json", "--stop-with-stdin"]
  return [...start, ...given, ...(options.graphql === false ? ["--no-graphql"] : [])]
}
