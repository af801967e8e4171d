import type { Site } from "./site.ts"

/** The rules that hold for every API, each with a page below `/docs`. */
const rules = [
  { id: "identity", title: "Identity", summary: "How to send a key, and the limits that it can have." },
  { id: "errors", title: "Errors", summary: "What a refusal looks like, and every status with its codes." },
  { id: "formats", title: "Formats", summary: "The same answer as JSON, XML, YAML or CSV." },
  {
    id: "limits",
    title: "Limits",
    summary: "How many calls a minute you can make, and how large they can be.",
  },
  {
    id: "credits",
    title: "Credits",
    summary: "The price of a call, the credits that are left, and premium fields.",
  },
  { id: "batch", title: "Batch", summary: "Up to 200 inputs of one API in one request." },
  { id: "graphql", title: "GraphQL", summary: "Several APIs in one query." },
  { id: "mcp", title: "MCP", summary: "The APIs as tools for agents." },
] as const

export type RuleId = (typeof rules)[number]["id"]

/** The rules of a service. Rules of GraphQL and MCP are left out where it does not serve them. */
export function rulesOf({ graphql, mcp }: Pick<Site, "graphql" | "mcp">) {
  return rules.filter(({ id }) => (id !== "graphql" || graphql) && (id !== "mcp" || mcp))
}

export function linksToRules(site: Site): readonly { readonly href: string; readonly text: string }[] {
  return rulesOf(site).map(({ id, title }) => ({ href: `/docs/${id}`, text: title }))
}
