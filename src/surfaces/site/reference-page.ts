import { byCategory } from "../../apis/categories.ts"
import { type Html, html } from "./html.ts"
import { linksToRules } from "./rule-list.ts"
import type { Site, WritePage } from "./site.ts"

export interface ReferenceParts {
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
  return write({
    name,
    description,
    main: html`<div class="inner doc">
<nav class="side" aria-label="Reference">
${linkList([{ href: "/docs", text: "Search and index" }], path)}
<details open><summary class="muted small">Rules</summary>${linkList(linksToRules(site), path)}</details>
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
