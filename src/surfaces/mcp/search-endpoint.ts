import type { CallToolResult, Tool } from "@modelcontextprotocol/server"
import type { PreparedApi } from "../../call/prepared-api.ts"
import { isObject } from "../../values/is-object.ts"
import { apiResources, toTool } from "./catalog-endpoint.ts"
import type { McpClient, McpEndpoint, ToolInput } from "./endpoint.ts"
import { dataResult, errorResult, withPictures } from "./results.ts"
import { createSearch } from "./search.ts"

/** The most APIs that a search for words returns. */
const maxFound = 10
/** Three tools that find, describe and call any API, so that a large catalog takes little room in a model's context. */
export function createSearchEndpoint(apis: readonly PreparedApi[]): McpEndpoint {
  const { resources, read } = apiResources(apis)
  const search = createSearch(apis.map(({ definition }) => definition))

  function searchApis(query: string, { lists }: McpClient): CallToolResult {
    const places = search(query).filter((place) => apis[place] && lists(apis[place]))
    const found = (query.trim() === "" ? places : places.slice(0, maxFound)).flatMap(
      (place) => apis[place] ?? [],
    )
    return dataResult({
      apis: found.map(({ definition, credits }) => ({
        id: definition.id,
        title: definition.title,
        description: definition.description,
        credits,
      })),
    })
  }

  function findApi(id: unknown, { mayCall }: McpClient): PreparedApi | undefined {
    return apis.find(({ definition }) => definition.id === id && mayCall(definition.id))
  }

  const freeRuns: Readonly<Record<string, (input: ToolInput, client: McpClient) => CallToolResult>> = {
    search_apis: ({ query }, client) =>
      typeof query === "string"
        ? searchApis(query, client)
        : errorResult("The 'query' parameter is required and must be a string."),
    describe_api({ id }, client) {
      const api = findApi(id, client)
      return api ? describe(api) : unknownApi
    },
    call_api: ({ id }, client) =>
      findApi(id, client)
        ? errorResult("The 'input' parameter must be an object with the API's parameters.")
        : unknownApi,
  }

  return {
    resources,
    read,
    instructions:
      "Find a utility with search_apis, read its parameters with describe_api, then run it with call_api. Only call_api costs credits.",
    tools: () => searchTools,
    call(name, input, client) {
      const { id, input: values = {} } = input
      const api = name === "call_api" ? findApi(id, client) : undefined
      if (api && isObject(values)) {
        return client.callApi(api, values).then((result) => withPictures(result, api))
      }
      const run = Object.hasOwn(freeRuns, name) ? freeRuns[name] : undefined
      return run && client.countFreeCall().then((refusal) => refusal ?? run(input, client))
    },
  }
}

const unknownApi = errorResult("The 'id' parameter must be the id of an API; 'search_apis' finds them.")

function describe(api: PreparedApi): CallToolResult {
  const { inputSchema, outputSchema, description } = toTool(api)
  const { id, examples } = api.definition
  const [example] = examples
  return dataResult({
    id,
    description,
    input: inputSchema,
    output: outputSchema,
    example: example?.input,
    example_note: example?.note,
  })
}

const free = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
const apiId = { type: "string", description: "The API's id, from search_apis." }

const searchTools: readonly Tool[] = [
  {
    name: "search_apis",
    title: "Search APIs",
    description: "Finds utility APIs by words and returns their ids, descriptions and prices. Free.",
    inputSchema: {
      type: "object",
      properties: {
        query: { type: "string", description: "What you want to do, in a few words. Empty returns all." },
      },
      required: ["query"],
    },
    annotations: free,
  },
  {
    name: "describe_api",
    title: "Describe an API",
    description: "Returns the parameters, the fields of the answer and an example of an API. Free.",
    inputSchema: { type: "object", properties: { id: apiId }, required: ["id"] },
    annotations: free,
  },
  {
    name: "call_api",
    title: "Call an API",
    description: "Runs an API. Costs its credits; a refused call is free.",
    inputSchema: {
      type: "object",
      properties: {
        id: apiId,
        input: { type: "object", description: "The API's parameters, from describe_api." },
      },
      required: ["id", "input"],
    },
    annotations: { ...free, openWorldHint: true },
  },
]
