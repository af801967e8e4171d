import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError, Server } from "@modelcontextprotocol/server"
import { toMachineName } from "../discovery/documents.ts"
import type { McpClient, McpEndpoint } from "./endpoint.ts"

/** How long clients may keep lists: the catalog changes only when the service restarts, and the APIs of a key only rarely. */
const cacheHint = { ttlMs: 60_000, cacheScope: "private" } as const

/** The name and version of the service that an agent sees. */
export interface ServiceName {
  readonly title: string
  readonly version: string
}

/** An MCP server for one client. It is cheap to make: one serves one request over HTTP, or one connection. */
export function createMcpServer(endpoint: McpEndpoint, client: McpClient, { title, version }: ServiceName) {
  const server = new Server(
    { name: toMachineName(title) ?? "penknife", title, version },
    {
      capabilities: { tools: {}, resources: {} },
      instructions: `The tools of ${title}. ${endpoint.instructions}`,
      cacheHints: {
        "tools/list": cacheHint,
        "resources/list": cacheHint,
        "resources/read": cacheHint,
        "resources/templates/list": cacheHint,
        "server/discover": cacheHint,
      },
    },
  )
  server.setRequestHandler("tools/list", () => ({ tools: [...endpoint.tools(client)] }))
  server.setRequestHandler("tools/call", async ({ params }) => {
    const result =
      endpoint.call(params.name, params.arguments ?? {}, client) ?? (await client.countFreeCall())
    if (result) return result
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Unknown tool: ${params.name}. 'tools/list' lists the tools.`,
    )
  })
  server.setRequestHandler("resources/list", () => ({ resources: [...endpoint.resources(client)] }))
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [] }))
  server.setRequestHandler("resources/read", ({ params }) => {
    const resource = endpoint.read(params.uri, client)
    if (resource) return resource
    throw new ResourceNotFoundError(params.uri)
  })
  return server
}
