import { Elysia } from "elysia"
import { explain } from "../../call/pipeline.ts"
import type { RecordRequest } from "../../observe/request-record.ts"
import { once } from "../../values/once.ts"
import { finishBody, type HttpContext, inProgress, keepConnectionOpen, overloadOf } from "./context.ts"
import { sameOriginOnly } from "./cross-origin.ts"
import type { Exchange } from "./exchange.ts"
import type { incomingRequests } from "./incoming.ts"
import { type TrustedNames, untrustedName } from "./mcp-names.ts"
import { refuse } from "./mcp-refusal.ts"
import type { McpHttp } from "./mcp-server.ts"
import { MethodNotAllowed } from "./paths.ts"

export interface McpOptions {
  readonly version: string
  /** Which `Host` and `Origin` a request may have. */
  readonly names: TrustedNames
  /** Loads what answers; by default the catalog. */
  readonly load?: (context: HttpContext, record: RecordRequest, version: string) => Promise<McpHttp>
}

/** `/mcp` and `/mcp/search`: the catalog for agents, as tools of the Model Context Protocol. Loaded with the first request. */
export function mcpFeature(
  base: ReturnType<typeof incomingRequests>,
  context: HttpContext,
  { version, names, load = loadCatalog }: McpOptions,
) {
  const record = context.observer.recorderFor(null, "mcp")
  const loaded = once(() => load(context, record, version))

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
      record(incoming, { status: fault.status, fault: fault.code, caller: fault.keyOwner })
      return refuse(fault, set)
    } finally {
      await finishBody(request, set, context)
    }
  }

  const app = new Elysia({ name: "mcp" }).use(base)
  for (const [path, mode] of [
    ["/mcp", "catalog"],
    ["/mcp/search", "search"],
  ] as const) {
    app.all(
      path,
      ({ request, set, incoming }) => inProgress(context, () => handle({ request, set, incoming }, mode)),
      { parse: "none", detail: { summary: "The catalog as tools for agents (MCP)", tags: ["mcp"] } },
    )
  }
  return app
}

async function loadCatalog(context: HttpContext, record: RecordRequest, version: string): Promise<McpHttp> {
  const { createCatalogMcp } = await import("./mcp-server.ts")
  return createCatalogMcp(context, record, version)
}
