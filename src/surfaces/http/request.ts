import { type Context, Elysia } from "elysia"
import { closest, distance } from "fastest-levenshtein"
import type { Random } from "../../apis/contract.ts"
import type { CallerRequest } from "../../call/caller.ts"
import { Fault } from "../../call/fault.ts"
import type { RequestStart } from "../../observe/request-log.ts"

/** A request as it arrived, for the pipeline and for the record. */
export interface IncomingRequest extends CallerRequest, RequestStart {}

/** The status and headers of the answer, which Elysia sends with what a handler returns. */
export type AnswerSettings = Pick<Context["set"], "headers" | "status">

/** The part of Elysia's context that a handler takes. */
export interface Exchange {
  readonly request: Request
  readonly set: AnswerSettings
  readonly incoming: IncomingRequest
}

/** The start of an Elysia instance whose handlers have `incoming`. */
export type IncomingApp = ReturnType<typeof incomingRequests>

/**
 * Adds `incoming` to Elysia's context, before anything else looks at a request, so that preflights and refusals have an id too.
 * @param onIncoming is called before the cross-origin plugin answers preflights. It may throw, or answer the request itself
 */
export function incomingRequests(
  toIncoming: (request: Request) => IncomingRequest,
  onIncoming: OnIncoming = () => {},
) {
  return new Elysia({ name: "incoming-requests" }).decorate("incoming", notYet).onRequest((context) => {
    const { request } = context
    const set: AnswerSettings = context.set
    const incoming = toIncoming(request)
    context.incoming = incoming
    set.headers["x-request-id"] = incoming.requestId
    requireHost(request)
    requireOneOfEach(request)
    // Not the context itself: Elysia would then prepare all of it, which costs a fifth of a metered call.
    return onIncoming({ request, set, incoming })
  })
}

/** Looks at a request before a route is found. A value that it returns is the answer. */
export type OnIncoming = (exchange: Exchange) => Promise<Response> | Response | undefined

/** Stands in the context until the request is read, so that all contexts have one shape. */
const notYet: IncomingRequest = {
  requestId: "",
  hasOwnId: false,
  key: null,
  address: () => "",
  hasTwoKeys: false,
  hasLeft: () => false,
  startedMs: 0,
  trace: null,
}

const wellFormed = /^[A-Za-z0-9._-]{1,128}$/

/** Returns the id of a request, given its `X-Request-ID` and its key. */
export type RequestIds = (sentId: string | null, sentKey: string | null) => string

/**
 * Takes a well-formed incoming `X-Request-ID`, and makes an id otherwise: a random prefix of the process and a count. An id that
 * holds a key, or is the one that the request sends, is not taken, since ids are logged and sent back.
 * @param holdsKey whether a text contains a key, or what may be one
 */
export function createRequestIds(random: Random, holdsKey: (text: string) => boolean): RequestIds {
  const prefix = Buffer.from(random.bytes(9)).toString("base64url")
  let count = 0
  return (sentId, sentKey) => {
    if (sentId !== null && wellFormed.test(sentId) && sentId !== sentKey && !holdsKey(sentId)) return sentId
    count++
    return `${prefix}.${count.toString(36)}`
  }
}

/** After a comma comes something else than a parameter, of which `Digest` has several (RFC 9110 §11.4). */
const secondCredentials = /,(?!\s*[\w-]+\s*=)/
/** A quotation without an end is read once too: after it there is no other one. */
const quoted = /"(?:[^"\\]|\\.)*("|\\?$)/g
const withoutQuoted = (text: string) => text.replace(quoted, (found, end) => (end === '"' ? "" : found))

const withoutComma = ["X-Request-ID", "X-Api-Key", "X-Admin-Key"]

/** @throws Fault for a request with two ids or credentials, which come as `a, b`: nobody must choose one (RFC 9110 §5.3) */
export function requireOneOfEach({ headers }: Request): void {
  for (const name of withoutComma)
    if (headers.get(name)?.includes(","))
      throw new Fault("inputRejected", `The request header '${name}' must be sent once, without a comma.`)
  const authorization = headers.get("authorization")
  if (authorization?.includes(",") && secondCredentials.test(withoutQuoted(authorization)))
    throw new Fault("inputRejected", "The request header 'Authorization' must be sent once.")
}

/** A name, an IPv4 address or an IPv6 address in brackets, and a port (RFC 9110 §7.2). Nobody uses other forms of RFC 3986. */
const form = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d*)?$/i

/** The last valid host. Nearly all requests have the same one, and comparing it saves 0.4 µs, 3 % of a metered call. */
let lastValid = ""

/**
 * Whether a `Host` header is one valid host. Bun takes two headers, which come as `a, b`, and invalid ones; proxies and caches
 * could then take another host than the service (RFC 9112 §3.2). Null is a request of HTTP/1.0: in HTTP/1.1 Bun requires the
 * header.
 */
export function isValidHost(host: string | null): boolean {
  if (host === null || host === lastValid) return true
  if (!form.test(host) || !URL.canParse(`http://${host}`)) return false
  lastValid = host
  return true
}

/** @throws Fault for a request without one valid `Host`, which has to be a 400 (RFC 9112 §3.2) */
function requireHost({ headers }: Request): void {
  if (isValidHost(headers.get("host"))) return
  throw new Fault(
    "inputRejected",
    "The request header 'Host' must be sent once, with one host name or IP address and at most a port.",
  )
}

/** The API key of a request: `x-api-key`, or `Authorization: Bearer KEY` (RFC 6750 §2.1). Null without a key. */
export function sentKey(headers: Headers): string | null {
  return headers.get("x-api-key") || bearerToken(headers.get("authorization"))
}

/** Whether a request names another key in `Authorization` than in `x-api-key`, so that it is not clear who calls. */
export function hasTwoKeys(headers: Headers): boolean {
  const authorization = headers.get("authorization")
  if (authorization === null) return false
  const token = bearerToken(authorization)
  return token !== null && token !== sentKey(headers)
}

/** The scheme's name is case-insensitive (RFC 9110 §11.1). */
export function bearerToken(authorization: string | null): string | null {
  return (authorization && /^bearer +([^ ]+) *$/i.exec(authorization)?.[1]) || null
}

/** Where Elysia starts to look for the path in a URL. A shorter host would make it miss the first slash. */
const pathSearchStart = 11

/**
 * Makes an app that listens. Before anything is done for a request, `begin` may return a promise to wait for. The app puts into
 * each request a URL in which Elysia and graphql-yoga find the path. Without it they miss the path of a short host such as
 * `https://a/`, and of a request of HTTP/1.0 without a host, whose URL is the path alone in Bun (oven-sh/bun#33721).
 */
export function createListeningApp(begin: (request: Request) => Promise<void> | undefined = () => undefined) {
  // Elysia finds the routes: Bun cannot replace those of an app that it was given, and would get each of them twice.
  const app = new Elysia({ systemRouter: false })
  return app.wrap((handle, request) => {
    const url = toReadableUrl(request.url)
    // A property and not a new Request: Bun knows the connection of the original one only.
    if (url !== request.url) Object.defineProperty(request, "url", { value: url })
    const pause = begin(request)
    return pause ? (later: Request) => pause.then(() => handle(later)) : handle
  })
}

function toReadableUrl(url: string): string {
  if (url.startsWith("/")) return `http://localhost${url}`
  const start = pathStart(url)
  return start < pathSearchStart ? `http://localhost${url.slice(start)}` : url
}

/** The path of an absolute URL, as it was sent. By text: `new URL` would resolve `..` and escape characters. */
export function pathOf(url: string): string {
  const start = pathStart(url)
  const end = url.indexOf("?", start)
  return url.slice(start, end === -1 ? url.length : end)
}

/** The path and query of an absolute URL, as they were sent. */
export function pathAndQueryOf(url: string): string {
  return url.slice(pathStart(url))
}

/** The place of the path in an absolute URL, after a host of one character at least. */
function pathStart(url: string): number {
  return url.indexOf("/", "http://".length + 1)
}

/** A known path, called with another method. */
export class MethodNotAllowed extends Fault {
  /** The methods that the path takes, for the `Allow` header (RFC 9110 §10.2.1). */
  readonly allow: string

  constructor(method: string, allow: string) {
    super("methodNotAllowed", `This path takes ${allow}, not ${method}.`)
    this.allow = allow
  }
}

/** The routes of an Elysia app. */
type Routes = readonly { readonly method: string; readonly path: string }[]

/** Adds each route's method before those in `methods`. A route of all methods takes POST and refuses the others itself. */
export function addRoutes(methods: Map<string, string>, routes: Routes): void {
  const belowWildcards = [...methods]
  methods.clear()
  for (const { method, path } of routes) {
    if (!path.includes("*") && method !== "OPTIONS") methods.set(path, method === "ALL" ? "POST" : method)
  }
  for (const [path, method] of belowWildcards) methods.set(path, method)
}

/** The methods that routes take at a path, for `Allow`; empty for an unknown path. */
export function methodsAt(path: string, routes: Routes): readonly string[] {
  const takesPath = (route: string) => new RegExp(`^${route.replaceAll(/:\w+/g, "[^/]+")}$`).test(path)
  const methods = routes.filter((route) => takesPath(route.path)).map(({ method }) => method)
  return [...new Set(methods)].filter((method) => method !== "HEAD" && method !== "OPTIONS")
}

/**
 * The fault for a request that no route takes.
 * @param allow the methods that the path takes, for the `Allow` header; empty for an unknown path
 * @param advise says where to look for the right path
 */
export function refusalOfPath(method: string, allow: string, advise: () => string): Fault {
  if (allow !== "" && allow !== method) return new MethodNotAllowed(method, allow)
  // The path is not repeated: people paste keys into the wrong places.
  return new Fault("notFound", `No such path. ${advise()}`)
}

/** The same for an app of which `methods` has the method of each known path. */
export function noRoute({ url, method }: Request, methods: ReadonlyMap<string, string>): Fault {
  // Elysia takes a path with a slash at its end for the same path.
  const path = pathOf(url).replace(/(?<=.)\/$/, "")
  return refusalOfPath(method, methods.get(path) ?? "", () => {
    const near = nearest(path.toLowerCase(), [...methods.keys()])
    return `${near === null ? "" : `Did you mean ${near}? `}See /docs.`
  })
}

/** A longer path costs time and resembles none. */
const maxCompared = 200
/** How many letters a path must share at its start before the rest of it may be anything. */
const minShared = 3

/** The known path that a path most likely stands for; null when it resembles none. */
function nearest(path: string, known: readonly string[]): string | null {
  if (path === "/" || path.length > maxCompared) return null
  const whole = known.find((other) => other !== "/" && (other.endsWith(path) || path.endsWith(other)))
  if (whole !== undefined) return whole
  const shared = known.map((other) => sharedStart(path, other))
  const longest = Math.max(...shared)
  const isBeginning = longest >= minShared
  const candidates = isBeginning ? known.filter((_, index) => shared[index] === longest) : known
  const near = closest(path, candidates)
  return isBeginning || distance(path, near) <= 0.4 * near.length ? near : null
}

/** How many letters two paths share at their start, without the version that all APIs have. */
function sharedStart(path: string, other: string): number {
  const start = other.startsWith("/v1/") && path.startsWith("/v1/") ? "/v1/".length : 1
  let end = start
  while (end < other.length && path[end] === other[end]) end++
  return path.startsWith(other.slice(0, start)) ? end - start : 0
}
