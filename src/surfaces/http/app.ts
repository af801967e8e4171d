import { Elysia } from "elysia"
import type { Random } from "../../apis/contract.ts"
import { toFault } from "../../call/fault.ts"
import { logFault, type Pipeline } from "../../call/pipeline.ts"
import type { PreparedApi } from "../../call/prepared-api.ts"
import type { Exposition } from "../../observe/exposition.ts"
import type { Observer } from "../../observe/observer.ts"
import type { Network } from "../../values/ip.ts"
import { batchFeature } from "./batch.ts"
import { type CallsInProgress, createCallsInProgress } from "./calls.ts"
import { clientAddress } from "./client-address.ts"
import type { Closing } from "./closing.ts"
import { finishBody, type HttpContext, inProgress } from "./context.ts"
import { crossOrigin } from "./cross-origin.ts"
import { documentationFeature } from "./documentation.ts"
import type { Exchange, IncomingRequest } from "./exchange.ts"
import { graphqlFeature } from "./graphql.ts"
import { incomingRequests } from "./incoming.ts"
import { createIntake } from "./intake.ts"
import { httpLimits } from "./limits.ts"
import { mcpFeature } from "./mcp.ts"
import type { TrustedNames } from "./mcp-names.ts"
import { operationsFeature } from "./operations.ts"
import { noRoute } from "./paths.ts"
import { createPreparedHeaders, fixedHeaders, sendFault } from "./reply.ts"
import { createRequestIds } from "./request-id.ts"
import { withReadableUrls } from "./request-url.ts"
import { restFeature } from "./rest.ts"
import { hasTwoKeys, sentKey } from "./sent-key.ts"
import { usageFeature } from "./usage.ts"

export interface HttpParts {
  readonly apis: readonly PreparedApi[]
  readonly pipeline: Pipeline
  readonly random: Random
  readonly observer: Observer
  /** Gives what `/metrics` answers with; null turns the path off. */
  readonly readMetrics: (() => Promise<Exposition>) | null
  /** Throws when the store does not answer. */
  readonly ping: () => Promise<void>
  readonly version: string
}

export interface HttpAppOptions {
  /** Null when it is served without TLS. */
  readonly tls: object | null
  readonly trustedProxies: readonly Network[]
  readonly maxBodyBytes: number
  /** Time in which a body must have arrived; shorter than a connection may idle. */
  readonly bodyTimeoutMs: number
  /** Calls in progress at once; more are refused. */
  readonly maxCalls: number
  /** False answers GraphQL requests with `GRAPHQL_NOT_SUPPORTED`. */
  readonly graphql: boolean
  /** Null turns `/mcp` off. */
  readonly mcp: TrustedNames | null
  /** The bearer token that readers of the metrics have to send; null lets everyone read. */
  readonly metricsToken: string | null
  /** Whether a text contains an API key, or what may be one, and must not be logged or sent back. */
  readonly holdsKey: (text: string) => boolean
  readonly closing: Closing
  /** Tells browsers to use only TLS, closes idle connections, and keeps answers of `/ready` and `/metrics`. A test double does not. */
  readonly strict: boolean
}

/** A year (RFC 6797 §6.1.1), without subdomains. */
const strictTransport = { "strict-transport-security": "max-age=31536000" }

/** The service as an Elysia app: one instance for each feature. It does not listen yet. */
export function createHttpApp(
  parts: HttpParts,
  options: HttpAppOptions,
  calls: CallsInProgress = createCallsInProgress(),
) {
  const { apis, pipeline, random, observer } = parts
  const { timer } = pipeline.ports
  const { closing, trustedProxies } = options
  const requestIdFor = createRequestIds(random, options.holdsKey)
  const context: HttpContext = {
    apis,
    pipeline,
    observer,
    calls,
    intake: createIntake(options.maxBodyBytes, options.bodyTimeoutMs, timer),
    server: () => app.server,
    maxCalls: options.maxCalls,
    closesIdle: options.strict,
    prepared: createPreparedHeaders(),
    methods: new Map(),
    closing,
  }
  const recordUnkeyed = observer.recorderFor("none", "unkeyed")
  const recordStray = observer.recorderFor("none", "none")

  function open(request: Request): IncomingRequest {
    const { headers } = request
    const key = sentKey(headers)
    let socket: string | null = null
    return {
      requestId: requestIdFor(headers.get("x-request-id"), key),
      key,
      hasTwoKeys: hasTwoKeys(headers),
      address: () =>
        clientAddress(socket ?? socketOf(request) ?? "", headers.get("x-forwarded-for"), trustedProxies),
      // The log needs the address anyway. To make the request's signal takes 5 % of a metered call.
      hasLeft() {
        socket = socketOf(request)
        return socket === null
      },
      startedMs: observer.nowMs(),
    }
  }

  /** The address of the connection; null when it has ended. */
  function socketOf(request: Request): string | null {
    return app.server?.requestIP(request)?.address ?? null
  }

  function opened({ request, set, incoming }: Exchange): void {
    if (closing.isBegun) {
      closing.requests++
      set.headers.connection = "close"
    }
    // The cross-origin plugin answers preflights itself.
    if (request.method === "OPTIONS") recordUnkeyed(incoming, { status: 204 })
  }

  const base = incomingRequests(open, opened)
  const metrics = parts.readMetrics ? (options.metricsToken === null ? "open" : "token") : "off"
  const app = withReadableUrls(new Elysia())
    .headers({ ...fixedHeaders, ...(options.tls !== null && options.strict && strictTransport) })
    .use(base)
    .use(crossOrigin())
    .onError(async ({ error, code, request, set, incoming }) => {
      const fault = code === "NOT_FOUND" ? noRoute(request, context.methods) : toFault(error)
      logFault(fault, incoming.requestId, pipeline.log)
      recordStray(incoming, { status: fault.status, fault: fault.code })
      await inProgress(context, () => finishBody(request, set, context))
      return sendFault(fault, request, set)
    })
    .use(restFeature(base, context))
    .use(batchFeature(base, context))
    .use(usageFeature(base, context))
    .use(graphqlFeature(base, context, options.graphql))
    .use(
      operationsFeature(base, context, {
        ...parts,
        metricsToken: options.metricsToken,
        // Tests that use a test double want what is true now.
        sharedAnswerMs: options.strict ? httpLimits.sharedAnswerSeconds * 1_000 : 0,
      }),
    )
    .use(
      documentationFeature(base, context, {
        apis,
        version: parts.version,
        graphql: options.graphql,
        metrics,
        maxBodyBytes: options.maxBodyBytes,
      }),
    )
  return options.mcp
    ? app.use(mcpFeature(base, context, { version: parts.version, names: options.mcp }))
    : app
}
