/// <reference lib="esnext.disposable" preserve="true" />
/** `penknife/mock`: the service as a test double, started from a test in Node or Bun. */
import { controlOf } from "./control.ts"
import { startProcess } from "./process.ts"

export interface MockOptions {
  /** What the clock shows at the start: an instant such as `2025-01-01T00:00:00Z`, which is the default. */
  readonly seedTime?: string
  /** A YAML file with the DNS that the SPF validator sees. */
  readonly dns?: string
  /** The plan of {@link Mock.key}; `pro` unless it is given. */
  readonly plan?: string
  /** Names to serve TLS for, with a certificate made at the start; clients have to trust {@link Mock.ca}. */
  readonly tls?: readonly string[]
  /** `false` for a service whose GraphQL is turned off. */
  readonly graphql?: boolean
  /** The command that runs penknife, such as `["/opt/penknife"]`, where it is not to be looked for. */
  readonly command?: readonly [program: string, ...args: string[]]
}

export interface Mock {
  /** Such as `http://127.0.0.1:41273`. */
  readonly url: string
  /** A key that works, on the plan that {@link MockOptions.plan} names. */
  readonly key: string
  /** PEM of the authority that signed the certificate; null for plain HTTP. */
  readonly ca: string | null
  /** The process id. */
  readonly pid: number

  /** The requests that came, oldest first, with their answers. Rejects when older ones are no longer kept. */
  requests(filter?: RequestFilter): Promise<readonly MockRequest[]>
  /** The requests as text, for whoever reads why a test has failed. */
  describeRequests(filter?: RequestFilter): Promise<string>
  /** Makes calls go wrong. A fault for the same `api` and `key` takes the place of an earlier one. */
  fault(fault: MockFault): Promise<void>
  /** Gives a fixed answer. A stub for the same `api` and `input` takes the place of an earlier one. */
  stub(stub: MockStub): Promise<void>
  /** Takes all faults and stubs away. */
  clear(): Promise<void>
  /** Moves the clock on by a time such as `90s`, `15m`, `24h` or `31d`; gives the instant it shows then. */
  advance(time: string): Promise<string>
  /** Sets the clock to an instant; gives it. */
  setTime(now: string): Promise<string>
  /** Replaces the DNS: names, each with its records. */
  dns(zone: MockZone): Promise<void>
  /** Notifications that would have been sent. */
  notices(): Promise<readonly MockNotice[]>
  /** Brings everything back to the start: clock, credits, journal, faults, stubs, DNS. */
  reset(): Promise<void>
  /** Ends the mock. */
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export interface RequestFilter {
  readonly api?: string
  readonly status?: number
  readonly key?: string
}

export interface MockRequest {
  /** 1, 2, … since the start. */
  readonly number: number
  /** The mock's clock when it came. */
  readonly at: string
  readonly method: string
  /** With the query string. */
  readonly path: string
  /** APIs it called. */
  readonly apis: readonly string[]
  readonly key: string | null
  /** What a fault did to it. */
  readonly fault: Omit<MockFault, "api" | "key" | "times"> | null
  readonly request: MockMessage
  /** Null when the connection was reset. */
  readonly response: (MockMessage & { readonly status: number }) | null
}

export interface MockMessage {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Whether the body was longer than what is kept of it. */
  readonly cut: boolean
}

/** At least one of `status`, `delay_ms`, `reset`, `malformed`. */
export interface MockFault {
  /** Only calls of this API. */
  readonly api?: string
  /** Only calls with this key. */
  readonly key?: string
  /** How many calls; without it all, until it is taken away. */
  readonly times?: number
  /** HTTP status, 400 to 599. */
  readonly status?: number
  /** How long the answer is held back, in real milliseconds. */
  readonly delay_ms?: number
  /** The connection is reset without an answer. */
  readonly reset?: boolean
  /** The body cannot be parsed. */
  readonly malformed?: boolean
}

export interface MockStub {
  readonly api: string
  /** Only for inputs that have these values. */
  readonly input?: Readonly<Record<string, unknown>>
  /** The `data` of the answer. */
  readonly data: Readonly<Record<string, unknown>>
}

/** `{"example.com": [{TXT: "v=spf1 -all"}], "slow.example": ["TIMEOUT"]}` */
export type MockZone = Readonly<Record<string, readonly (string | Readonly<Record<string, unknown>>)[]>>

export interface MockNotice {
  readonly id: string
  readonly type: string
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>>
}

/**
 * Starts a mock on a free port; it answers when this resolves. It ends with `stop()`, and with the process that started it,
 * however that ends.
 * @throws Error when penknife is not found or does not start; the message says why
 */
export async function startMock(options: MockOptions = {}): Promise<Mock> {
  const { url, key, ca, pid, stop } = await startProcess(options)
  const control = controlOf(url, ca)

  async function requests(filter: RequestFilter = {}): Promise<readonly MockRequest[]> {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(filter)) {
      if (value !== undefined) query.set(name, String(value))
    }
    const read = await control("GET", `/_mock/requests?${query}`)
    if (read.dropped > 0) {
      throw new Error(
        `penknife mock: the ${read.dropped} oldest of ${read.total} requests are no longer kept; call reset() between tests`,
      )
    }
    return read.requests
  }

  return {
    url,
    key,
    ca,
    pid,
    requests,
    describeRequests: async (filter) => (await requests(filter)).map(describe).join("\n"),
    fault: async (fault) => {
      await control("PUT", "/_mock/faults", fault)
    },
    stub: async (stub) => {
      await control("PUT", "/_mock/stubs", stub)
    },
    clear: async () => {
      await control("DELETE", "/_mock/faults")
      await control("DELETE", "/_mock/stubs")
    },
    advance: async (time) => (await control("PUT", "/_mock/clock", { advance: time })).now,
    setTime: async (now) => (await control("PUT", "/_mock/clock", { now })).now,
    dns: async (zone) => {
      await control("PUT", "/_mock/dns", zone)
    },
    notices: async () => (await control("GET", "/_mock/notices")).notices,
    reset: async () => {
      await control("POST", "/_mock/reset")
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

function describe({ number, method, path, key, fault, request, response }: MockRequest): string {
  const asked = `${number}. ${method} ${path} with ${key === null ? "no key" : `key ${key}`}`
  const struck = fault ? `\n   fault: ${JSON.stringify(fault)}` : ""
  const answered = response ? `${response.status} ${response.body}` : "connection reset"
  return `${asked}${request.body && `\n   ${request.body}`}${struck}\n   → ${answered}`
}
