import type { Server } from "elysia/universal"
import type { Random } from "../../apis/contract.ts"
import type { Guests } from "../../call/guests.ts"
import type { SpanStart, Tracer } from "../../ports/tracer.ts"
import { addressMatches, type Network } from "../../values/ip.ts"
import type { CallsInProgress } from "./calls.ts"
import { clientAddress } from "./client-address.ts"
import type { HttpContext } from "./context.ts"
import { createIntake } from "./read/intake.ts"
import { createPreparedHeaders, fixedHeaders } from "./reply/headers.ts"
import {
  createRequestIds,
  hasTwoKeys,
  type IncomingRequest,
  incomingRequests,
  type Opened,
  pathOf,
  sentKey,
} from "./request.ts"

/** The parts that every Elysia app of the service calls. */
export interface FrameParts extends Pick<HttpContext, "apis" | "pipeline" | "observer"> {
  readonly random: Random
  /** Null or absent when no traces are recorded. */
  readonly tracer?: Tracer | null
  /** Null or absent when calls without a key are refused. */
  readonly guests?: Guests | null
}

/** The settings that every Elysia app of the service needs. */
export interface FrameOptions extends Pick<HttpContext, "maxCalls" | "closing"> {
  /** Null when it is served without TLS. */
  readonly tls: object | null
  readonly trustedProxies: readonly Network[]
  /** The address that clients use; null when it is not configured. */
  readonly publicUrl: string | null
  readonly maxBodyBytes: number
  /** Time in which a body must have arrived; shorter than a connection may idle. */
  readonly bodyTimeoutMs: number
  /** Whether a text contains a key, or what may be one, and must not be logged or sent back. */
  readonly holdsKey: (text: string) => boolean
  /** Tells browsers to use only TLS, closes idle connections, keeps answers of `/ready` and `/metrics`. A mock does not. */
  readonly strict: boolean
}

/** A year (RFC 6797 §6.1.1), without subdomains. */
const strictTransport = { "strict-transport-security": "max-age=31536000" }

/**
 * The start of every Elysia app of the service: the plug-in that receives a request, and the context that its features share.
 * @param server returns the listening server; null before it listens
 * @param opened is called before the cross-origin plugin answers preflights. It may throw, or answer the request itself
 */
export function createFrame(
  { apis, pipeline, random, observer, tracer = null, guests = null }: FrameParts,
  options: FrameOptions,
  calls: CallsInProgress,
  server: () => Server | null,
  opened: Opened = () => undefined,
) {
  const { closing, trustedProxies, publicUrl } = options
  const trustsProxies = trustedProxies.length > 0
  const requestIdFor = createRequestIds(random, options.holdsKey)
  const context: HttpContext = {
    apis,
    pipeline,
    observer,
    calls,
    intake: createIntake(options.maxBodyBytes, options.bodyTimeoutMs, pipeline.ports.timer, calls),
    server,
    maxCalls: options.maxCalls,
    strict: options.strict,
    prepared: createPreparedHeaders(),
    methods: new Map(),
    closing,
    guests,
    isSecure,
    publicHost: publicUrl === null ? null : new URL(publicUrl).host,
  }

  function open(request: Request): IncomingRequest {
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
        socket = socketOf(request)
        return socket === null
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

  const base = incomingRequests(open, (exchange) => {
    if (closing.isBegun) {
      closing.requests++
      exchange.set.headers.connection = "close"
    }
    return opened(exchange)
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
