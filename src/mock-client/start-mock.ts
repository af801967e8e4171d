/// <reference lib="esnext.disposable" preserve="true" />
/** `penknife/mock`: starts the service as a test double from a test in Node or Bun. */
import { findCommand } from "./command.ts"
import { controlOf, describeRequest, exchange, openSession } from "./control-client.ts"
import { argumentsOf, type MockOptions, requireOptions } from "./mock-options.ts"
import { startProcess } from "./process.ts"
import { waitForWebhooks } from "./webhooks.ts"

export type { MockOptions } from "./mock-options.ts"

/** A running mock. Its methods reject when the mock refuses the request; the message says what to change. */
export interface Mock {
  /** Where it listens, such as `http://127.0.0.1:41273`; with {@link MockOptions.shared} also the base path of the session. */
  readonly url: string
  /** A valid API key, on the plan of {@link MockOptions.plan}. */
  readonly key: string
  /** The certificate of the mock's authority (PEM); null for plain HTTP. */
  readonly ca: string | null
  /** The process id of the mock; null with {@link MockOptions.shared}. */
  readonly pid: number | null
  /** How it differs from the service of {@link MockOptions.like}, a sentence each. */
  readonly differences: readonly string[]
  /** The address of {@link MockOptions.webhook}, the secret that signs for it (`whsec_…`), and why nothing is sent; or null. */
  readonly webhook: { readonly url: string; readonly secret: string; readonly reason: string | null } | null

  /** The requests so far with their answers, oldest first. Rejects when the mock no longer keeps the oldest ones. */
  requests(filter?: RequestFilter): Promise<readonly MockRequest[]>
  /** The requests so far as text, for the output of a failed test. */
  describeRequests(filter?: RequestFilter): Promise<string>
  /** Resolves with the requests as text, if they are as expected. Rejects with an Error `NotAsExpected` that shows what came. */
  verify(expectation: MockExpectation): Promise<string>
  /** Makes calls fail. A new fault replaces the one with the same `api`, `key` and `input`. */
  fault(fault: MockFault): Promise<void>
  /** Sets a fixed answer. A new stub replaces the one with the same `api` and `input`. */
  stub(stub: MockStub): Promise<void>
  /** Uses the faults of a profile: `flaky`, `slow`, `outage`, `throttled` or one of the seed; `ok` has none. */
  profile(name: string): Promise<void>
  /** Removes all faults and stubs. The profile stays. */
  clear(): Promise<void>
  /** Moves the clock forward by a time such as `90s`, `15m`, `24h` or `31d`; returns the new time (ISO 8601). */
  advance(time: string): Promise<string>
  /** Sets the clock to an instant such as `2025-03-01T12:00:00Z`; returns the new time. */
  setTime(now: string): Promise<string>
  /** Replaces all DNS records. */
  dns(zone: MockZone): Promise<void>
  /** Replaces all that other hosts answer over HTTPS. */
  web(replies: MockReplies): Promise<void>
  /** The mails so far with the attempts to send them, oldest first. */
  mails(): Promise<readonly MockMail[]>
  /** All webhook messages so far with their attempts, oldest first. */
  notices(): Promise<readonly MockNotice[]>
  /** The delivered webhook messages, oldest first. Waits until there are enough, and rejects when they do not come. */
  webhooks(filter?: WebhookFilter): Promise<readonly MockNotice[]>
  /** Sends a webhook message or a mail again that waits for nothing, with the same id; returns it. */
  resend<Id extends string>(id: Id): Promise<Id extends `mail_${string}` ? MockMail : MockNotice>
  /** The present state as a seed file, in YAML. */
  seed(): Promise<string>
  /** Restores the state at the start: clock, credits, requests, faults, stubs, DNS and replies of other hosts. */
  reset(): Promise<void>
  /** Ends the mock. */
  stop(): Promise<void>
  /** Ends the mock at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void>
}

/** The requests to return; all conditions must hold. */
export interface RequestFilter {
  /** Requests that called this API. */
  readonly api?: string
  /** Requests answered with this HTTP status. */
  readonly status?: number
  /** Requests with this API key; `mock-pro` means it with any tail. */
  readonly key?: string
}

/** A kind of request. All conditions must hold; `{}` is every request. With `webhook` it is a kind of webhook message instead. */
export interface MockPattern extends RequestFilter {
  /** Values of one input of `api`, as for {@link MockRule.input}; in a batch, of any of its inputs. */
  readonly input?: Readonly<Record<string, unknown>>
  /** Values of request headers, by name. */
  readonly header?: Readonly<Record<string, string>>
  /** Delivered webhook messages of this type, such as `key.created`. It goes with no other condition. */
  readonly webhook?: string
}

/**
 * How often requests should have come: at least once, or as the numbers say. With `order`: in which order, with others between.
 * @example
 * await mock.verify({ api: "hmac", status: 200, input: { message: "a" }, count: 1 })
 * await mock.verify({ key: "mock-pro", order: [{ api: "hmac", status: 503 }, { api: "hmac", status: 200 }] })
 * await mock.verify({ webhook: "credits.exhausted", count: 1 })
 */
export interface MockExpectation extends MockPattern {
  readonly count?: number
  readonly at_least?: number
  readonly at_most?: number
  readonly order?: readonly MockPattern[]
}

/** A request that the mock received, and its answer. */
export interface MockRequest {
  /** Counts from 1 since the start. */
  readonly number: number
  /** The time of the mock's clock (ISO 8601). */
  readonly at: string
  readonly method: string
  /** The path with the query string. */
  readonly path: string
  /** Ids of the APIs that it called. */
  readonly apis: readonly string[]
  /** The API key; null without one. */
  readonly key: string | null
  /** The effect of the fault that changed the answer; null without one. */
  readonly fault: MockFault | null
  readonly request: MockMessage
  /** Null when the connection was reset. */
  readonly response: (MockMessage & { readonly status: number }) | null
}

/** A request or an answer. */
export interface MockMessage {
  /** Values by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** At most 65,536 characters of the body. */
  readonly body: string
  /** Whether the body was longer. */
  readonly cut: boolean
}

/** The fields that faults and stubs have in common. */
export interface MockRule {
  /** Only for inputs with these values; without it for all inputs. A fault then needs `api`. */
  readonly input?: Readonly<Record<string, unknown>>
  /** How likely it applies to a call that matches, over 0 and up to 1. The same calls get the same luck on every run. */
  readonly probability?: number
  /** Gives another sequence of luck for `probability`; a whole number, 0 by default. */
  readonly seed?: number
  /** Headers that are set in the answer, besides those that it has. */
  readonly headers?: Readonly<Record<string, string>>
  /** The body of the answer: a text unchanged, any other value as JSON. `headers` may set its `content-type`. */
  readonly body?: unknown
}

/**
 * Makes calls fail. It needs an effect: `status`, `headers`, `body`, or one of the fields from `delay_ms` on.
 * @example
 * await mock.fault({ api: "hmac", status: 503, times: 2 })
 * await mock.fault({ status: 502, headers: { "content-type": "text/html" }, body: "<h1>Bad Gateway</h1>" })
 * await mock.fault({ api: "spfvalidator", input: { domain: "good.example" }, status: 503 })
 * await mock.fault({ reset: true, probability: 0.1, seed: 7 })
 * await mock.fault({ webhook: true, twice: true, times: 1 })
 */
export interface MockFault extends MockRule {
  /** Only calls of this API. */
  readonly api?: string
  /** Only calls with this key; `mock-pro` means it with any tail. */
  readonly key?: string
  /** How many calls fail; without it all calls, until the fault is removed. */
  readonly times?: number
  /** The HTTP status of the answer, 400 to 599. */
  readonly status?: number
  /** The delay before the call, in real milliseconds: fixed, between two bounds, or log-normal by two percentiles. */
  readonly delay_ms?: number | { min: number; max: number } | { p50: number; p99: number }
  /** How fast the body of the answer is sent. */
  readonly bytes_per_second?: number
  /** Sends the first byte of the body, then nothing until the client leaves. */
  readonly hang?: boolean
  /** Resets the connection without an answer. */
  readonly reset?: boolean
  /** Answers with a body that cannot be parsed. */
  readonly malformed?: boolean
  /** Acts on deliveries of webhooks instead of calls, with `status`, `delay_ms` or what follows. */
  readonly webhook?: boolean
  /** Loses the attempt. */
  readonly drop?: boolean
  /** Sends the same request twice. */
  readonly twice?: boolean
  /** Signs with another secret. */
  readonly bad_signature?: boolean
  /** Signs a time of ten minutes ago. */
  readonly late_timestamp?: boolean
}

/**
 * A fixed answer of an API, for calls that succeed. At least one of `data`, `headers` and `body` is required, and only one of
 * `data` and `body` may be given.
 * @example
 * await mock.stub({ api: "bluetoothlookup", input: { companyid: "76" }, data: { company: "Fruit, Inc." } })
 * await mock.stub({ api: "hmac", headers: { "x-served-by": "cache" }, body: { status: "ok", error: null, data: null } })
 */
export interface MockStub extends MockRule {
  /** The API's id. */
  readonly api: string
  /** The `data` of the answer; without it, and without `body`, what the API computes. */
  readonly data?: Readonly<Record<string, unknown>>
}

/** DNS records by name: `{"example.com": [{TXT: "v=spf1 -all"}], "slow.example": ["TIMEOUT"]}` */
export type MockZone = Readonly<Record<string, readonly (string | Readonly<Record<string, unknown>>)[]>>

/**
 * Replies of other hosts over HTTPS, by URL:
 * `{"https://a.example/x": {body: "text"}, "https://b.example/": {failure: "timeout"}}`
 */
export type MockReplies = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** The webhook messages to return. */
export interface WebhookFilter {
  /** Only of this type, such as `key.created`. */
  readonly type?: string
  /** How many to wait for; 1 by default. */
  readonly count?: number
  /** How long to wait, in real milliseconds; 5,000 by default. */
  readonly timeoutMs?: number
}

/** A webhook message. */
export interface MockNotice {
  readonly id: string
  readonly type: string
  /** The time of the mock's clock (ISO 8601). */
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>>
  /** `unsent`: there is no webhook. */
  readonly state: "pending" | "delivered" | "failed" | "unsent"
  /** Why it was not delivered; null if it was, or was not tried. */
  readonly reason: string | null
  /** Its place in the order in which receivers took the messages, from 1; null if none did. */
  readonly arrival: number | null
  /** When it is tried next (ISO 8601, the mock's clock); null unless pending. */
  readonly next_attempt: string | null
  readonly attempts: readonly MockAttempt[]
}

/** A mail. Its reader opens the `link`; `unsubscribe` ends such mails. `raised` is by the mock's clock (ISO 8601). */
export type MockMail = Readonly<Record<"to" | "template" | "subject" | "text" | "html" | "raised", string>> &
  Readonly<Record<"account" | "link" | "unsubscribe", string | null>> & {
    readonly id: `mail_${string}`
    /** Without a mail catcher (`--smtp`), `sent` is false and `status` null. */
    readonly attempts: readonly Pick<MockAttempt, "at" | "status" | "error" | "sent">[]
  }

/** An attempt to deliver a webhook message. */
export interface MockAttempt {
  /** The time of the mock's clock (ISO 8601). */
  readonly at: string
  /** Milliseconds of the mock's clock. */
  readonly duration_ms: number
  readonly url: string
  /** The status of the answer; null without one. */
  readonly status: number | null
  /** Why there was no answer; null with one. */
  readonly error: string | null
  /** The fault that changed it; null without one. */
  readonly fault: MockFault | null
  /** Whether it was sent: a fault may answer instead of the receiver. */
  readonly sent: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Starts a mock and resolves when it answers. It ends with `stop()`, and when the process that started it ends.
 * @throws Error when an option is not known, or penknife is not found or does not start; the message says what to change
 * @example
 * const mock = await startMock()
 * const url = `${mock.url}/v1/bluetoothlookup?companyid=76`
 * await fetch(url, { headers: { "x-api-key": mock.key } }) // 200
 * await mock.fault({ api: "bluetoothlookup", status: 503, times: 1 })
 * await fetch(url, { headers: { "x-api-key": mock.key } }) // 503
 * await mock.stop()
 */
export async function startMock(options: MockOptions = {}): Promise<Mock> {
  requireOptions(options)
  const running = await (options.shared === undefined
    ? startProcess([...(options.command ?? findCommand()), ...argumentsOf(options)])
    : openSession(options.shared))
  const control = controlOf(running.url, running.ca)

  const change = (method: string, path: string, body?: object) =>
    control(method, path, body).then(() => undefined)
  const notices = async () => (await control<{ notices: MockNotice[] }>("GET", "/_mock/notices")).notices

  async function requests(filter: RequestFilter = {}): Promise<readonly MockRequest[]> {
    const given = Object.entries(filter).filter(([, value]) => value !== undefined)
    const query = new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)])))
    const journal = await control<Journal>("GET", `/_mock/requests?${query}`)
    if (journal.dropped > 0)
      throw new Error(
        `penknife mock: the ${journal.dropped} oldest of ${journal.total} requests are no longer kept; call reset() between tests`,
      )
    return journal.requests
  }

  return {
    ...running,
    requests,
    describeRequests: async (filter) => (await requests(filter)).map(describeRequest).join("\n"),
    verify: async (expected) => (await control<{ text: string }>("POST", "/_mock/verify", expected)).text,
    fault: (fault) => change("PUT", "/_mock/faults", fault),
    stub: (stub) => change("PUT", "/_mock/stubs", stub),
    profile: (name) => change("PUT", "/_mock/profile", { name }),
    clear: () => change("DELETE", "/_mock/faults").then(() => change("DELETE", "/_mock/stubs")),
    advance: async (time) => (await control<{ now: string }>("PUT", "/_mock/clock", { advance: time })).now,
    setTime: async (now) => (await control<{ now: string }>("PUT", "/_mock/clock", { now })).now,
    dns: (zone) => change("PUT", "/_mock/dns", zone),
    web: (replies) => change("PUT", "/_mock/web", replies),
    mails: async () => (await control<{ mails: MockMail[] }>("GET", "/_mock/mails")).mails,
    notices,
    webhooks: (filter) => waitForWebhooks(notices, filter),
    resend: (id) =>
      control("PUT", `/_mock/${/^mail_/.test(id) ? "mails" : "notices"}/${encodeURIComponent(id)}/resend`),
    seed: async () => (await exchange(new URL(`${running.url}/_mock/seed`), "GET", running.ca)).text,
    reset: () => change("POST", "/_mock/reset"),
    [Symbol.asyncDispose]: running.stop,
  }
}

type Journal = { readonly requests: readonly MockRequest[]; readonly total: number; readonly dropped: number }
