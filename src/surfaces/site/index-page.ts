import { byCategory } from "../../apis/categories.ts"
import { deprecationText } from "../../apis/contract.ts"
import { priceText } from "../openapi/api-parts.ts"
import type { DocumentedApi } from "../openapi/json-object.ts"
import { parameterAnchor } from "./api-fields.ts"
import { allRefusals } from "./api-refusals.ts"
import { firstSentence, type Html, html, withCode } from "./html.ts"
import { referencePage, rulesOf } from "./reference-page.ts"
import { partLinks, searchBox } from "./search-box.ts"
import type { Site, WritePage } from "./site.ts"

/**
 * The page at `/docs`: every API with its parameters, every rule and every error. The page's script searches them; without
 * it the lists can be read.
 */
export function indexPage(site: Site, write: WritePage): string {
  const parts = partsOf(site)
  return referencePage(
    site,
    {
      name: "Reference",
      description: "Every API with its parameters, the rules that hold for all of them, and every error.",
      path: "/docs",
      article: html`<header>
<h1>Reference</h1>
<p class="lead muted">Every API has a page with its parameters, answers, errors, price and code, and a form that calls it. The rules hold for all of them.</p>
</header>
${searchBox({ label: "Search APIs, parameters and errors", many: "entries" })}
${partLinks(parts.map(({ entries, ...each }) => ({ ...each, count: entries.length })))}
${parts.map(part)}`,
    },
    write,
  )
}

interface Part {
  /** The id of its heading. */
  readonly anchor: string
  readonly heading: string
  readonly entries: readonly Html[]
}

function partsOf(site: Site): readonly Part[] {
  const rules = rulesOf(site).map(
    ({ id, title, summary }) =>
      html`<li class="entry"><a class="title" href="/docs/${id}">${title}</a><p>${summary}</p></li>`,
  )
  const errors = allRefusals(site).map(
    ({ status, code, message }) =>
      html`<li class="entry"><a class="title" href="/docs/errors#${code}"><code>${code}</code></a> <span class="type muted">${status}</span><p>${message}</p></li>`,
  )
  return [
    { anchor: "rules", heading: "Rules", entries: rules },
    ...byCategory(site.apis).map(({ apis, ...each }) => ({ ...each, entries: apis.map(apiEntry) })),
    { anchor: "errors", heading: "Errors", entries: errors },
  ]
}

function part({ anchor, heading, entries }: Part): Html {
  return html`<section aria-labelledby="${anchor}"><h2 id="${anchor}">${heading}</h2><ul class="index">${entries}</ul></section>`
}

function apiEntry({ definition, credits }: DocumentedApi): Html {
  const { id, title, description, input, deprecation, keywords = [] } = definition
  return html`<li class="entry" data-terms="${keywords.join(" ")}"><a class="title" href="/apis/${id}">${title}</a> <code>${id}</code> <span class="price">${priceText(credits)}</span>
${deprecation && html`<p class="warning">${deprecationText(deprecation)}</p>`}<p>${withCode(firstSentence(description))}</p>
<ul class="names row" aria-label="Parameters of ${title}">${Object.entries(input.properties).map(
    ([name, schema]) =>
      html`<li data-terms="${schema.description ?? ""}"><a href="/apis/${id}#${parameterAnchor(name)}"><code>${name}</code></a></li>`,
  )}</ul></li>`
}
