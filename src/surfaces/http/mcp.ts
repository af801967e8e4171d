import { Elysia } from "elysia"
import { type Fault, toFault } from "../../call/fault.ts"
import type { HttpContext } from "./context.ts"
import { finishBody, inProgress, patiently } from "./context.ts"
import { sameOriginOnly } from "./cross-origin.ts"
import type { Exchange } from "./exchange.ts"
import type { incomingRequests } from "./incoming.ts"
import { type TrustedNames, untrustedName } from "./mcp-names.ts"
import type { McpHttp } from "./mcp-server.ts"
import { overloadOf } from "./refuse.ts"
import { setAnswerHeaders } from "./reply.ts"

export interface McpOptions {
  readonly version: string
  /** Which `Host` and `Origin` a request may have. */
  readonly names: TrustedNames
}

/** `/mcp` and `/mcp/search`: the catalog for agents, as tools of the Model Context Protocol. Loaded with the first request. */
export function mcpFeature(
  base: ReturnType<typeof incomingRequests>,
  context: HttpContext,
  { version, names }: McpOptions,
) {
  const record = context.observer.recorderFor(null, "mcp")
  let loading: Promise<McpHttp> | undefined

  function load(): Promise<McpHttp> {
    loading ??= import("./mcp-server.ts").then(({ createMcpHttp }) => createMcpHttp(context, record, version))
    return loading
  }

  async function handle(exchange: Exchange, door: "catalog" | "search"): Promise<string | Response> {
    const { request, set, incoming } = exchange
    sameOriginOnly(set)
    try {
      const refusal = overloadOf(context) ?? untrustedName(request.headers, names)
      if (refusal) throw refusal
      const http = await load()
      return await patiently(request, context, () => http.handle(exchange, door))
    } catch (thrown) {
      const fault = toFault(thrown)
      record(incoming, { status: fault.status, fault: fault.code, caller: fault.keyOwner })
      return refuse(fault, exchange)
    } finally {
      await finishBody(request, set, context)
    }
  }

  const app = new Elysia({ name: "mcp" }).use(base)
  for (const [path, door] of [
    ["/mcp", "catalog"],
    ["/mcp/search", "search"],
  ] as const) {
    context.methods.set(path, "POST")
    app.all(
      path,
      ({ request, set, incoming }) => inProgress(context, () => handle({ request, set, incoming }, door)),
      { parse: "none", detail: { summary: "The catalog as tools for agents (MCP)", tags: ["mcp"] } },
    )
  }
  return app
}

/** A refusal before the protocol's own layer, in its form: a JSON-RPC error without an id (JSON-RPC 2.0 §5). */
function refuse({ status, message, retryAfterSeconds, code }: Fault, { set }: Exchange): string {
  set.status = status
  setAnswerHeaders(set.headers, { status, retryAfterSeconds, fault: code })
  set.headers["content-type"] = "application/json"
  return JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32_000, message } })
}
