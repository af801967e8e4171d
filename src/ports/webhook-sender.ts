import type { LookupFunction } from "node:net"
import type { Timer } from "../apis/contract.ts"
import { hostOf } from "../values/ip.ts"
import { checkAddresses, type HostAddress, limitReceived } from "./checked-addresses.ts"

/** One POST to a URL that a customer has chosen. */
export interface WebhookRequest {
  /** `http:` or `https:`. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Whether an IP address may be connected to. Asked for every address of the host. */
  allows(address: string): boolean
}

/** The answer of a webhook, or why there is none. */
export type WebhookResponse =
  | { readonly status: number /** The header as it came. */; readonly retryAfter: string | null }
  /**
   * No answer: a few words on why, for operators. `retryMs` is the wait before the next attempt, or null for none, if the usual
   * wait is not meant.
   */
  | { readonly error: string; readonly retryMs?: number | null }

/**
 * Outbound HTTP for webhooks.
 * @example
 * const sender = createWebhookSender({ timer: systemTimer })
 * await sender.send({ url: "https://example.com/hook", headers: {}, body: "{}", allows: () => true })
 */
export interface WebhookSender {
  /** Sends one request. Never throws, and ends within the time limit. */
  send(request: WebhookRequest): Promise<WebhookResponse>
}

export interface WebhookSenderOptions {
  readonly timer: Timer
  /** All addresses of a host; by default the system's resolver, hosts file included. */
  readonly resolve?: (host: string) => Promise<readonly HostAddress[]>
  /** PEM certificates to trust instead of the system's. */
  readonly ca?: string
  /** Ends all requests in progress when it is aborted. */
  readonly ended?: AbortSignal
}

/** Time for one whole request. */
export const webhookLimitMs = 10_000

/** How much of an answer is read, and ignored but for its head, before the connection is closed. */
const maxAnswerBytes = 65_536

/**
 * Resolves a host once, checks every address, and connects to the checked ones: a second look-up could give other addresses
 * (DNS rebinding). Follows no redirects and uses no proxies, since neither would be checked.
 */
export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { timer, resolve = resolveHost, ca, ended } = options
  return {
    async send({ url, headers, body, allows }) {
      const limit = new AbortController()
      using _ = { [Symbol.dispose]: timer.after(webhookLimitMs, () => limit.abort()) }
      const signal = ended ? AbortSignal.any([limit.signal, ended]) : limit.signal
      try {
        const target = new URL(url)
        const addresses = await abortable(resolve(hostOf(target)), signal)
        const checked = checkAddresses(addresses, allows)
        if (checked.kind === "none") return { error: "the host has no address" }
        if (checked.kind === "refused")
          return { error: `${checked.address} is not an address that may be called` }
        const { lookup } = checked
        return await post(target, { headers, body, lookup, signal, ...(ca !== undefined && { ca }) })
      } catch (cause) {
        return { error: signal.aborted ? `no answer within ${webhookLimitMs / 1_000} s` : describe(cause) }
      }
    },
  }
}

/** Keeps no thread while it waits: the runtime has few, and hosts of two customers whose DNS is silent would keep all of them. */
const resolveHost = (host: string) => Bun.dns.lookup(host, { backend: "c-ares" })

interface Post extends Pick<WebhookRequest, "headers" | "body">, Pick<WebhookSenderOptions, "ca"> {
  readonly lookup: LookupFunction
  readonly signal: AbortSignal
}

async function post(target: URL, { headers, body, lookup, signal, ca }: Post): Promise<WebhookResponse> {
  // Loaded with the first request: Node's HTTP would take a tenth of each start.
  const http = target.protocol === "https:" ? await import("node:https") : await import("node:http")
  const { promise, resolve, reject } = Promise.withResolvers<WebhookResponse>()
  const request = http.request(target, {
    method: "POST",
    // A kept connection may have been made under another check.
    agent: false,
    lookup,
    signal,
    headers: { ...headers, "content-length": Buffer.byteLength(body) },
    ...(ca !== undefined && { ca }),
  })
  let answer: WebhookResponse | null = null
  /** Once there is a status, it is the answer, however the body or the connection ends. */
  const finish = (cause: Error) => {
    if (answer) resolve(answer)
    else reject(cause)
  }
  request.on("response", (response) => {
    answer = { status: response.statusCode ?? 0, retryAfter: response.headers["retry-after"] ?? null }
    for (const end of ["end", "error", "close"]) response.on(end, () => finish(closedEarly))
    response.resume()
  })
  limitReceived(request, maxAnswerBytes, () => finish(new Error("the answer is too long")))
  request.on("error", finish)
  request.on("close", () => finish(closedEarly))
  request.end(body)
  return promise
}

const closedEarly = new Error("the connection was closed without an answer")

/** Look-ups cannot be cancelled, so the answer of a late one is ignored. */
function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason))
  })
  return Promise.race([work, aborted])
}

/** The code and message of an error, or of the first of several; no stack. */
function describe(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) return describe(cause.errors[0])
  if (!(cause instanceof Error)) return String(cause)
  const code = "code" in cause ? String(cause.code) : ""
  return [code, cause.message]
    .filter((part, index, all) => part && !all[index + 1]?.includes(part))
    .join(": ")
}
