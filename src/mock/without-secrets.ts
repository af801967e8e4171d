import { type ApiDefinition, secretsOf } from "../apis/contract.ts"
import { isObject, parseJson } from "../values/is-object.ts"

/** Replaces a secret. */
const hidden = "(secret)"
const hiddenBody = "(left out: it may hold a secret)"

/** A request as the journal keeps it. */
interface ShownRequest {
  /** With the query. */
  readonly path: string
  readonly body: string
}

/**
 * Makes the function that takes the values of secret parameters out of a request. A body that cannot be read, and the texts of a
 * GraphQL query that names an API with secrets, are left out whole.
 */
export function createSecretFilter(apis: readonly ApiDefinition[]) {
  const secrets = new Map(apis.map((api) => [api.id, secretsOf(api)]))
  const withSecrets = [...secrets].filter(([, names]) => names.length > 0)

  /** The secret parameters of the API in a path; of all that a text names, where the path names none. */
  function namesFor(path: string, text: string): ReadonlySet<string> {
    const [, id = ""] = /^\/v1\/([a-z0-9]+)/.exec(path) ?? []
    const ofApi = secrets.get(id)
    if (ofApi) return new Set(ofApi)
    const isOfSeveral = /^\/(?:mcp|v1\/graphql)(?:\/|\?|$)/.test(path)
    return new Set(withSecrets.flatMap(([api, names]) => (!isOfSeveral || text.includes(api) ? names : [])))
  }

  return ({ path, body }: ShownRequest): ShownRequest => {
    if (withSecrets.length === 0 || !/^\/(?:v1|mcp)\//.test(`${path.split("?")[0]}/`)) return { path, body }
    const parsed = parseJson(body)
    const names = namesFor(path, parsed === undefined ? body : JSON.stringify(parsed))
    if (names.size === 0) return { path, body }
    // No API with a secret reads a query.
    const shownPath = path.replace(/\?.*$/s, `?${hidden}`)
    if (body === "") return { path: shownPath, body }
    if (parsed === undefined) return { path: shownPath, body: hiddenBody }
    const isQuery = path.startsWith("/v1/graphql")
    let isChanged = false
    const shown = JSON.stringify(parsed, (key, value: unknown) => {
      if (isQuery && key === "query" && typeof value === "string") {
        isChanged = true
        return withoutLiterals(value)
      }
      // An input of a batch that is no object may be the value itself.
      if (key === "inputs" && Array.isArray(value)) return value.map((one) => (isObject(one) ? one : hidden))
      if (value === null || !(names.has(key) || (isQuery && key === "variables"))) return value
      isChanged = true
      return hidden
    })
    return { path: shownPath, body: isChanged ? shown : body }
  }
}

/** A GraphQL document without its texts and numbers (GraphQL §2.9). */
function withoutLiterals(query: string): string {
  return query.replace(/"""[\s\S]*?(?:"""|$)|"(?:\\.|[^"\\\n])*"?|(?<![\w$])-?\d[\w.+-]*/g, `"${hidden}"`)
}
