import type { Tool } from "@modelcontextprotocol/server"
import { deprecationText } from "../../apis/contract.ts"
import type { PreparedApi } from "../../call/prepared-api.ts"
import { exampleAnswer, toApiPage } from "../markdown/api-page.ts"
import { priceText } from "../openapi/api-parts.ts"
import { toJsonSchema } from "../openapi/json-schema.ts"
import type { McpEndpoint } from "./endpoint.ts"
import { withPictures } from "./results.ts"

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
      return found && client.callApi(found.api, input).then((result) => withPictures(result, found.api))
    },
  }
}

/** An API as a tool of the Model Context Protocol. */
export function toTool({ definition, credits }: PreparedApi): Tool {
  const { id, title, description, input, output, asksDns = false, deprecation } = definition
  return {
    name: id,
    title,
    description: `${deprecation ? `${deprecationText(deprecation)} ` : ""}${description} Costs ${priceText(credits)}; a refused call is free.`,
    inputSchema: { ...toJsonSchema(input), type: "object" },
    outputSchema: { ...toJsonSchema(output), type: "object" },
    annotations: {
      title,
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: asksDns,
    },
  }
}

const prefix = "penknife://apis/"

/** The address and key in the examples: those of a local test double. */
const exampleService = { url: "http://localhost:8090", key: "mock-pro" }

/** The documentation of each API, with its examples, as resources in Markdown. */
export function apiResources(apis: readonly PreparedApi[]): Pick<McpEndpoint, "resources" | "read"> {
  return {
    resources: ({ mayCall }) =>
      apis
        .filter(({ definition }) => mayCall(definition.id))
        .map(({ definition: { id, title, description } }) => ({
          uri: `${prefix}${id}`,
          name: id,
          title,
          description,
          mimeType: "text/markdown",
        })),
    read(uri, { mayCall }) {
      const api = apis.find(({ definition }) => uri === `${prefix}${definition.id}`)
      if (!api || !mayCall(api.definition.id)) return undefined
      const { definition, credits } = api
      const answer = exampleAnswer(definition)
      const text = toApiPage(definition, { ...exampleService, credits, answer })
      return { contents: [{ uri, mimeType: "text/markdown", text }] }
    },
  }
}
