import { Elysia } from "elysia"
import { Fault } from "../../call/fault.ts"
import { explain } from "../../call/pipeline.ts"
import type { RecordRequest } from "../../observe/request-log.ts"
import { hostIn, isLoopback } from "../../values/ip.ts"
import { once } from "../../values/once.ts"
import type { ServiceName } from "../mcp/server.ts"
import { type HttpContext, inProgress, keepConnectionOpen, leaveRequestBody, overloadOf } from "./frame.ts"
import { sendRefusal } from "./mcp-answer.ts"
import type { McpHttp } from "./mcp-server.ts"
import { sameOriginOnly } from "./reply/headers.ts"
import { type Exchange, type IncomingApp, MethodNotAllowed } from "./request.ts"

/** The names under which a service is reached. */
export interface TrustedNames {
  /** Whether it listens on this machine alone. Then no page may reach it under the name of another host. */
  readonly loopbackOnly: boolean
  /** Host and port of the public address; null when it is not configured. */
  readonly publicHost: string | null
}

interface McpOptions extends ServiceName {
  /** The values of `Host` and `Origin` that a request may have. */
  readonly names: TrustedNames
  /** Loads what answers; by default the catalog. */
  readonly load?: (context: HttpContext, record: RecordRequest, name: ServiceName) => Promise<McpHttp>
}

/** `/mcp` and `/mcp/search`: the catalog for agents, as tools of the Model Context Protocol. Loaded with the first request. */
export function mcpFeature(
  base: IncomingApp,
  context: HttpContext,
  { version, title, names, load = loadCatalog }: McpOptions,
) {
  const record = context.observer.recorderFor(null, "mcp")
  const loaded = once(() => load(context, record, { title, version }))

  async function handle(exchange: Exchange, mode: "catalog" | "search"): Promise<string | Response> {
    const { request, set, incoming } = exchange
    sameOriginOnly(set)
    try {
      const refusal = overloadOf(context) ?? untrustedName(request.headers, names)
      if (refusal) throw refusal
      if (request.method !== "POST") throw new MethodNotAllowed(request.method, "POST")
      const http = await loaded()
      return await keepConnectionOpen(request, context, () => http.handle(exchange, mode))
    } catch (thrown) {
      const fault = explain(thrown, incoming.requestId, context.pipeline)
      const { status, code, parameter, keyOwner: caller } = fault
      record(incoming, { status, fault: code, parameter, caller })
      return sendRefusal(fault, set)
    } finally {
      await leaveRequestBody(request, set, context)
    }
  }

  const app = new Elysia({ name: "mcp" }).use(base)
  for (const [path, mode] of [
    ["/mcp", "catalog"],
    ["/mcp/search", "search"],
  ] as const)
    app.all(
      path,
      ({ request, set, incoming }) => inProgress(context, () => handle({ request, set, incoming }, mode)),
      { parse: "none", detail: { summary: "The catalog as tools for agents (MCP)", tags: ["mcp"] } },
    )
  return app
}

async function loadCatalog(context: HttpContext, record: RecordRequest, name: ServiceName): Promise<McpHttp> {
  // Others have their turns before the rest is loaded: all in one would hold them up for 30 ms.
  await import("@modelcontextprotocol/server")
  await context.pipeline.ports.timer.turn()
  const { createCatalogMcp } = await import("./mcp-server.ts")
  return createCatalogMcp(context, record, name)
}

/**
 * Refuses what another site may have made a browser send (DNS rebinding: `Host`; cross-origin: `Origin`; MCP, Streamable HTTP,
 * Security). Null for a request that may pass.
 */
function untrustedName(headers: Headers, { loopbackOnly, publicHost }: TrustedNames): Fault | null {
  const host = headers.get("host") ?? ""
  if (loopbackOnly && host !== publicHost && !isLoopback(hostIn(`http://${host}`))) return forbidden("Host")
  const origin = headers.get("origin")
  if (origin === null) return null
  const isOwn = URL.canParse(origin) && [host, publicHost].includes(new URL(origin).host)
  const isLocal = loopbackOnly && isLoopback(hostIn(origin))
  return isOwn || isLocal ? null : forbidden("Origin")
}

function forbidden(header: string): Fault {
  return new Fault(
    "originForbidden",
    `The '${header}' header names a host that this service does not know as its own; --public-url tells it.`,
  )
}
