import type { RecordRequest } from "../../observe/request-record.ts"
import { createCatalogEndpoint } from "../mcp/catalog-endpoint.ts"
import type { McpEndpoint } from "../mcp/endpoint.ts"
import { createSearchEndpoint } from "../mcp/search-endpoint.ts"
import { createMcpServer } from "../mcp/server.ts"
import type { HttpContext } from "./context.ts"
import { createMcpHttp, type McpHttp, type McpServing } from "./mcp-server.ts"

/** The catalog behind the MCP endpoints. */
export function createCatalogMcp(context: HttpContext, record: RecordRequest, version: string): McpHttp {
  const serve = (endpoint: McpEndpoint): McpServing => ({
    serverFor: (client) => createMcpServer(endpoint, client, version),
  })
  const { apis } = context
  const servings = { catalog: serve(createCatalogEndpoint(apis)), search: serve(createSearchEndpoint(apis)) }
  return createMcpHttp(context, record, servings)
}
