import type { CallToolResult, Tool } from "@modelcontextprotocol/server"
import type { ApiDefinition } from "../../apis/contract.ts"
import type { PreparedApi } from "../../call/prepared-api.ts"
import { isObject } from "../../values/is-object.ts"
import { apiResources, toTool } from "./catalog-endpoint.ts"
import type { McpClient, McpEndpoint, ToolInput } from "./endpoint.ts"
import { dataResult, errorResult, withPictures } from "./results.ts"
import searchTools from "./search-tools.json"

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
    tools: () => searchTools as readonly Tool[],
    call(name, input, client) {
      const { id, input: values = {} } = input
      const api = name === "call_api" ? findApi(id, client) : undefined
      if (api && isObject(values))
        return client.callApi(api, values).then((result) => withPictures(result, api))
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

/** How much a word says that is found in a part of a definition. */
const weights = { name: 4, keywords: 4, category: 1.5, parameters: 0.7, description: 1 } as const

/** Words of questions that say nothing about what is wanted. */
const stopWords = new Set(
  (
    "a an and any are as at be by can check could do does for find from get give has have how i if in is it its me my " +
    "need not of on one or our please should show some tell that the their them there this to want was we what when " +
    "where whether which who whom why will with would you your make valid right correct real look up given into"
  ).split(" "),
)

/** An API's words, each with the weight of the best part that has it. */
type Words = ReadonlyMap<string, number>

/**
 * Returns a search by words: it gives the places of the APIs that have at least one of them, the best first. Words of id, title
 * and keywords count more than those of the description, and rare words more than those of many APIs. An empty query gives all.
 */
export function createSearch(apis: readonly ApiDefinition[]): (query: string) => readonly number[] {
  const indexed = apis.map(wordsOf)
  return (query) => {
    const all = [...new Set(split(query))]
    const telling = all.filter((word) => !stopWords.has(word))
    // A query of such words alone may still be the name of something.
    const wanted = telling.length > 0 ? telling : all
    const hits = wanted.map((word) => indexed.map((words) => matchOf(stem(word), words)))
    const scores = indexed.map((_, place) =>
      hits.reduce((sum, hit) => sum + (hit[place] ?? 0) * rarity(hit.filter((one) => one > 0).length), 0),
    )
    const places = [...apis.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0))
    return wanted.length === 0 ? places : places.filter((place) => (scores[place] ?? 0) > 0)
  }

  function rarity(found: number): number {
    return Math.log(1 + apis.length / Math.max(1, found))
  }
}

/** The weight of a word of a query: less if it is only the start of a word. */
function matchOf(wanted: string, words: Words): number {
  const whole = words.get(wanted)
  if (whole !== undefined) return whole
  if (wanted.length < 3) return 0
  const starts = [...words].filter(
    ([word]) => word.startsWith(wanted) || (word.length > 3 && wanted.startsWith(word)),
  )
  return Math.max(0, ...starts.map(([, weight]) => weight / 2))
}

function wordsOf({ id, title, keywords = [], category = "", description, input }: ApiDefinition): Words {
  const words = new Map<string, number>()
  const add = (text: string, weight: number) => {
    for (const word of split(text).map(stem)) words.set(word, Math.max(words.get(word) ?? 0, weight))
  }
  add(description, weights.description)
  add(Object.keys(input.properties).join(" "), weights.parameters)
  add(category, weights.category)
  add(keywords.join(" "), weights.keywords)
  add(`${id} ${title}`, weights.name)
  return words
}

function split(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/** Without the ending of a plural, or of a verb. */
function stem(word: string): string {
  return word.length > 3 ? word.replace(/(?:(?<=[^s])s|(?<=\w{3})(?:ing|ed))$/, "") : word
}
