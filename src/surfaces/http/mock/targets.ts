import { InputRejected } from "../../../apis/contract.ts"
import type { Input, RawInput } from "../../../call/input.ts"
import type { PreparedApi } from "../../../call/prepared-api.ts"
import type { Target } from "../../../mock/faults.ts"
import { isObject, parseJson, toObject } from "../../../values/is-object.ts"
import { parseQuery } from "../read/query.ts"
import { isValidHost, sentKey } from "../request.ts"

/** With or without a slash at the end: the service takes both for the same path. */
const paths = /^\/v1\/([a-z0-9]+)(\/batch)?\/?$/

const mcpPaths = /^\/mcp((?:\/search)?)\/?$/

/** The APIs that a request calls: one by path or tool, several by a GraphQL query, none for usage. Null if it is no call. */
export async function targetOf(
  request: Request,
  path: string,
  body: string,
  apis: ReadonlyMap<string, PreparedApi>,
): Promise<Target | null> {
  const { headers, method } = request
  if (method === "OPTIONS" || !isValidHost(headers.get("host"))) return null
  const key = sentKey(headers)
  const [, search] = mcpPaths.exec(path) ?? []
  if (search !== undefined) {
    const call = toolCall(body, search !== "")
    const called = call && apis.get(call.api)
    if (!called) return null
    return { apis: [call.api], key, inputsOf: () => inputs(called, [() => typed(call.values)]) }
  }
  const [, id, batch] = paths.exec(path) ?? []
  if (id === undefined) return null
  if (id === "usage" && !batch) return { apis: [], key, inputsOf: () => [] }
  if (id === "graphql" && !batch) {
    const { graphqlCalls } = await import("./graphql-calls.ts")
    const calls = graphqlCalls(body, apis)
    const inputsOf = (called: string) => inputs(apis.get(called), calls.get(called) ?? [])
    return { apis: [...calls.keys()], key, inputsOf }
  }
  const api = apis.get(id)
  if (!api) return null
  const given = () => {
    if (batch) return batchInputs(body)
    if (api.definition.method === "GET") return [() => parseQuery(request.url)]
    return [() => typed(parseObject(body))]
  }
  return { apis: [id], key, inputsOf: () => inputs(api, given()) }
}

/** Inputs as the API gets them. Inputs that it refuses are left out. */
function inputs(api: PreparedApi | undefined, given: readonly (() => RawInput)[]): Input[] {
  return given.flatMap((read) => {
    try {
      return api ? [api.readInput(read())] : []
    } catch (thrown) {
      if (thrown instanceof InputRejected) return []
      throw thrown
    }
  })
}

/** The API that a message of MCP calls, and its parameters; null when it calls none. */
function toolCall(body: string, search: boolean) {
  const { method, params } = parseObject(body)
  if (method !== "tools/call" || !isObject(params)) return null
  const given = toObject(params.arguments)
  if (!search) return typeof params.name === "string" ? { api: params.name, values: given } : null
  if (params.name !== "call_api" || typeof given.id !== "string") return null
  return { api: given.id, values: toObject(given.input) }
}

function batchInputs(body: string): (() => RawInput)[] {
  const { inputs } = parseObject(body)
  return Array.isArray(inputs) ? inputs.filter(isObject).map((values) => () => typed(values)) : []
}

function typed(values: Readonly<Record<string, unknown>>): RawInput {
  return { kind: "typed", values }
}

/** An empty object for a body that the service refuses. */
const parseObject = (body: string) => toObject(parseJson(body))
