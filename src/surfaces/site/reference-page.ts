import { groupsOf } from "./api-groups.ts"
import { type Html, html } from "./html.ts"
import { linksToRules } from "./rule-list.ts"
import type { Site, WritePage } from "./site.ts"

export interface ReferenceParts {
  /** The heading, and the window's title. */
  readonly name: string
  readonly description: string
  /** The path of the page, which the list beside it marks. */
  readonly path: string
  readonly article: Html
}

/** A page of the reference: the list of all its pages, and an article beside it. */
export function referencePage(
  site: Site,
  { name, description, path, article }: ReferenceParts,
  write: WritePage,
): string {
  const groups = groupsOf(site.apis).map(({ title, apis }) => {
    const links = apis.map(({ definition: { id, title } }) => ({ href: `/apis/${id}`, text: title }))
    return linkList(title, links, path)
  })
  return write({
    name,
    description,
    main: html`<div class="inner doc">
<nav class="side" aria-label="Reference">
${linkList("Reference", [{ href: "/docs", text: "Search and index" }], path)}
${groups}
${linkList("Rules", linksToRules(site), path)}
</nav>
<article>
${article}
</article>
</div>`,
  })
}

function linkList(
  title: string,
  links: readonly { readonly href: string; readonly text: string }[],
  path: string,
): Html {
  return html`<h2>${title}</h2>
<ul>${links.map(({ href, text }) => html`<li><a href="${href}"${href === path && html` aria-current="page"`}>${text}</a></li>`)}</ul>`
}
