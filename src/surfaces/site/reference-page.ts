import { byCategory } from "../../apis/categories.ts"
import { type Html, html, type Site, type WritePage } from "./site.ts"

interface ReferenceParts {
  /** The heading, and the window's title. */
  readonly name: string
  readonly description: string
  /** The page's path, highlighted in the sidebar. */
  readonly path: string
  readonly article: Html
}

/** The most APIs whose groups are all open; of more, only the group with the page is. */
const mostOpen = 12

/** A page of the reference: the list of all its pages, and an article next to it. */
export function referencePage(
  site: Site,
  { name, description, path, article }: ReferenceParts,
  write: WritePage,
): string {
  const groups = byCategory(site.apis).map(({ heading, apis }) => {
    const links = apis.map(({ definition: { id, title } }) => ({ href: `/apis/${id}`, text: title }))
    const isOpen = site.apis.length <= mostOpen || links.some(({ href }) => href === path)
    return html`<details${isOpen && html` open`}><summary class="muted small">${heading}</summary>${linkList(links, path)}</details>`
  })
  const ruleLinks = rulesOf(site).map(({ id, title }) => ({ href: `/docs/${id}`, text: title }))
  return write({
    name,
    description,
    main: html`<div class="inner doc">
<nav class="side" aria-label="Reference">
${linkList([{ href: "/docs", text: "Search and index" }], path)}
<details open><summary class="muted small">Rules</summary>${linkList(ruleLinks, path)}</details>
${groups}
</nav>
<article>
${article}
</article>
</div>`,
  })
}

function linkList(links: readonly { readonly href: string; readonly text: string }[], path: string): Html {
  return html`<ul>${links.map(({ href, text }) => html`<li><a href="${href}"${href === path && html` aria-current="page"`}>${text}</a></li>`)}</ul>`
}

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
