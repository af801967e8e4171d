import { inputFault } from "../../call/fault.ts"

type Values = Readonly<Record<string, unknown>>

/**
 * Reads the parameters of a GraphQL request from its JSON body (GraphQL over HTTP §5.1).
 * @throws Fault naming the parameter that has to change
 */
export function readParameters(body: Values): {
  query: string
  operationName: string | null
  variables: Values
} {
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

function readMap(name: string, value: unknown): Values {
  if (value === undefined || value === null) return {}
  if (typeof value !== "object" || Array.isArray(value)) throw inputFault(name, "must be an object")
  return value as Values
}
