import cors from "@elysiajs/cors"
import { Elysia } from "elysia"
import type { Server } from "elysia/universal"
import type { Network } from "../../account/address.ts"
import type { Random } from "../../apis/contract.ts"
import { fail, logFault, type PreparedApi, type Road, succeed } from "../../call/execute.ts"
import { Fault, toFault } from "../../call/fault.ts"
import { clientAddress } from "./client-address.ts"
import { createRequestIds } from "./request-id.ts"
import { respond, respondFault } from "./respond.ts"
import { createRestHandler, createUsageHandler, type Exchange } from "./rest.ts"

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
  const app = new Elysia({ handler: { standardHostname: false } })
    .onRequest(({ request, set }) => {
      set.headers["x-request-id"] = requestIdFor(request.headers.get("x-request-id"))
    })
    .use(crossOrigin)
    .onError(({ error, code, request, set }) => {
      const fault = code === "NOT_FOUND" ? noRoute(request, methods) : toFault(error)
      logFault(fault, String(set.headers["x-request-id"]), road.log)
      return respondFault(fault, request, set)
    })

  function route(method: Method, path: string, handle: (exchange: Exchange) => Promise<string>) {
    methods.set(path, method)
    app.route(
      method,
      path,
      ({ request, set, server }) =>
        handle({
          request,
          requestId: String(set.headers["x-request-id"]),
          address: () => addressOf(request, server),
          head: set,
        }),
      { parse: "none" },
    )
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

  return app
    .get("/health", ({ request, set }) => respond(succeed({ version }, {}), "json", request, set))
    .get("/ready", async ({ request, set }) => {
      try {
        await ping()
        return respond(succeed({}, {}), "json", request, set)
      } catch (thrown) {
        return respond(fail(toFault(thrown)), "json", request, set)
      }
    })
}

/** Every origin may call and read the headers that tell it where it stands; none may bring credentials. */
const crossOrigin = cors({
  origin: "*",
  credentials: false,
  methods: ["GET", "POST", "OPTIONS"],
  allowedHeaders: ["content-type", "x-api-key", "x-request-id", "accept"],
  exposeHeaders: [
    "x-request-id",
    "retry-after",
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "x-api-credits-used",
    "x-api-remaining-credits",
    "x-api-max-credits",
    "x-api-renewal",
    "x-api-current-plan",
  ],
  maxAge: 86_400,
})

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
