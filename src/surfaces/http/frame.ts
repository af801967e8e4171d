import { Elysia } from "elysia"
import type { Server } from "elysia/universal"
import { Fault } from "../../call/fault.ts"
import type { Guests } from "../../call/guests.ts"
import type { Pipeline } from "../../call/pipeline.ts"
import type { PreparedApi } from "../../call/prepared-api.ts"
import { tooManyUnsent } from "../../call/unsent.ts"
import type { Observer } from "../../observe/observer.ts"
import type { SpanStart, Tracer } from "../../ports/tracer.ts"
import { addressMatches, isWithin, type Network, parseAddress } from "../../values/ip.ts"
import type { CallsInProgress, Closing } from "./calls.ts"
import { createIntake } from "./read/intake.ts"
import { httpLimits } from "./read/limits.ts"
import { createPreparedHeaders, fixedHeaders } from "./reply/headers.ts"
import {
  type AnswerSettings,
  hasTwoKeys,
  type IncomingApp,
  type IncomingRequest,
  incomingRequests,
  type OnIncoming,
  pathOf,
  type RequestIds,
  sentKey,
} from "./request.ts"

/** The parts that every Elysia app of the service calls. */
export interface FrameParts {
  readonly apis: readonly PreparedApi[]
  readonly pipeline: Pipeline
  readonly observer: Observer
  readonly requestIdFor: RequestIds
  /** Null or absent when no traces are recorded. */
  readonly tracer?: Tracer | null
  /** Null or absent when calls without a key are refused. */
  readonly guests?: Guests | null
}

/** The settings that every Elysia app of the service needs. */
export interface FrameOptions {
  readonly closing: Closing
  /** Calls in progress at once; more are refused. */
  readonly maxCalls: number
  /** Null when it is served without TLS. */
  readonly tls: object | null
  readonly trustedProxies: readonly Network[]
  /** The address that clients use; null when it is not configured. */
  readonly publicUrl: string | null
  readonly maxBodyBytes: number
  /** Time in which a body must have arrived; shorter than a connection may idle. */
  readonly bodyTimeoutMs: number
  /** Tells browsers to use only TLS, closes idle connections, keeps answers of `/ready` and `/metrics`. A mock does not. */
  readonly strict: boolean
}

/** A year (RFC 6797 §6.1.1), without subdomains. */
const strictTransport = { "strict-transport-security": "max-age=31536000" }

/**
 * The start of every Elysia app of the service: the plug-in that receives a request, and the context that its features share.
 * @param server returns the listening server; null before it listens
 * @param onIncoming is called before the cross-origin plugin answers preflights. It may throw, or answer the request itself
 */
export function createFrame(
  { apis, pipeline, requestIdFor, observer, tracer = null, guests = null }: FrameParts,
  options: FrameOptions,
  calls: CallsInProgress,
  server: () => Server | null,
  onIncoming: OnIncoming = () => undefined,
) {
  const { closing, trustedProxies, publicUrl } = options
  const trustsProxies = trustedProxies.length > 0
  const context = {
    ...{ apis, pipeline, observer, calls, closing, isSecure },
    intake: createIntake(options.maxBodyBytes, options.bodyTimeoutMs, pipeline.ports.timer, calls),
    /** Returns the listening server; null before it listens. */
    server: server as () => Pick<Server, "timeout"> | null,
    maxCalls: options.maxCalls,
    /**
     * Whether idle connections are closed and clients of the admin API slowed down. A test double, whose time stands, does
     * neither.
     */
    strict: options.strict,
    prepared: createPreparedHeaders(),
    /** The method of each path, for refusals: of the routes, and of the paths that features name below a wildcard. */
    methods: new Map<string, string>(),
    /** The rules for calls without a key; null when they are refused. */
    guests,
    /** Host and port of the address that clients use; null when it is not configured. */
    publicHost: publicUrl === null ? null : new URL(publicUrl).host,
  }

  function toIncoming(request: Request): IncomingRequest {
    const { headers } = request
    const key = sentKey(headers)
    const sentId = headers.get("x-request-id")
    const requestId = requestIdFor(sentId, key)
    let socket: string | null = null
    return {
      requestId,
      hasOwnId: requestId !== sentId,
      key,
      hasTwoKeys: hasTwoKeys(headers),
      address() {
        const own = socket ?? socketOf(request) ?? ""
        return trustsProxies ? clientAddress(own, headers.get("x-forwarded-for"), trustedProxies) : own
      },
      // The log needs the address anyway. To make the request's signal takes 5 % of a metered call.
      hasLeft() {
        const present = socketOf(request)
        socket = present ?? socket
        return present === null
      },
      startedMs: observer.nowMs(),
      trace: tracer && beginTrace(request, tracer),
    }
  }

  function beginTrace(request: Request, { begin }: Tracer) {
    return begin(request.headers.get("traceparent"), "server", () =>
      describeRequest(request, context.methods, isSecure(request)),
    )
  }

  /** The address of the connection; null when it has ended. */
  function socketOf(request: Request): string | null {
    return server()?.requestIP(request)?.address ?? null
  }

  /** Whether the client uses HTTPS: with this server, a trusted proxy, or at the address that the operator names. */
  function isSecure(request: Request): boolean {
    if (options.tls !== null) return true
    const { headers } = request
    if (publicUrl?.startsWith("https:") && headers.get("host") === context.publicHost) return true
    const [first = ""] = (headers.get("x-forwarded-proto") ?? "").split(",")
    if (first.trim().toLowerCase() !== "https" || trustedProxies.length === 0) return false
    return addressMatches(socketOf(request) ?? "", trustedProxies)
  }

  const base = incomingRequests(toIncoming, (exchange) => {
    if (closing.isBegun) {
      closing.requests++
      exchange.set.headers.connection = "close"
    }
    return onIncoming(exchange)
  })
  /**
   * Gives the requests that begin in one turn of the event loop a slice of time, beyond which they wait for the next turn. Bun
   * takes new connections, and begins their first requests, as long as there are any. Clients that connect anew after each answer
   * would keep all other connections waiting.
   */
  const begin = (request: Request) => {
    const pause = pipeline.scheduler.begin(() => socketOf(request) ?? "")
    return pause && context.intake.holdDuring(pause, request)
  }
  return {
    base,
    context,
    begin,
    headers: { ...fixedHeaders, ...(options.tls !== null && options.strict && strictTransport) },
  }
}

/** The methods of RFC 9110 and RFC 5789. A span names no others, since clients can make up any number of them. */
const methodNames = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE"])

/**
 * The name and first attributes of a request's span, by the HTTP conventions of OpenTelemetry.
 * @param paths paths without parameters. Others are left out: people paste keys into the wrong places
 */
function describeRequest(
  request: Request,
  paths: Pick<ReadonlyMap<string, unknown>, "has">,
  isSecure: boolean,
): SpanStart {
  const path = pathOf(request.url)
  const method = methodNames.has(request.method) ? request.method : "_OTHER"
  const name = method === "_OTHER" ? "HTTP" : method
  const isKnown = paths.has(path)
  return {
    name: isKnown ? `${name} ${path}` : name,
    attributes: {
      "http.request.method": method,
      "url.scheme": isSecure ? "https" : "http",
      ...(isKnown && { "http.route": path, "url.path": path }),
    },
  }
}

/** The parts that the features of the HTTP app share. */
export type HttpContext = ReturnType<typeof createFrame>["context"]

/**
 * Why a new call is refused; null when there is room for it. A request that waits for its client to send more does not count,
 * or slow clients could fill the service. One whose answer is not read yet does count.
 */
export function overloadOf({ calls, maxCalls, pipeline }: HttpContext): Fault | null {
  if (calls.count - calls.awaited > maxCalls) return tooManyCalls
  return pipeline.unsent.isFull() ? tooManyUnsent : null
}

/** @throws Fault if there is no room for a new call */
export function requireRoom(context: HttpContext): void {
  const overload = overloadOf(context)
  if (overload) throw overload
}

/** The refusal of one call too many (RFC 9110 §15.6.4). It uses no key, body or store, so that refusing costs little. */
export const tooManyCalls = new Fault(
  "overloaded",
  "The service is at its limit of calls under way. Nothing was charged; try again.",
  { retryAfterSeconds: 1 },
)

/** The refusal of metrics without their token. */
export const metricsTokenNeeded =
  "The metrics need the token of --metrics-token: send it as 'Authorization: Bearer TOKEN'."

/** An Elysia instance for a feature that needs no key. It records each answer. */
export function unkeyedFeature(name: string, base: IncomingApp, { observer }: HttpContext) {
  const record = observer.recorderFor("none", "unkeyed")
  return new Elysia({ name }).use(base).onAfterHandle(({ set, incoming }) => {
    record(incoming, { status: Number(set.status ?? 200) })
  })
}

/** Counts a call as in progress while `work` runs. */
export async function inProgress<T>({ calls }: HttpContext, work: () => Promise<T>): Promise<T> {
  calls.begin()
  try {
    return await work()
  } finally {
    calls.end()
  }
}

/** Leaves the rest of a body. If it is too long, or the server stops, the connection is closed after the answer. */
export async function leaveRequestBody(
  request: Request,
  set: AnswerSettings,
  context: HttpContext,
): Promise<void> {
  const { isBegun } = context.closing
  if (!(await context.intake.leave(request, isBegun)) || isBegun) set.headers.connection = "close"
}

/** Keeps the connection open for work that may take longer than an idle connection is kept. */
export async function keepConnectionOpen<T>(request: Request, context: HttpContext, work: () => Promise<T>) {
  const server = context.strict ? context.server() : null
  server?.timeout(request, httpLimits.longWorkSeconds)
  try {
    return await work()
  } finally {
    server?.timeout(request, httpLimits.idleSeconds)
  }
}

/**
 * The socket's address or, if that is a trusted proxy, the right-most address of `X-Forwarded-For` that is not one. Addresses
 * further left were written by the client itself. `unknown` (RFC 7239 §6.2) stands for other text, which may be a key and would
 * be logged.
 */
export function clientAddress(socket: string, forwardedFor: string | null, trusted: readonly Network[]) {
  if (forwardedFor === null || trusted.length === 0 || !addressMatches(socket, trusted)) return socket
  let client = socket
  for (const hop of forwardedFor.split(",").reverse()) {
    const address = parseAddress(withoutPort(hop.trim()))
    if (address === null) return "unknown"
    client = String(address)
    if (!trusted.some((network) => isWithin(address, network))) break
  }
  return client
}

/** Some proxies write `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(hop)
  if (bracketed) return bracketed[1] ?? hop
  return /^[\d.]+:\d+$/.test(hop) ? hop.slice(0, hop.indexOf(":")) : hop
}
