import { Elysia } from "elysia"
import type { Random } from "../../apis/contract.ts"
import { fail, logFault, type PreparedApi, type Road, succeed } from "../../call/execute.ts"
import { Fault, toFault } from "../../call/fault.ts"
import type { Exposition } from "../../observe/exposition.ts"
import type { Observer } from "../../observe/observer.ts"
import type { RecordRequest } from "../../observe/request.ts"
import type { Network } from "../../values/ip.ts"
import { createBatchHandler } from "./batch.ts"
import { clientAddress } from "./client-address.ts"
import { answerPreflight } from "./cross-origin.ts"
import { createDocsHandlers } from "./docs/docs.ts"
import { afterBody } from "./drain.ts"
import { createGraphqlHandler } from "./graphql.ts"
import { createIntake } from "./intake.ts"
import { httpLimits } from "./limits.ts"
import { createMetricsHandler } from "./metrics.ts"
import { createOpenApiHandler } from "./openapi.ts"
import { overloaded } from "./overload.ts"
import { createRequestIds } from "./request-id.ts"
import { type Exchange, respond, respondFault } from "./respond.ts"
import { createRestHandler, createUsageHandler } from "./rest.ts"

export interface HttpParts {
  readonly apis: readonly PreparedApi[]
  readonly road: Road
  readonly random: Random
  readonly observer: Observer
  /** What `/metrics` answers with; null where there is no such path. */
  readonly readMetrics: (() => Promise<Exposition>) | null
  /** Throws when the store does not answer. */
  readonly ping: () => Promise<void>
  readonly version: string
}

export interface HttpAppOptions {
  /** Null where it is served without TLS. */
  readonly tls: object | null
  readonly trustedProxies: readonly Network[]
  readonly maxBodyBytes: number
  /** In which a body must have arrived; shorter than the time that a connection may idle. */
  readonly bodyTimeoutMs: number
  /** Calls under way at once; more are refused. */
  readonly maxCalls: number
  /** Without it `/v1/graphql` says that there is none. */
  readonly graphql: boolean
  /** What readers of the metrics have to send; null is nothing. */
  readonly metricsToken: string | null
  /** Whether browsers are told to use TLS alone, and connections are closed that idle. A test double does neither. */
  readonly strict: boolean
}

type Method = "GET" | "POST"

/** A year (RFC 6797 §6.1.1). Of other names, and other services on this one, nothing is said. */
const strictTransport = "max-age=31536000"

/** The routes alone, for a listener that has something of its own before them. */
export function createHttpApp(parts: HttpParts, options: HttpAppOptions) {
  const { apis, road, random, ping, version, observer, readMetrics } = parts
  const requestIdFor = createRequestIds(random)
  const methods = new Map<string, Method>()
  const { trustedProxies, maxCalls } = options
  const intake = createIntake(options.maxBodyBytes, options.bodyTimeoutMs)
  const tellsTls = options.tls !== null && options.strict
  const watchUnkeyed = observer.recorderFor("none", "unkeyed")
  const watchStray = observer.recorderFor("none", "none")

  const direct: Record<
    string,
    Record<"GET" | "HEAD", (request: Request) => Response | Promise<Response>>
  > = {}
  const app = new Elysia({
    precompile: true,
    // Where Elysia looks for the path: from the 7th character on, past `http://`, or from the 11th, which `https://` needs.
    handler: { standardHostname: options.tls !== null },
    serve: { routes: direct },
  })
    .onError(({ error, code, request }) => {
      const exchange = open(request)
      const fault = code === "NOT_FOUND" ? noRoute(request, methods) : toFault(error)
      logFault(fault, exchange.requestId, road.log)
      watchStray(exchange, { status: fault.status, fault: fault.code })
      return afterBody(request, respondFault(fault, exchange), intake)
    })
    .options("/*", ({ request }) => preflight(open(request)))

  if (tellsTls) app.headers({ "strict-transport-security": strictTransport })

  /** Whether there are too many calls under way. A request that waits for its client is none, or slow clients could fill it up. */
  function isFull(): boolean {
    return (app.server?.pendingRequests ?? 0) - intake.awaited > maxCalls
  }

  /** Refuses what is one call too many. */
  function limited(handle: (exchange: Exchange) => Promise<Response>, watch: RecordRequest): typeof handle {
    return (exchange) => (isFull() ? Promise.resolve(refuseOne(exchange, watch)) : handle(exchange))
  }

  function refuseOne(exchange: Exchange, watch: RecordRequest): Response {
    watch(exchange, { status: overloaded.status, fault: overloaded.code })
    return respondFault(overloaded, exchange)
  }

  /** Waits for what may take longer than an idle connection is kept. Its answer is not waited for as long. */
  async function patiently(request: Request, answer: Promise<Response>): Promise<Response> {
    if (!options.strict) return answer
    app.server?.timeout(request, httpLimits.patientSeconds)
    try {
      return await answer
    } finally {
      app.server?.timeout(request, httpLimits.idleSeconds)
    }
  }

  function route(method: Method, path: string, handle: (exchange: Exchange) => Response | Promise<Response>) {
    methods.set(path, method)
    app.route(
      method,
      path,
      ({ request }) => {
        const answer = handle(open(request))
        return method === "POST" ? afterBody(request, answer, intake) : answer
      },
      { parse: "none" },
    )
  }

  /**
   * A GET route that a listener goes to without Elysia between, which would make a context for every call. HEAD, which is
   * offered to every GET route, is refused: it would charge for an answer that nobody sees.
   */
  function meteredGet(path: string, handle: (exchange: Exchange) => Promise<Response>) {
    // What every answer over TLS says is added by Elysia.
    if (!tellsTls)
      direct[path] = { GET: (request) => handle(open(request)), HEAD: (request) => app.fetch(request) }
    route("GET", path, (exchange) => {
      if (exchange.request.method === "HEAD") throw noRoute(exchange.request, methods)
      return handle(exchange)
    })
  }

  /** The paths that need no key. Those that do watch for themselves, since they know who called. */
  function unkeyed(path: string, handle: (exchange: Exchange) => Response | Promise<Response>) {
    route("GET", path, async (exchange) => {
      const response = await handle(exchange)
      watchUnkeyed(exchange, { status: response.status })
      return response
    })
  }

  function preflight(exchange: Exchange): Response {
    const response = answerPreflight(exchange.requestId)
    watchUnkeyed(exchange, { status: response.status })
    return response
  }

  function open(request: Request): Exchange {
    return {
      request,
      requestId: requestIdFor(request.headers.get("x-request-id")),
      address: () => addressOf(request),
      startedMs: observer.nowMs(),
    }
  }

  /** Not from Elysia's context: whoever takes `server` from it pays for a property definition in every call. */
  function addressOf(request: Request): string {
    const socket = app.server?.requestIP(request)?.address ?? ""
    return clientAddress(socket, request.headers.get("x-forwarded-for"), trustedProxies)
  }

  for (const api of apis) {
    const { id, method } = api.definition
    const watch = observer.recorderFor(id, "rest")
    const answer = limited(createRestHandler(api, road, intake, watch), watch)
    if (method === "GET") meteredGet(`/v1/${id}`, answer)
    else route(method, `/v1/${id}`, answer)
    methods.set(`/v1/${id}/batch`, "POST")
  }
  const answerBatch = createBatchHandler(apis, road, intake, observer)
  const watchRefused = observer.recorderFor("none", "batch")
  // One route for all of them: each takes half a millisecond of the start.
  app.post(
    "/v1/:api/batch",
    ({ request }) => {
      const exchange = open(request)
      // Not from `params`, which are decoded: /v1/hma%63 is no path either.
      const [, , id = ""] = pathOf(request.url).split("/")
      if (isFull()) return afterBody(request, refuseOne(exchange, watchRefused), intake)
      const answer = answerBatch(id, exchange)
      if (!answer) throw noRoute(request, methods)
      return afterBody(request, patiently(request, answer), intake)
    },
    { parse: "none" },
  )
  const watchUsage = observer.recorderFor("usage", "rest")
  meteredGet("/v1/usage", limited(createUsageHandler(road, watchUsage), watchUsage))

  const answerGraphql = createGraphqlHandler(apis, road, {
    enabled: options.graphql,
    intake,
    isFull,
    watch: observer.recorderFor(null, "graphql"),
  })
  methods.set("/v1/graphql", "POST")
  // Every method comes here, since what is wrong with one is said in GraphQL's own form.
  app.all(
    "/v1/graphql",
    ({ request }) => {
      const exchange = open(request)
      if (request.method === "OPTIONS") return preflight(exchange)
      return afterBody(request, patiently(request, answerGraphql(exchange)), intake)
    },
    { parse: "none" },
  )

  unkeyed("/health", (exchange) => respond(succeed({ version }), "json", exchange))
  unkeyed("/ready", async (exchange) => {
    try {
      await ping()
      return respond(succeed({}), "json", exchange)
    } catch (thrown) {
      return respond(fail(toFault(thrown)), "json", exchange)
    }
  })

  if (readMetrics) unkeyed("/metrics", createMetricsHandler(readMetrics, options.metricsToken))
  const metrics = readMetrics ? (options.metricsToken === null ? "open" : "token") : "off"
  unkeyed(
    "/openapi.json",
    createOpenApiHandler({
      apis,
      version,
      graphql: options.graphql,
      metrics,
      maxBodyBytes: options.maxBodyBytes,
    }),
  )
  const docs = createDocsHandlers()
  unkeyed("/docs", docs.page)
  // One route for what the page loads.
  app.get("/docs/*", async ({ request, params }) => {
    const answer = docs.parts.get(params["*"])
    if (!answer) throw noRoute(request, methods)
    const exchange = open(request)
    const response = await answer(exchange)
    watchUnkeyed(exchange, { status: response.status })
    return response
  })

  return app
}

/** The path takes another method, or there is no such path. */
function noRoute({ url, method }: Request, methods: ReadonlyMap<string, Method>): Fault {
  // A slash at the end is no other path to Elysia; where the host is none, it does not find even the right one.
  const allow = methods.get(pathOf(url).replace(/(?<=.)\/$/, ""))
  if (allow && allow !== method) {
    return new Fault("methodNotAllowed", `This path takes ${allow}, not ${method}.`, { headers: { allow } })
  }
  const known = [...methods.keys()].join(", ")
  // The path is not repeated: people paste keys into the wrong places.
  return new Fault("notFound", `There is nothing at this path. There is ${known}.`)
}

/** By text, since `new URL` throws where a client sent no host, or one that is none. */
function pathOf(url: string): string {
  const scheme = url.indexOf("://")
  const start = scheme === -1 ? 0 : url.indexOf("/", scheme + 3)
  const end = url.indexOf("?", start)
  return url.slice(start, end === -1 ? url.length : end)
}
