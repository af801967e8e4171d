import { deprecationText } from "../../apis/contract.ts"
import { priceText } from "../openapi/api-parts.ts"
import type { DocumentedApi } from "../openapi/json-object.ts"
import { examplesOf } from "./api-examples.ts"
import { fieldList, parameterList } from "./api-fields.ts"
import { refusalsOf } from "./api-refusals.ts"
import { firstSentence } from "./first-sentence.ts"
import { type Html, html, withCode } from "./html.ts"
import { playgroundOf, type Site, type WritePage } from "./site.ts"

/** The page of one API: all of it made from its definition. */
export function apiPage(site: Site, api: DocumentedApi, write: WritePage): string {
  const { id, title, description, method, deprecation, input, output } = api.definition
  const sections = [
    { id: "examples", name: "Examples", content: examplesOf(site, api) },
    { id: "parameters", name: "Parameters", content: parameterList(input) },
    { id: "answer", name: "Answer", content: fieldList(output) },
    { id: "errors", name: "Errors", content: refusalsOf(site, api) },
    { id: "price", name: "Price", content: priceOf(site, api) },
  ].filter(({ content }) => content !== null)
  return write({
    name: title,
    description: firstSentence(description),
    main: html`<div class="inner doc">
<nav class="side" aria-label="APIs">
<h2>APIs</h2>
<ul>${site.apis.map(({ definition: other }) => html`<li><a href="/apis/${other.id}"${other.id === id && html` aria-current="page"`}>${other.title}</a></li>`)}</ul>
</nav>
<article>
<header>
<h1>${title}</h1>
<p class="call"><span class="method">${method}</span> <code>/v1/${id}</code> <span class="price">${priceText(api.credits)}</span></p>
${deprecation && html`<p class="notice warning">${deprecationText(deprecation)}</p>`}
<p class="lead">${withCode(description)}</p>
<p class="actions"><a class="button" href="${playgroundOf(site, id)}">Try it</a><a class="button quiet" href="/openapi/${id}.json">OpenAPI</a><a class="button quiet" href="/docs/${id}.md">Markdown</a></p>
</header>
${sections.map(({ id: part, name, content }) => html`<section aria-labelledby="${part}"><h2 id="${part}">${name}</h2>${content}</section>`)}
</article>
</div>`,
  })
}

function priceOf({ graphql, mcp }: Site, { definition: { id }, credits }: DocumentedApi): Html {
  const ways = [
    "a call",
    ...(graphql ? ["a field of GraphQL"] : []),
    ...(mcp ? ["a tool call over MCP"] : []),
  ]
  return html`<p>${priceText(credits)} for each answer with status 200, whether it is ${listOf(ways)}. A batch (<code>POST /v1/${id}/batch</code>, up to 200 inputs) costs ${priceText(credits)} for each input that succeeds. A refused call costs nothing.</p>
<p>Every answer to a known key says in its headers what is used and left: <code>X-API-Credits-Used</code>, <code>X-API-Remaining-Credits</code>, <code>X-API-Max-Credits</code>, <code>X-API-Renewal</code>.</p>`
}

function listOf(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`
}
