import type { TObject, TSchema } from "@sinclair/typebox"
import { byCategory } from "../../apis/categories.ts"
import { choicesOf, deprecationOf, deprecationText, isPremium, isSecret } from "../../apis/contract.ts"
import { toRequirement } from "../../call/requirement.ts"
import { type Field, fieldsIn, fieldsOf, typeOf } from "../markdown/api-page.ts"
import { priceText } from "../openapi/api-parts.ts"
import type { DocumentedApi } from "../openapi/json-object.ts"
import { examplesOf } from "./api-examples.ts"
import { allRefusals, refusalsOf } from "./api-refusals.ts"
import { referencePage, rulesOf } from "./reference-page.ts"
import { partLinks, searchBox } from "./search-box.ts"
import { firstSentence, type Html, html, type Site, type WritePage, withCode } from "./site.ts"

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

/** The parameters of an API: type, whether one is required, default, limits. */
function parameterList({ properties, required = [] }: TObject): Html {
  const names = new Set(required)
  return html`<dl class="fields">${Object.entries(properties).map(([name, schema]) => {
    const tags = [
      names.has(name)
        ? html`<span class="tag required">required</span>`
        : html`<span class="tag">optional</span>`,
      isPremium(schema) && html`<span class="tag premium">premium</span>`,
      isSecret(schema) && html`<span class="tag" title="It is in no log, and nobody keeps it.">secret</span>`,
    ]
    return html`<div id="${parameterAnchor(name)}">${entry(name, schema, tags, parameterFacts(schema))}</div>`
  })}</dl>
${Object.values(properties).some(isPremium) && html`<p class="hint">A premium parameter takes effect on plans with premium fields. On others it is checked and has no effect.</p>`}`
}

/** Every field of an answer's `data`. Fields of an object or list inside it are closed until someone opens them. */
function fieldList(output: TObject): Html {
  const hasPremium = fieldsOf(output).some(({ premium }) => premium)
  return html`<p>Every answer has three fields: <code>status</code> (<code>ok</code> or <code>error</code>), <code>error</code> (null, or what to change) and <code>data</code> with:</p>
${fieldsOfOne({ path: "", schema: output, premium: false })}
${hasPremium && html`<p class="hint">A premium field is absent on plans without premium fields.</p>`}`
}

function fieldsOfOne(parent: Field): Html {
  return html`<dl class="fields">${fieldsIn(parent).map((field) => {
    const tags = [field.premium && html`<span class="tag premium">premium</span>`]
    return html`<div>${entry(field.path, field.schema, tags, nestedIn(field))}</div>`
  })}</dl>`
}

function nestedIn(field: Field): Html | null {
  const count = fieldsOf(field.schema).length
  if (count === 0) return null
  return html`<details><summary>${count === 1 ? "1 field" : `${count} fields`} in <code>${field.path}</code></summary>${fieldsOfOne(field)}</details>`
}

/** Where a parameter is on the page of its API. */
function parameterAnchor(name: string): string {
  return `parameter-${name}`
}

function entry(name: string, schema: TSchema, tags: readonly (Html | false)[], more: Html | null): Html {
  const mark = deprecationOf(schema)
  return html`<dt class="row"><code>${name}</code> <span class="type muted">${withCode(typeOf(schema))}</span>${tags}${mark && html`<span class="tag warn">deprecated</span>`}</dt>
<dd><p>${withCode(schema.description ?? "")}</p>${mark && html`<p class="warning">${deprecationText(mark)}</p>`}${more}</dd>`
}

/** The limits, unless the type says them already, and the default. */
function parameterFacts(schema: TSchema): Html | null {
  const limit = toRequirement(schema).replace(/^must be /, "")
  const isSaid =
    choicesOf(schema) !== null ||
    ["a string", "a number", "a whole number", "true or false", "a JSON value"].includes(limit)
  if (isSaid && schema.default === undefined) return null
  return html`<p class="facts muted">${!isSaid && html`${limit[0]?.toUpperCase()}${limit.slice(1)}. `}${schema.default !== undefined && html`Default: <code>${String(schema.default)}</code>.`}</p>`
}
