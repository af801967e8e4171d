import { cors } from "@elysiajs/cors"
import { Elysia } from "elysia"
import { LRUCache } from "lru-cache"
import { type ApiDefinition, type Deprecation, deprecationOf } from "../../../apis/contract.ts"
import type { UsageStatus } from "../../../call/charges.ts"
import { isGiven } from "../../../call/deprecated-use.ts"
import { type Fault, retryAfterOf } from "../../../call/fault.ts"
import type { RawInput } from "../../../call/input.ts"
import { type Reply, toReply } from "../../../call/pipeline.ts"
import { contentTypes, encodeEnvelope, encodeInPieces, type Format } from "../../../encode/formats.ts"
import type { RateState } from "../../../store/store.ts"
import { parseQuery } from "../read/query.ts"
import { type AnswerSettings, MethodNotAllowed } from "../request.ts"
import { type Body, type BodyParts, toBody, toResponse } from "./answer-body.ts"
import { negotiateFormat } from "./format.ts"
import { toProblem } from "./problem.ts"

/** Headers of every answer. A browser that guessed types could run a caller's own text as a script (Fetch §3.6). */
export const fixedHeaders = { "x-content-type-options": "nosniff" } as const

/** On the answer of a call that was charged before, under the same Idempotency-Key. */
export const replayedHeader = "idempotent-replayed"

/** The parts of a reply that the client sees. */
export type Answer = Pick<Reply, "status" | "envelope" | "usage" | "retryAfterSeconds"> & {
  readonly fault?: string | null
}

/** An answer of this surface itself, without a caller: data, or an error with its code. */
export function ownAnswer(
  status: number,
  content: { data: object } | { error: string; code: string },
): Answer {
  const own = { status, usage: null, retryAfterSeconds: retryAfterOf(status) }
  if ("data" in content) return { ...own, envelope: { status: "ok", error: null, data: { ...content.data } } }
  const { error, code } = content
  return { ...own, envelope: { status: "error", error, data: null }, fault: code }
}

/**
 * Sets status and headers for a reply, and returns the body.
 * @param asProblem whether an error is sent as problem details
 */
export function send(reply: Answer, format: Format, set: AnswerSettings, asProblem = false): string {
  setReply(reply, format, set)
  return asProblem && reply.fault ? sendProblem(reply, set) : encodeEnvelope(format, reply.envelope)
}

/** Problem details (RFC 9457). The type's end is the code of the fault, which does not change. */
function sendProblem({ status, envelope, fault }: Answer, { headers }: AnswerSettings): string {
  headers["content-type"] = "application/problem+json"
  const requestId = String(headers["x-request-id"])
  return JSON.stringify(toProblem({ status, fault: fault ?? "", detail: envelope.error ?? "", requestId }))
}

/** Sets status and headers for a reply. */
export function setReply(reply: Answer, format: Format, set: AnswerSettings): void {
  const { headers } = set
  set.status = reply.status
  headers["content-type"] = contentTypes[format]
  if (reply.usage)
    setUsage((name, value) => {
      headers[name] = value
    }, reply.usage)
  if (reply.fault) headers["x-error-code"] = reply.fault
  setAnswerHeaders(headers, reply)
}

/** Headers that successes of metered calls share, by format and plan. */
type PreparedHeaders = Readonly<Record<Format, LRUCache<string, Prepared>>>

interface Prepared {
  readonly allowance: number | null
  /** The end of the month that the headers name. An account with another one sets its own. */
  readonly endMs: number
  readonly headers: Headers
}

/** Creates an empty store of prepared headers, of about 1 kB each; those unused for longest are dropped. */
export function createPreparedHeaders(): PreparedHeaders {
  const ofPlans = () => new LRUCache<string, Prepared>({ maxSize: 1_000, sizeCalculation: () => 1 })
  return { json: ofPlans(), xml: ofPlans(), yaml: ofPlans(), csv: ofPlans() }
}

/**
 * {@link send} for successes of single calls. Returns a promise only for a large answer, which is written in steps. The headers
 * of a success rarely change, so they are converted once (decision 14).
 */
export function sendSuccess(
  reply: Reply,
  format: Format,
  set: AnswerSettings,
  parts: BodyParts & { readonly prepared: PreparedHeaders },
): string | Response | Promise<string | Response> {
  const { envelope, caller, usage } = reply
  const text = encodeInPieces(format, envelope)
  if (usage === null || !hasUsualHeaders(reply, set)) {
    setReply(reply, format, set)
    return after(toBody(text, caller, parts, envelope), toResponse)
  }
  return after(toBody(text, caller, parts, envelope), (body) =>
    respond(body, findPrepared(usage, format, set, parts.prepared), usage, set),
  )
}

function after<T>(body: Body | Promise<Body>, send: (body: Body) => T): T | Promise<T> {
  return body instanceof Promise ? body.then(send) : send(body)
}

function hasUsualHeaders({ status, isReplay }: Reply, { headers }: AnswerSettings): boolean {
  return status === 200 && headers.connection === undefined && headers.deprecation === undefined && !isReplay
}

/** Elysia passes a response on unchanged if it has no header to add to it. */
function respond(body: Body, shared: Prepared, usage: UsageStatus, set: AnswerSettings): Response {
  const response = new Response(body, { headers: shared.headers })
  const { headers } = response
  const setHeader: SetHeader = (name, value) => headers.set(name, value)
  setHeader("x-request-id", String(set.headers["x-request-id"]))
  setRate(setHeader, usage.rate)
  setCredits(setHeader, usage.balance)
  if (usage.balance.period.endMs !== shared.endMs) setRenewal(setHeader, usage.balance)
  set.headers = {}
  return response
}

function findPrepared(usage: UsageStatus, format: Format, set: AnswerSettings, prepared: PreparedHeaders) {
  const { plan, balance } = usage
  const { allowance, period } = balance
  const known = prepared[format].get(plan)
  if (known?.allowance === allowance) return known
  const made = { allowance, endMs: period.endMs, headers: prepare(usage, format, set) }
  prepared[format].set(plan, made)
  return made
}

/** Takes over the headers that Elysia and its plugins set, except for the request id. */
function prepare(usage: UsageStatus, format: Format, set: AnswerSettings): Headers {
  const { "x-request-id": _, ...own } = set.headers
  const headers = new Headers(own as Record<string, string>)
  for (const name of preflightHeaders) headers.delete(name)
  headers.set("content-type", contentTypes[format])
  headers.set("vary", "Accept")
  headers.set("cache-control", "no-store")
  setMonth((name, value) => headers.set(name, value), usage)
  return headers
}

/** Answers with a fault, in the format that the request asks for. */
export function sendFault(fault: Fault, request: Request, set: AnswerSettings): string {
  const { format, asProblem } = negotiateFormat(request, parseQuery(request.url))
  if (fault instanceof MethodNotAllowed) set.headers.allow = fault.allow
  return send(toReply(fault), format, set, asProblem)
}

/** Sets the headers of every answer of the pipeline, and takes back those of preflights. */
export function setAnswerHeaders(
  headers: AnswerSettings["headers"],
  { status, retryAfterSeconds, fault }: Pick<Answer, "status" | "retryAfterSeconds" | "fault">,
): void {
  for (const name of preflightHeaders) delete headers[name]
  // One address answers in several formats, and to one key only.
  headers.vary = "Accept"
  headers["cache-control"] = "no-store"
  // RFC 9110 §11.6.1: every 401 names the scheme that is taken.
  if (status === 401) headers["www-authenticate"] = "Bearer"
  if (retryAfterSeconds !== null) headers["retry-after"] = String(retryAfterSeconds)
  // The rest of the body may still arrive (RFC 9110 §15.5.9).
  if (fault === "bodyTooSlow" || fault === "bodyInPieces") headers.connection = "close"
}

type SetHeader = (name: string, value: string) => void

/** Headers of the per-minute limit: calls a minute, calls left now, whole seconds until all are back. */
export function setRate(set: SetHeader, rate: RateState | null): void {
  if (rate === null) return
  set("x-ratelimit-limit", String(rate.perMinute))
  set("x-ratelimit-remaining", String(rate.remaining))
  const fullInSeconds = Math.ceil(rate.fullInMs / 1_000)
  set("x-ratelimit-reset", String(fullInSeconds))
  // The same by draft-ietf-httpapi-ratelimit-headers-11: quota and window in seconds, then what is left and until when.
  set("ratelimit-policy", `"minute";q=${rate.perMinute};w=60`)
  set("ratelimit", `"minute";r=${rate.remaining};t=${fullInSeconds}`)
}

function setUsage(set: SetHeader, usage: UsageStatus): void {
  setRate(set, usage.rate)
  setCredits(set, usage.balance)
  setMonth(set, usage)
}

/** Sets the headers that every charge changes. */
function setCredits(set: SetHeader, { used, remaining }: UsageStatus["balance"]): void {
  set("x-api-credits-used", String(used))
  set("x-api-remaining-credits", remaining === null ? "unlimited" : String(remaining))
}

/** Sets the headers that stay until the month ends or the plan changes. */
function setMonth(set: SetHeader, { balance, plan }: UsageStatus): void {
  const { allowance } = balance
  set("x-api-max-credits", allowance === null ? "unlimited" : String(allowance))
  setRenewal(set, balance)
  set("x-api-current-plan", plan)
}

function setRenewal(set: SetHeader, { period }: UsageStatus["balance"]): void {
  set("x-api-renewal", String(Math.ceil(period.endMs / 1_000)))
}

/** Makes what names the deprecated items that a call used in headers of its answer. Null for an API without any. */
export function noticeOf({ id, deprecation, input }: ApiDefinition) {
  const marked = Object.entries(input.properties).flatMap(([name, schema]) => {
    const mark = deprecationOf(schema)
    return mark ? [[name, headersOf(id, mark, null)] as const] : []
  })
  if (!deprecation && marked.length === 0) return null
  const ofApi = deprecation ? headersOf(id, deprecation, deprecation.successor ?? null) : null
  return (given: RawInput, set: AnswerSettings): void => {
    const headers = ofApi ?? marked.find(([name]) => isGiven(given, name))?.[1]
    if (headers) Object.assign(set.headers, headers)
  }
}

/** `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and links to what replaces it (RFC 5829 §3.3). */
function headersOf(id: string, { since, sunset }: Deprecation, successor: string | null) {
  const links = [
    `</docs/${id}.md>; rel="deprecation"; type="text/markdown"`,
    ...(successor === null ? [] : [`</v1/${successor}>; rel="successor-version"`]),
  ]
  return {
    deprecation: `@${Date.parse(since) / 1_000}`,
    ...(sunset !== undefined && { sunset: new Date(sunset).toUTCString() }),
    link: links.join(", "),
  }
}

/** Headers of an answer that pages of other origins may read. */
export const exposedHeaders = [
  "x-request-id, x-error-code, retry-after, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset",
  "ratelimit-policy, ratelimit, deprecation, sunset, link, idempotent-replayed",
  "x-api-credits-used, x-api-remaining-credits, x-api-max-credits, x-api-renewal, x-api-current-plan",
].join(", ")

/**
 * Lets pages of every origin call the APIs and read the usage headers, but not send credentials (Fetch §3.2).
 * Preflights are answered 204 on every path, without a key, for a day. They allow all headers that they ask for, since no
 * credentials are involved. An answer's own `Vary` wins over the plugin's.
 */
export function crossOrigin(methods = "GET, POST, OPTIONS") {
  const plugin = cors({
    origin: "*",
    credentials: false,
    methods,
    // The plugin could repeat what a preflight asks for, but would then put headers on every other answer too.
    allowedHeaders: "*",
    exposeHeaders: exposedHeaders,
    maxAge: 86_400,
  })
  return new Elysia({ name: "cross-origin" })
    .onRequest(({ request, set }) => {
      const asked =
        request.method === "OPTIONS" ? request.headers.get("access-control-request-headers") : null
      if (asked !== null) set.headers["access-control-allow-headers"] = asked
    })
    .use(plugin)
}

/** The plugin sets these on every answer, but only those of a preflight are read (Fetch, CORS protocol). */
const preflightHeaders = ["access-control-allow-methods", "access-control-allow-headers"] as const

/** Takes back what the plugin allows, for answers that pages of other origins must not read. */
export function sameOriginOnly({ headers }: AnswerSettings): void {
  for (const name of pluginHeaders) delete headers[name]
}

const pluginHeaders = [
  ...preflightHeaders,
  "access-control-allow-origin",
  "access-control-expose-headers",
  "vary",
]
