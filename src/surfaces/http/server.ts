import cors from "@elysiajs/cors"
import { Elysia } from "elysia"
import type { Network } from "../../account/address.ts"
import type { Random } from "../../apis/contract.ts"
import { fail, logFault, type PreparedApi, type Road } from "../../call/execute.ts"
import { Fault, toFault } from "../../call/fault.ts"
import { clientAddress } from "./client-address.ts"
import { parseQuery } from "./query.ts"
import { createRequestIds } from "./request-id.ts"
import { respond, respondFault } from "./respond.ts"
import { createRestHandler } from "./rest.ts"

export interface HttpOptions {
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
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

export interface HttpServer {
  readonly url: string
  /** Takes no new connections, waits for calls under way for `graceMs` at most, then cuts them off. */
  stop(graceMs: number): Promise<void>
}

/** Starts the HTTP surface; it accepts connections when this returns. */
export function startHttpServer(parts: HttpParts, options: HttpOptions): HttpServer {
  const app = createHttpApp(parts, options)
  const server = Bun.serve({
    hostname: options.host,
    port: options.port,
    // Our own limit answers with an envelope; this one only stops what slips past it.
    maxRequestBodySize: options.maxBodyBytes * 2,
    ...(options.tls && { tls: { cert: Bun.file(options.tls.certFile), key: Bun.file(options.tls.keyFile) } }),
    fetch: (request, server) => {
      app.server ??= server
      return app.fetch(request)
    },
  })
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
  const { trustedProxies, maxBodyBytes } = options

  // Hosts such as `http://x/` have fewer letters than Elysia expects unless it is told so.
  const app = new Elysia({ handler: { standardHostname: false } })
    .onRequest(({ request, set }) => {
      set.headers["x-request-id"] = requestIdFor(request.headers.get("x-request-id"))
    })
    .use(crossOrigin)
    .onError(({ error, code, request, set }) => {
      const fault = code === "NOT_FOUND" ? notFound(request.url, apis) : toFault(error)
      logFault(fault, String(set.headers["x-request-id"]), road.log)
      return respondFault(fault, request, parseQuery(request.url), set)
    })

  for (const api of apis) {
    const { id, method } = api.definition
    const path = `/v1/${id}`
    const handle = createRestHandler(api, road, maxBodyBytes)
    app.route(
      method,
      path,
      ({ request, set, server }) =>
        handle({
          request,
          requestId: String(set.headers["x-request-id"]),
          address: () =>
            clientAddress(
              server?.requestIP(request)?.address ?? "",
              request.headers.get("x-forwarded-for"),
              trustedProxies,
            ),
          head: set,
        }),
      { parse: "none" },
    )
    app.all(
      path,
      ({ request, set }) =>
        respondFault(methodNotAllowed(request.method, [method]), request, parseQuery(request.url), set),
      { parse: "none" },
    )
  }

  return app
    .get("/health", ({ set }) => respond(okReply({ version }), "json", set))
    .get("/ready", async ({ set }) => {
      try {
        await ping()
        return respond(okReply({}), "json", set)
      } catch (thrown) {
        return respond(fail(toFault(thrown)), "json", set)
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

function okReply(data: Record<string, unknown>) {
  return { status: 200, envelope: { status: "ok" as const, error: null, data }, headers: {} }
}

function notFound(url: string, apis: readonly PreparedApi[]): Fault {
  const paths = apis.map(({ definition }) => `/v1/${definition.id}`).join(", ")
  const path = new URL(url).pathname
  return new Fault("notFound", `There is nothing at '${path.slice(0, 100)}'. The APIs are ${paths}.`)
}

function methodNotAllowed(used: string, allowed: readonly string[]): Fault {
  return new Fault("methodNotAllowed", `This path takes ${allowed.join(" or ")}, not ${used}.`, {
    headers: { allow: allowed.join(", ") },
  })
}
