import type { DocumentNode } from "graphql"
import type { Target } from "../../../mock/faults.ts"
import { isValidHost } from "../host.ts"
import { sentKey } from "../sent-key.ts"

/** With or without a slash at the end: the service takes both for the same path. */
const paths = /^\/v1\/([a-z0-9]+)(\/batch)?\/?$/

/** The APIs that a request calls: one by its path, several by a GraphQL query, none for usage. Null when it is no call. */
export async function targetOf(
  request: Request,
  path: string,
  body: string,
  apiIds: ReadonlySet<string>,
): Promise<Target | null> {
  const [, id, batch] = paths.exec(path) ?? []
  const { headers, method } = request
  if (id === undefined || method === "OPTIONS" || !isValidHost(headers.get("host"))) return null
  const key = sentKey(headers)
  if (batch) return apiIds.has(id) ? { apis: [id], key } : null
  if (id === "usage") return { apis: [], key }
  if (id === "graphql") return { apis: (await rootFields(body)).filter((name) => apiIds.has(name)), key }
  return apiIds.has(id) ? { apis: [id], key } : null
}

/** The root fields of a GraphQL request; none when it cannot be parsed. */
async function rootFields(body: string): Promise<string[]> {
  try {
    const { query } = JSON.parse(body)
    const { parse } = await import("graphql")
    return [...new Set(fieldsOf(parse(query, { noLocation: true, maxTokens: 20_000 })))]
  } catch {
    return []
  }
}

/** Fields of operations and of fragments on the root type: only those are APIs. */
function fieldsOf({ definitions }: DocumentNode): string[] {
  return definitions.flatMap((definition) => {
    const isRoot =
      definition.kind === "OperationDefinition" ||
      (definition.kind === "FragmentDefinition" && definition.typeCondition.name.value === "Query")
    if (!isRoot) return []
    return definition.selectionSet.selections.flatMap((selection) => {
      if (selection.kind === "Field") return [selection.name.value]
      if (selection.kind === "FragmentSpread") return []
      const inFragment = selection.selectionSet.selections
      return inFragment.flatMap((inner) => (inner.kind === "Field" ? [inner.name.value] : []))
    })
  })
}
