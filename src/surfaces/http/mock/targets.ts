import type { DocumentNode } from "graphql"
import type { Target } from "../../../mock/faults.ts"

const paths = /^\/v1\/([a-z0-9]+)(?:\/batch)?$/

/**
 * Which APIs a request calls: one by its path, several by a GraphQL query, none for usage. Null for what is no call.
 * @param body of the request, empty where it has none
 */
export async function targetOf(
  request: Request,
  path: string,
  body: string,
  apiIds: ReadonlySet<string>,
): Promise<Target | null> {
  const id = paths.exec(path)?.[1]
  if (id === undefined || request.method === "OPTIONS") return null
  const key = request.headers.get("x-api-key")
  if (id === "usage") return { apis: [], key }
  if (id === "graphql") return { apis: (await rootFields(body)).filter((name) => apiIds.has(name)), key }
  return apiIds.has(id) ? { apis: [id], key } : null
}

/** The names that a GraphQL request asks for at the top; none when it cannot be read. */
async function rootFields(body: string): Promise<string[]> {
  try {
    const { query } = JSON.parse(body)
    const { parse } = await import("graphql")
    return [...new Set(fieldsOf(parse(query, { noLocation: true, maxTokens: 20_000 })))]
  } catch {
    return []
  }
}

/** Fields of operations and of fragments on the root type, as no other type's fields are APIs. */
function fieldsOf({ definitions }: DocumentNode): string[] {
  return definitions.flatMap((definition) => {
    const isRoot =
      definition.kind === "OperationDefinition" ||
      (definition.kind === "FragmentDefinition" && definition.typeCondition.name.value === "Query")
    if (!isRoot) return []
    return definition.selectionSet.selections.flatMap((selection) => {
      if (selection.kind === "Field") return [selection.name.value]
      if (selection.kind === "FragmentSpread") return []
      return selection.selectionSet.selections.flatMap((inner) =>
        inner.kind === "Field" ? [inner.name.value] : [],
      )
    })
  })
}
