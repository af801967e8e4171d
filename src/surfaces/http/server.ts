import { Elysia } from "elysia"
import type { Server } from "elysia/universal"
import type { Network } from "../../account/address.ts"
import type { Random } from "../../apis/contract.ts"
import { fail, logFault, type PreparedApi, type Road, succeed } from "../../call/execute.ts"
import { Fault, toFault } from "../../call/fault.ts"
import type { Exposition } from "../../observe/exposition.ts"
import type { Observer } from "../../observe/observer.ts"
import { createBatchHandler } from "./batch.ts"
import { clientAddress } from "./client-address.ts"
import { answerPreflight } from "./cross-origin.ts"
import { createDocsHandlers } from "./docs/docs.ts"
import { afterBody } from "./drain.ts"
import { createGraphqlHandler } from "./graphql.ts"
import { createMetricsHandler } from "./metrics.ts"
import { createOpenApiHandler } from "./openapi.ts"
import { createRequestIds } from "./request-id.ts"
import { type Exchange, respond, respondFault } from "./respond.ts"
import { createRestHandler, createUsageHandler } from "./rest.ts"

export interface HttpOptions {
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
  /** Whether other processes listen on the same port and take a share of the connections. */
  readonly sharedPort: boolean
  /** PEM texts. */
  readonly tls: { readonly cert: string; readonly key: string } | null
  readonly trustedProxies: readonly Network[]
  readonly maxBodyBytes: number
  /** Without it `/v1/graphql` says that there is none. */
  readonly graphql: boolean
  /** What readers of the metrics have to send; null is nothing. */
  readonly metricsToken: string | null
}

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

type Method = "GET" | "POST"

export interface HttpServer {
  readonly url: string
  /** Requests under way. */
  openRequests(): number
  /** Takes no new connections, waits for calls under way for `graceMs` at most, then cuts them off. */
  stop(graceMs: number): Promise<void>
}

/** Starts the HTTP surface; it accepts connections when this returns. */
export function startHttpServer(parts: HttpParts, options: HttpOptions): HttpServer {
  const app = createHttpApp(parts, options).listen({
    hostname: options.host,
    port: options.port,
    reusePort: options.sharedPort,
    development: false,
    // Our own limit answers with an envelope; the platform's would answer with nothing.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    ...(options.tls && { tls: options.tls }),
  })
  const { server } = app
  if (!server) throw new Error("the server did not start")
  return toHttpServer(server, options)
}

/** What is to be known of a server that listens. */
export function toHttpServer(
  server: Pick<Server, "port" | "stop" | "pendingRequests">,
  options: { readonly host: string; readonly tls: object | null },
): HttpServer {
  const host = options.host.includes(":") ? `[${options.host}]` : options.host
  return {
    url: `${options.tls ? "https" : "http"}://${host}:${server.port}`,
    openRequests: () => server.pendingRequests,
    async stop(graceMs) {
      const overdue = setTimeout(() => server.stop(true), graceMs)
      await server.stop()
      clearTimeout(overdue)
    },
  }
}

type HttpAppOptions = Pick<HttpOptions, "trustedProxies" | "maxBodyBytes" | "graphql" | "metricsToken"> & {
  readonly tls: object | null
}

/** The routes alone, for a listener that has something of its own before them. */
export function createHttpApp(parts: HttpParts, options: HttpAppOptions) {
  const { apis, road, random, ping, version, observer, readMetrics } = parts
  const requestIdFor = createRequestIds(random)
  const methods = new Map<string, Method>()
  const { trustedProxies, maxBodyBytes } = options
  const watchUnkeyed = observer.watch("none", "unkeyed")
  const watchStray = observer.watch("none", "none")

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
      return afterBody(request, respondFault(fault, exchange))
    })
    .options("/*", ({ request }) => preflight(open(request)))

  function route(method: Method, path: string, handle: (exchange: Exchange) => Response | Promise<Response>) {
    methods.set(path, method)
    app.route(
      method,
      path,
      ({ request }) => {
        const answer = handle(open(request))
        return method === "POST" ? afterBody(request, answer) : answer
      },
      { parse: "none" },
    )
  }

  /**
   * A GET route that a listener goes to without Elysia between, which would make a context for every call. HEAD, which is
   * offered to every GET route, is refused: it would charge for an answer that nobody sees.
   */
  function meteredGet(path: string, handle: (exchange: Exchange) => Promise<Response>) {
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
    const answer = createRestHandler(api, road, maxBodyBytes, observer.watch(id, "rest"))
    if (method === "GET") meteredGet(`/v1/${id}`, answer)
    else route(method, `/v1/${id}`, answer)
    methods.set(`/v1/${id}/batch`, "POST")
  }
  const answerBatch = createBatchHandler(apis, road, maxBodyBytes, observer)
  // One route for all of them: each takes half a millisecond of the start.
  app.post(
    "/v1/:api/batch",
    ({ request, params }) => {
      const answer = answerBatch(params.api, open(request))
      if (!answer) throw noRoute(request, methods)
      return afterBody(request, answer)
    },
    { parse: "none" },
  )
  meteredGet("/v1/usage", createUsageHandler(road, observer.watch("usage", "rest")))

  const answerGraphql = createGraphqlHandler(apis, road, {
    enabled: options.graphql,
    maxBodyBytes,
    watch: observer.watch(null, "graphql"),
  })
  methods.set("/v1/graphql", "POST")
  // Every method comes here, since what is wrong with one is said in GraphQL's own form.
  app.all(
    "/v1/graphql",
    ({ request }) => {
      const exchange = open(request)
      return request.method === "OPTIONS" ? preflight(exchange) : afterBody(request, answerGraphql(exchange))
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
    createOpenApiHandler({ apis, version, graphql: options.graphql, metrics, maxBodyBytes }),
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
  // Elysia takes a path with a slash at its end for the path without.
  const allow = methods.get(pathOf(url).replace(/(?<=.)\/$/, ""))
  if (allow) {
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
