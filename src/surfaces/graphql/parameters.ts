import { inputFault } from "../../call/fault.ts"

/** What a request to the gateway says. */
export interface GraphqlParameters {
  readonly query: string
  readonly operationName: string | null
  readonly variables: Readonly<Record<string, unknown>>
}

/**
 * Reads the parameters of a GraphQL request from its JSON body (GraphQL over HTTP §5.1).
 * @throws Fault naming the parameter that has to change
 */
export function readParameters(body: Readonly<Record<string, unknown>>): GraphqlParameters {
  const { query, operationName = null, variables, extensions } = body
  if (typeof query !== "string" || query === "") {
    throw inputFault("query", `${query === undefined ? "is required and " : ""}must be a non-empty string`)
  }
  if (operationName !== null && typeof operationName !== "string") {
    throw inputFault("operationName", "must be a string")
  }
  readMap("extensions", extensions)
  return { query, operationName, variables: readMap("variables", variables) }
}

function readMap(name: string, value: unknown): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {}
  if (typeof value !== "object" || Array.isArray(value)) throw inputFault(name, "must be an object")
  return value as Record<string, unknown>
}
