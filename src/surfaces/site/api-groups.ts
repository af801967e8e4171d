import type { DocumentedApi } from "../openapi/json-object.ts"

/** The APIs by group, each with its heading, in the order of the catalog; those without a group come last. */
export function groupsOf(apis: readonly DocumentedApi[]) {
  const groups = Map.groupBy(apis, ({ definition }) => definition.group ?? null)
  const others = groups.get(null) ?? []
  groups.delete(null)
  const named = [...groups].map(([title, members]) => ({ title: title ?? "", apis: members }))
  if (others.length === 0) return named
  return [...named, { title: named.length === 0 ? "APIs" : "Others", apis: others }]
}
