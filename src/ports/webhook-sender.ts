import { lookup } from "node:dns/promises"
import { type IncomingMessage, request as requestHttp } from "node:http"
import { request as requestHttps } from "node:https"
import type { LookupFunction } from "node:net"

/** One POST to an address that somebody else has chosen. */
export interface WebhookRequest {
  /** `http:` or `https:`. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Whether an IP address may be connected to; asked for every address that the host has. */
  allows(address: string): boolean
}

export type WebhookResponse =
  | { readonly status: number /** The header as it came. */; readonly retryAfter: string | null }
  /** No answer: a few words on why, for operators. */
  | { readonly error: string }

/** Outbound HTTP for webhooks. */
export interface WebhookSender {
  /** Sends one request. Never throws, and ends within the limit, whatever the other side does. */
  send(request: WebhookRequest): Promise<WebhookResponse>
}

interface Address {
  readonly address: string
  readonly family: number
}

export interface WebhookSenderOptions {
  /** All addresses of a host; the system's resolver (hosts file included) unless given. */
  readonly resolve?: (host: string) => Promise<readonly Address[]>
  /** PEM certificates to trust instead of the system's. */
  readonly ca?: string
  /** Time for everything: resolving, connecting, sending, reading. */
  readonly limitMs?: number
}

/** Time for one request, from resolving to reading, unless it is given another. */
export const webhookLimitMs = 10_000

/** Octets of an answer that are read and thrown away, so that a polite receiver sees a polite end. */
const maxBodyBytes = 65_536

/**
 * The live sender. A host is resolved once, every address is checked, and the connection goes to the checked ones: a
 * second look-up could be answered differently (DNS rebinding). Redirects are not followed and proxies not used, since
 * both would lead past the check.
 */
export function createWebhookSender({
  resolve = (host) => lookup(host, { all: true }),
  ca,
  limitMs = webhookLimitMs,
}: WebhookSenderOptions = {}): WebhookSender {
  return {
    async send({ url, headers, body, allows }) {
      const limit = AbortSignal.timeout(limitMs)
      try {
        const target = new URL(url)
        const addresses = await abortable(resolve(hostOf(target)), limit)
        if (addresses.length === 0) return { error: "the host has no address" }
        const refused = addresses.find(({ address }) => !allows(address))
        if (refused) return { error: `${refused.address} is not an address that may be called` }
        return await post(target, { headers, body, addresses, limit, ...(ca !== undefined && { ca }) })
      } catch (cause) {
        return { error: limit.aborted ? `no answer within ${limitMs / 1_000} s` : describe(cause) }
      }
    },
  }
}

interface Post {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly addresses: readonly Address[]
  readonly limit: AbortSignal
  readonly ca?: string
}

function post(target: URL, { headers, body, addresses, limit, ca }: Post): Promise<WebhookResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<WebhookResponse>()
  const checked: LookupFunction = (_host, { all }, answer) => {
    const [first] = addresses
    if (all) answer(null, [...addresses])
    else if (first) answer(null, first.address, first.family)
  }
  const send = target.protocol === "https:" ? requestHttps : requestHttp
  const request = send(target, {
    method: "POST",
    // A connection of its own: one kept open may have been made under another check.
    agent: false,
    lookup: checked,
    headers: { ...headers, "content-length": Buffer.byteLength(body) },
    ...(ca !== undefined && { ca }),
  })
  let answer: WebhookResponse | null = null
  /** Once there is a status it is the answer; how the body or the connection ends changes nothing. */
  const finish = (cause: Error) => {
    limit.removeEventListener("abort", stop)
    if (answer) resolve(answer)
    else reject(cause)
  }
  const stop = () => request.destroy(new Error("the limit was reached"))
  limit.addEventListener("abort", stop)
  request.on("response", (response) => {
    const { statusCode = 0, headers: received } = response
    answer = { status: statusCode, retryAfter: received["retry-after"] ?? null }
    drain(response, () => finish(withoutAnswer))
  })
  request.on("error", finish)
  request.on("close", () => finish(withoutAnswer))
  request.end(body)
  if (limit.aborted) stop()
  return promise
}

const withoutAnswer = new Error("the connection was closed without an answer")

/** Reads a body to its end, its limit or its breaking off, then calls `done`. */
function drain(response: IncomingMessage, done: () => void): void {
  let bytes = 0
  response.on("data", (chunk: Uint8Array) => {
    bytes += chunk.byteLength
    if (bytes > maxBodyBytes) response.destroy()
  })
  for (const end of ["end", "error", "close"]) response.on(end, done)
}

/** Look-ups cannot be cancelled; one that is late is left to itself. */
function abortable<T>(work: Promise<T>, limit: AbortSignal): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    limit.addEventListener("abort", () => reject(limit.reason))
  })
  return Promise.race([work, late])
}

/** A URL's host without the brackets of an IPv6 literal. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1")
}

/** The code or message of an error, of several attempts the first; no stack. */
function describe(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) return describe(cause.errors[0])
  if (!(cause instanceof Error)) return String(cause)
  const code = "code" in cause ? String(cause.code) : ""
  return [code, cause.message]
    .filter((part, index, all) => part && !all[index + 1]?.includes(part))
    .join(": ")
}
