import { Elysia } from "elysia"
import type { Server } from "elysia/universal"
import type { Network } from "../../account/address.ts"
import type { Random } from "../../apis/contract.ts"
import { fail, logFault, type PreparedApi, type Road, succeed } from "../../call/execute.ts"
import { Fault, toFault } from "../../call/fault.ts"
import { clientAddress } from "./client-address.ts"
import { answerPreflight } from "./cross-origin.ts"
import { createRequestIds } from "./request-id.ts"
import { type Exchange, respond, respondFault } from "./respond.ts"
import { createRestHandler, createUsageHandler } from "./rest.ts"

export interface HttpOptions {
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
  /** Whether other processes listen on the same port and take a share of the connections. */
  readonly sharedPort: boolean
  /** PEM files; both or none. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null
  readonly trustedProxies: readonly Network[]
  readonly maxBodyBytes: number
}

export interface HttpParts {
  readonly apis: readonly PreparedApi[]
  readonly road: Road
  readonly random: Random
  /** Throws when the store does not answer. */
  readonly ping: () => Promise<void>
  readonly version: string
}

type Method = "GET" | "POST"

export interface HttpServer {
  readonly url: string
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
    // Our own limit answers with an envelope; this one only stops what slips past it.
    maxRequestBodySize: options.maxBodyBytes * 2,
    ...(options.tls && { tls: { cert: Bun.file(options.tls.certFile), key: Bun.file(options.tls.keyFile) } }),
  })
  const { server } = app
  if (!server) throw new Error("the server did not start")
  const host = options.host.includes(":") ? `[${options.host}]` : options.host
  return {
    url: `${options.tls ? "https" : "http"}://${host}:${server.port}`,
    async stop(graceMs) {
      const overdue = setTimeout(() => server.stop(true), graceMs)
      await server.stop()
      clearTimeout(overdue)
    },
  }
}

function createHttpApp({ apis, road, random, ping, version }: HttpParts, options: HttpOptions) {
  const requestIdFor = createRequestIds(random)
  const methods = new Map<string, Method>()
  const { trustedProxies, maxBodyBytes } = options

  // Hosts such as `http://x/` have fewer letters than Elysia expects unless it is told so.
  const app = new Elysia({ precompile: true, handler: { standardHostname: false } })
    .onError(({ error, code, request }) => {
      const requestId = requestIdOf(request)
      const fault = code === "NOT_FOUND" ? noRoute(request, methods) : toFault(error)
      logFault(fault, requestId, road.log)
      return respondFault(fault, { request, requestId })
    })
    .options("/*", ({ request }) => answerPreflight(requestIdOf(request)))

  function route(method: Method, path: string, handle: (exchange: Exchange) => Response | Promise<Response>) {
    methods.set(path, method)
    app.route(
      method,
      path,
      ({ request, server }) =>
        handle({ request, requestId: requestIdOf(request), address: () => addressOf(request, server) }),
      { parse: "none" },
    )
  }

  function requestIdOf(request: Request): string {
    return requestIdFor(request.headers.get("x-request-id"))
  }

  function addressOf(request: Request, server: Server | null): string {
    const socket = server?.requestIP(request)?.address ?? ""
    return clientAddress(socket, request.headers.get("x-forwarded-for"), trustedProxies)
  }

  for (const api of apis) {
    const { id, method } = api.definition
    route(method, `/v1/${id}`, createRestHandler(api, road, maxBodyBytes))
  }
  route("GET", "/v1/usage", createUsageHandler(road))

  route("GET", "/health", (exchange) => respond(succeed({ version }, {}), "json", exchange))
  route("GET", "/ready", async (exchange) => {
    try {
      await ping()
      return respond(succeed({}, {}), "json", exchange)
    } catch (thrown) {
      return respond(fail(toFault(thrown)), "json", exchange)
    }
  })

  return app
}

/** The path takes another method, or there is no such path. */
function noRoute({ url, method }: Request, methods: ReadonlyMap<string, Method>): Fault {
  const path = new URL(url).pathname
  const allow = methods.get(path)
  if (allow) {
    return new Fault("methodNotAllowed", `This path takes ${allow}, not ${method}.`, { headers: { allow } })
  }
  const known = [...methods.keys()].join(", ")
  return new Fault("notFound", `There is nothing at '${path.slice(0, 100)}'. There is ${known}.`)
}
