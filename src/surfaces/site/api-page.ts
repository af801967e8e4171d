import { deprecationText } from "../../apis/contract.ts"
import { priceText } from "../openapi/api-parts.ts"
import type { DocumentedApi } from "../openapi/json-object.ts"
import { examplesOf } from "./api-examples.ts"
import { fieldList, parameterList } from "./api-fields.ts"
import { refusalsOf } from "./api-refusals.ts"
import { firstSentence, type Html, html, withCode } from "./html.ts"
import { referencePage } from "./reference-page.ts"
import type { Site, WritePage } from "./site.ts"

/** The page of one API: all of it made from its definition. */
export function apiPage(site: Site, api: DocumentedApi, write: WritePage): string {
  const { id, title, description, method, deprecation, input, output } = api.definition
  const examples = examplesOf(site, api)
  return referencePage(
    site,
    {
      name: title,
      description: firstSentence(description),
      path: `/apis/${id}`,
      article: html`<header>
<h1>${title}</h1>
<p class="call row"><span class="method">${method}</span> <code>/v1/${id}</code> <span class="price">${priceText(api.credits)}</span></p>
${deprecation && html`<p class="notice warn">${deprecationText(deprecation)}</p>`}
<p class="lead muted">${withCode(description)}</p>
<p class="actions row gap-3"><a class="button primary" href="#try">Try it</a><a class="button" href="/openapi/${id}.json">OpenAPI</a><a class="button" href="/docs/${id}.md">Markdown</a></p>
</header>
<div class="columns">
<div class="text">
${section("parameters", "Parameters", parameterList(input))}
${section("answer", "Answer", fieldList(output))}
${section("errors", "Errors", refusalsOf(site, api))}
${section("price", "Price", priceOf(site, api))}
</div>
${examples && html`<section class="codes" aria-labelledby="examples"><h2 id="examples">Examples</h2>${examples}</section>`}
</div>
${section("try", "Try it", html`<div id="playground" data-api="${id}"${site.portal && html` data-portal`}${site.guests?.apis.has(id) && html` data-guests="${site.guests.callsPerMinute}"`}><p class="hint">${site.guests?.apis.has(id) ? "You need no key to try it. With a key, a successful call costs" : "Calls are real: a successful one costs"} ${priceText(api.credits)}.</p><noscript><p>The form needs JavaScript. The code above calls the API without it.</p></noscript></div>`)}`,
    },
    write,
  )
}

function section(id: string, title: string, content: Html): Html {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${content}</section>`
}

function priceOf({ graphql, mcp }: Site, { definition: { id }, credits }: DocumentedApi): Html {
  const price = priceText(credits)
  return html`<table>
<thead><tr><th scope="col">way</th><th scope="col">price of a success</th></tr></thead>
<tbody>
<tr><th scope="row">a call</th><td>${price}</td></tr>
<tr><th scope="row"><a href="/docs/batch">a batch</a>, <code>POST /v1/${id}/batch</code></th><td>${price} for each input that succeeds</td></tr>
${graphql && html`<tr><th scope="row"><a href="/docs/graphql">a GraphQL query</a></th><td>${price}, however often it names the API</td></tr>`}
${mcp && html`<tr><th scope="row"><a href="/docs/mcp">a tool call</a></th><td>${price}</td></tr>`}
</tbody>
</table>
<p>Refused calls are free. <a href="/docs/credits">More about credits</a></p>`
}
