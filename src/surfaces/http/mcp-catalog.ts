import type { RecordRequest } from "../../observe/request.ts"
import { createCatalogDoor } from "../mcp/catalog-door.ts"
import type { McpDoor } from "../mcp/door.ts"
import { createSearchDoor } from "../mcp/search-door.ts"
import { createMcpServer } from "../mcp/server.ts"
import type { HttpContext } from "./context.ts"
import { createMcpHttp, type McpHttp, type McpServing } from "./mcp-server.ts"

/** The catalog behind the MCP endpoints. */
export function createCatalogMcp(context: HttpContext, record: RecordRequest, version: string): McpHttp {
  const serve = (door: McpDoor): McpServing => ({
    serverFor: (client) => createMcpServer(door, client, version),
  })
  const { apis } = context
  const servings = { catalog: serve(createCatalogDoor(apis)), search: serve(createSearchDoor(apis)) }
  return createMcpHttp(context, record, servings)
}
