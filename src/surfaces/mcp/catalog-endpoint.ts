import type { Tool } from "@modelcontextprotocol/server"
import { byCategory } from "../../apis/categories.ts"
import { deprecationText } from "../../apis/contract.ts"
import type { PreparedApi } from "../../call/prepared-api.ts"
import { isObject } from "../../values/is-object.ts"
import { exampleAnswer, toApiPage } from "../markdown/api-page.ts"
import { priceText } from "../openapi/api-parts.ts"
import { type JsonObject, toJsonSchema } from "../openapi/json-object.ts"
import type { McpEndpoint } from "./endpoint.ts"
import { withPictures } from "./results.ts"

/** The most bytes of a list of tools, since all of it is in a model's context. */
const maxListBytes = 24_000
/** With more APIs the instructions tell of the search. */
const maxWithoutSearch = 12

/**
 * One tool per API, named by the API's id, and the documentation of each API as a resource.
 * @param search where to find the tools that search, for the instructions
 */
export function createCatalogEndpoint(
  apis: readonly PreparedApi[],
  search = "The endpoint /mcp/search",
): McpEndpoint {
  const byId = new Map(apis.map((api) => [api.definition.id, api] as const))
  const sized = apis.map((api) => ({
    api,
    // With the comma that follows it in a list.
    forms: toForms(api).map((tool) => ({ tool, bytes: Buffer.byteLength(JSON.stringify(tool)) + 1 })),
  }))
  return {
    ...apiResources(apis),
    instructions: instructionsFor(apis, search),
    tools(client) {
      const listed = sized.filter(({ api }) => client.lists(api))
      const forms = listed[0]?.forms.map((_, form) => listed.flatMap(({ forms }) => forms[form] ?? [])) ?? []
      const sizeOf = (tools: readonly { readonly bytes: number }[]) =>
        tools.reduce((sum, { bytes }) => sum + bytes, 2)
      const fitting = forms.find((tools) => sizeOf(tools) <= maxListBytes) ?? forms.at(-1) ?? []
      // The last tools of a huge catalog are left out; the instructions say where to find them.
      let room = maxListBytes - 2
      return fitting.flatMap(({ tool, bytes }) => {
        room -= bytes
        return room >= 0 ? tool : []
      })
    },
    call(name, input, client) {
      const api = byId.get(name)
      return api && client.callApi(api, input).then((result) => withPictures(result, api))
    },
  }
}

function instructionsFor(apis: readonly PreparedApi[], search: string): string {
  const first =
    "Each tool is one small utility. A call costs the credits that its description names; a call that is refused costs nothing."
  if (apis.length <= maxWithoutSearch) return first
  const names = byCategory(apis).map(({ name }) => name)
  return `${first} There are ${apis.length}, so their descriptions are short. ${search} has three tools that find, describe and call any of them. /mcp?category=NAME lists one category: ${names.join(", ")}.`
}

/** An API as a tool of the Model Context Protocol. */
export function toTool({ definition, credits }: PreparedApi): Tool {
  const { id, title, description, input, output, asksDns, asksWeb, deprecation } = definition
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
      openWorldHint: asksDns === true || asksWeb === true,
    },
  }
}

/** A tool in forms that are each shorter than the one before. */
function toForms(api: PreparedApi): readonly Tool[] {
  const { outputSchema = { type: "object" }, ...tool } = toTool(api)
  const { name, title, description = "", inputSchema, annotations } = tool
  const [sentence = ""] = /^.*?[.:](?= |$)/s.exec(description) ?? []
  const short = {
    name,
    description: `${sentence} Costs ${priceText(api.credits)}.`,
    // The title is in the annotations already, and the other hints have no meaning for a tool that only reads.
    annotations: { title, readOnlyHint: true, openWorldHint: annotations?.openWorldHint },
  }
  return [
    { ...tool, outputSchema: { ...withoutDescriptions(outputSchema), type: "object" } },
    tool,
    { ...short, inputSchema },
    { ...short, inputSchema: { ...withoutDescriptions(inputSchema), type: "object" } },
    { name, description: short.description, inputSchema: { ...namesAndTypes(inputSchema), type: "object" } },
    { name, description: short.description, inputSchema: { type: "object" } },
  ]
}

/** A JSON Schema without the descriptions of its parts. */
function withoutDescriptions<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(withoutDescriptions) as T
  if (!isObject(schema)) return schema
  const parts = Object.entries(schema).filter(([name, part]) => name !== "description" || isObject(part))
  return Object.fromEntries(parts.map(([name, part]) => [name, withoutDescriptions(part)])) as T
}

/** The parameters with no more than types and choices, and which of them are required. */
function namesAndTypes({ properties = {}, required }: Tool["inputSchema"]): object {
  const members = Object.entries(properties).map(([name, schema]) => {
    const { type, enum: choices, anyOf } = schema as JsonObject
    return [name, choices ? { enum: choices } : { type, anyOf }]
  })
  return {
    ...withoutDescriptions({ properties: Object.fromEntries(members) }),
    ...(required && { required }),
  }
}

const prefix = "penknife://apis/"

/** The address and key in the examples: those of a local test double. */
const exampleService = { url: "http://localhost:8090", key: "mock-pro" }

/** The documentation of each API, with its examples, as resources in Markdown. */
export function apiResources(apis: readonly PreparedApi[]): Pick<McpEndpoint, "resources" | "read"> {
  return {
    resources: (client) =>
      apis.filter(client.lists).map(({ definition: { id, title, description } }) => ({
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
