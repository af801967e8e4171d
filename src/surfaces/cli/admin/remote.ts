import { type Static, Type } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import { createParser, type EventSourceMessage } from "eventsource-parser"
import type { Operation } from "../../../admin/operation.ts"
import { ConfigError } from "../../../config/setting-name.ts"
import { HttpFailure, type HttpReply, textOf } from "../../../ports/http-client.ts"
import { isLoopback } from "../../../values/ip.ts"
import { parseJson } from "../../../values/is-object.ts"
import { adminRoot } from "../../http/admin/operation-routes.ts"
import type { CliParts } from "../parts.ts"
import { type RemoteBackend, ServerFailed, type Values, type Watched } from "./backend.ts"
import { requireValues } from "./present.ts"

/** The most attempts of a request, and the time of each. */
const maxAttempts = 4
const limitMs = 30_000
/** The time of an operation that may take long. */
const longLimitMs = 300_000
/** The service sends a comment every 15 s if there are no events. */
const silentMs = 60_000
/** The pauses before a request is sent again. A service that restarts needs about a second. */
const pausesMs = [200, 1_000, 3_000]
/** A longer wait is left to the user. */
const maxWaitSeconds = 60

/**
 * Carries out operations over HTTP. When the connection breaks, the request is sent again with the same Idempotency-Key, so that
 * a change is made once.
 * @throws ConfigError when the URL or the key cannot be used
 */
export function createRemoteBackend(server: string, adminKey: string | null, parts: CliParts): RemoteBackend {
  const base = requireServer(server)
  const key = requireAdminKey(adminKey)
  warnOfPlainHttp(base, parts)
  const { httpClient, random, timer, version } = parts
  const pause = (ms: number) => new Promise<void>((resolve) => timer.after(ms, resolve))

  const ownHeaders = { authorization: `Bearer ${key}`, "user-agent": `penknife/${version}` }

  async function send(operation: Operation, input: Values, idempotencyKey = random.bytes(16).toHex()) {
    const { url, body } = toRequest(base, operation, input)
    const isChange = operation.run.kind === "change" || operation.run.kind === "bulk"
    const headers = {
      accept: "application/json",
      ...ownHeaders,
      ...(body !== null && { "content-type": "application/json" }),
      ...(isChange && { "idempotency-key": idempotencyKey }),
    }
    for (let attempt = 1; ; attempt++) {
      try {
        const reply = await httpClient.send({
          method: operation.method,
          url,
          headers,
          body,
          limitMs: operation.isLong ? longLimitMs : limitMs,
        })
        const waitMs = waitBefore(reply, attempt)
        if (waitMs === null || attempt >= maxAttempts) return reply
        await pause(waitMs)
      } catch (thrown) {
        if (!(thrown instanceof HttpFailure)) throw thrown
        // For a change the user must know whether it was made.
        const canHelp = thrown.kind === "broken" || (thrown.kind === "timeout" && isChange)
        if (!canHelp || attempt >= maxAttempts) throw failed(thrown, base, isChange)
        await pause(pausesMs[attempt - 1] ?? 0)
      }
    }
  }

  return {
    async run(operation, input, idempotencyKey) {
      const reply = await send(operation, input, idempotencyKey)
      if (reply.status >= 200 && reply.status < 300) return readAnswer(operation, reply, base)
      throw refusal(reply, base)
    },
    async *watch(operation, input, stop) {
      const { method } = operation
      const { url, body } = toRequest(base, operation, input)
      const headers = { accept: "text/event-stream", ...ownHeaders }
      try {
        const request = { method, url, headers, body, limitMs: silentMs }
        const { status, pieces } = await httpClient.open(request, stop)
        if (status !== 200) throw refusal({ status, text: await textOf(pieces) }, base)
        yield* readWatched(pieces, base)
      } catch (thrown) {
        if (stop.aborted) return
        throw thrown instanceof HttpFailure ? watchFailed(thrown, base) : thrown
      }
      if (!stop.aborted) throw new ServerFailed(`${base} ended the connection. Start the command again.`)
    },
    async open(operation, input) {
      const { method } = operation
      const { url, body } = toRequest(base, operation, input)
      const stop = new AbortController()
      try {
        const request = { method, url, headers: ownHeaders, body, limitMs: silentMs }
        const { status, pieces } = await httpClient.open(request, stop.signal)
        if (status !== 200) throw refusal({ status, text: await textOf(pieces) }, base)
        return { chunks: pieces, close: async () => stop.abort() }
      } catch (thrown) {
        throw thrown instanceof HttpFailure ? failed(thrown, base, false) : thrown
      }
    },
    async close() {},
  }
}

async function* readWatched(pieces: AsyncIterable<Uint8Array>, base: string): AsyncGenerator<Watched> {
  const decoder = new TextDecoder()
  const events: EventSourceMessage[] = []
  const parser = createParser({ onEvent: (event) => events.push(event) })
  for await (const piece of pieces) {
    parser.feed(decoder.decode(piece, { stream: true }))
    for (const { event = "message", data } of events.splice(0)) {
      const value = readJson(data, base)
      if (event === "message") yield { event: value }
      else if (event === "lost") yield { lost: Number(requireValues(value).count) }
      else if (event === "end") {
        throw new ServerFailed(endTexts[String(requireValues(value).reason)] ?? endTexts.closing)
      }
    }
  }
}

/** Why the service ended a watch. */
const endTexts: Readonly<Record<string, string>> & { readonly closing: string } = {
  closing: "The service stops. Start the command again when it runs.",
  "not-allowed": "The admin key no longer works, or lost the permission that this needs.",
}

function watchFailed(failure: HttpFailure, base: string): ServerFailed {
  if (failure.kind === "broken")
    return new ServerFailed(`The connection to ${base} broke. Start the command again.`)
  if (failure.kind === "timeout")
    return new ServerFailed(`Nothing came from ${base} for ${silentMs / 1_000} s. Start the command again.`)
  return failed(failure, base, false)
}

function requireServer(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol))
    throw new ConfigError(`--server must be a URL such as https://penknife.example.com, not '${text}'.`)
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new ConfigError("--server must be a URL without a user name, password, query or fragment.")
  return url.href.replace(/\/$/, "")
}

/** Over plain HTTP others on the network can read the key, except on this machine. */
function warnOfPlainHttp(base: string, { terminal }: CliParts): void {
  const { protocol, hostname } = new URL(base)
  if (protocol !== "http:" || isLoopback(hostname.replace(/^\[(.*)\]$/, "$1"))) return
  terminal.err(
    `penknife: warning: the admin key goes to ${hostname} over plain HTTP, so others on the way can read it. Use https://.\n`,
  )
}

function requireAdminKey(key: string | null): string {
  if (key === null)
    throw new ConfigError(
      "--server needs an admin key: set PENKNIFE_ADMIN_KEY. 'penknife admin-key create' makes one where the store is.",
    )
  // Another character would end the header.
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw new ConfigError("The admin key has characters that no key has. An admin key begins with pka-.")
}

/** How long to wait before a request is sent again after this answer; null when the answer counts. */
function waitBefore({ status, headers, text }: HttpReply, attempt: number): number | null {
  // The request in progress can only be the first attempt of this one.
  if (status === 409 && attempt > 1 && problemOf(text)?.type?.endsWith("in-progress")) return 1_000
  const seconds = Number(headers.get("retry-after") ?? Number.NaN)
  return (status === 429 || status === 503) && seconds <= maxWaitSeconds ? seconds * 1_000 : null
}

function readAnswer({ format }: Operation, { text }: HttpReply, base: string): unknown {
  if (format !== "json-lines") return readJson(text, base)
  const lines = text.split("\n").filter(Boolean)
  return { data: lines.map((line) => readJson(line, base)), has_more: false, next: null }
}

function readJson(text: string, base: string): unknown {
  const value = parseJson(text)
  if (value !== undefined) return value
  throw new ServerFailed(`${base} answered with something else than JSON. Check --server.`)
}

/** The service's message, the same as when the command runs on a store. */
function refusal({ status, text }: Pick<HttpReply, "status" | "text">, base: string): Error {
  const { detail, mistakes, parameter = null } = problemOf(text) ?? {}
  if (detail !== undefined) return new ServerFailed(detail, mistakes, status === 400 ? parameter : null)
  return new ServerFailed(
    `${base} answered with status ${status}, not as the admin API does. Check --server, and that the service is not ` +
      "started with --admin off or another address.",
  )
}

const text = Type.String()
const mistake = { index: Type.Integer(), detail: text, parameter: Type.Union([text, Type.Null()]) }
const problemSchema = Type.Partial(
  Type.Object({ type: text, detail: text, parameter: text, mistakes: Type.Array(Type.Object(mistake)) }),
)

/** A problem of RFC 9457; null for any other text. */
function problemOf(text: string): Static<typeof problemSchema> | null {
  const problem = parseJson(text)
  return Value.Check(problemSchema, problem) ? problem : null
}

function failed({ kind, message }: HttpFailure, base: string, isChange: boolean): ServerFailed {
  const advice = isChange
    ? "Check first whether the change was made."
    : "Check --server, the service, and the network between."
  const texts: Readonly<Record<typeof kind, string>> = {
    refused: `Nothing listens at ${base}. Check --server, and that the service runs.`,
    "unknown-host": `The host of ${base} has no address. Check --server.`,
    untrusted:
      `The certificate of ${base} is not trusted: ${message}. If it is from your own authority, name the file with its ` +
      "certificate in NODE_EXTRA_CA_CERTS.",
    "not-tls": `${base} does not speak TLS. If it serves plain HTTP, write http:// in --server.`,
    broken: `The connection to ${base} broke ${maxAttempts} times. ${advice}`,
    timeout: `${base} did not answer in time. ${advice}`,
  }
  return new ServerFailed(texts[kind])
}

/** Parameters in a path. */
const names = /\{(\w+)\}/g

/** The URL and body of an operation's HTTP request: path, query string of a GET, JSON body of other methods. */
function toRequest(base: string, { method, path, otherPaths = [] }: Operation, input: Values) {
  const rest = new Map(Object.entries(input))
  const fitting = [path, ...otherPaths].find((one) =>
    [...one.matchAll(names)].every(([, name = ""]) => rest.has(name)),
  )
  const filled = (fitting ?? path).replace(names, (_, name: string) => {
    const value = String(rest.get(name))
    rest.delete(name)
    return encodeURIComponent(value)
  })
  const url = `${base}${adminRoot}${filled}`
  if (method !== "GET") return { url, body: JSON.stringify(Object.fromEntries(rest)) }
  const query = new URLSearchParams()
  for (const [name, value] of rest) {
    for (const item of [value].flat()) query.append(name, String(item))
  }
  return { url: query.size > 0 ? `${url}?${query}` : url, body: null }
}
