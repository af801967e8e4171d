import type { PreparedApi } from "../../call/prepared-api.ts"
import { apiResources } from "./api-resources.ts"
import type { McpEndpoint } from "./endpoint.ts"
import { toTool } from "./tool.ts"

/** One tool per API, named by the API's id, and the documentation of each API as a resource. */
export function createCatalogEndpoint(apis: readonly PreparedApi[]): McpEndpoint {
  const byId = new Map(apis.map((api) => [api.definition.id, { api, tool: toTool(api) }] as const))
  return {
    ...apiResources(apis),
    instructions:
      "Each tool is one small utility. A call costs the credits that its description names; a call that is refused costs nothing.",
    tools: ({ mayCall }) => [...byId.values()].map(({ tool }) => tool).filter(({ name }) => mayCall(name)),
    call(name, input, client) {
      const found = byId.get(name)
      return found && client.callApi(found.api, input)
    },
  }
}
