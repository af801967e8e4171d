import { byCategory } from "../../apis/categories.ts"
import { deprecationText } from "../../apis/contract.ts"
import { toCurl } from "../../code-examples/code-call.ts"
import { priceText } from "../openapi/api-parts.ts"
import type { DocumentedApi } from "../openapi/json-object.ts"
import { shortestExample } from "./api-examples.ts"
import { costLine, countText, domainCheck, operator, plansSection } from "./offer.ts"
import { partLinks, searchBox } from "./search-box.ts"
import { firstSentence, type Html, html, type Site, type WritePage, withCode } from "./site.ts"
import { codeBlock } from "./tabs.ts"

/** The page at `/`: what the service offers, made from the catalog. */
export function landingPage(site: Site, write: WritePage): string {
  const count = site.apis.length
  const categories = byCategory(site.apis)
  const headline = `${countText(count, "utility API")}, one key`
  return write({
    name: null,
    description: `${headline}: ${categories.map(({ heading }) => heading.toLowerCase()).join(", ")}.`,
    main: html`${domainCheck(site)}<section class="hero">
<div class="inner">
<div class="words">
<h1>${headline}</h1>
<p class="lead muted">Each does one small job and gives an exact answer, in JSON, XML, YAML or CSV. A successful call costs credits. Refused calls are free.</p>
${costLine(site)}
<p class="actions row gap-3">${actionsOf(site)}</p>
${keyHint(site)}
</div>
${sample(site)}
</div>
</section>
${plansSection(site)}
<section id="apis" class="inner" aria-labelledby="apis-heading">
<h2 id="apis-heading">APIs</h2>
${searchBox({ label: "Find an API by name or task", many: "APIs" })}
${partLinks(categories.map(({ apis, ...part }) => ({ ...part, count: apis.length })))}
${categories.map(
  ({
    anchor,
    heading,
    apis,
  }) => html`<section aria-labelledby="${anchor}"><h3 class="group" id="${anchor}">${heading}</h3>
<ul class="cards">${auditsFirst(apis).map(card)}</ul></section>`,
)}
</section>
<section class="inner" aria-labelledby="ways-heading">
<h2 id="ways-heading">Ways to call them</h2>
<dl class="ways">${waysOf(site).map(({ name, path, text }) => html`<div><dt>${name}</dt><dd class="muted"><code>${path}</code><p>${text}</p></dd></div>`)}</dl>
</section>`,
  })
}

/** The first one is what a stranger most likely wants. */
function actionsOf({ offer: { signUp, plans } }: Site): readonly Html[] {
  return [
    signUp !== null && { href: signUp, text: "Sign up" },
    { href: "#apis", text: "See the APIs" },
    plans.length > 0 && { href: "#plans", text: "See the plans" },
    { href: "/docs", text: "Read the reference" },
  ]
    .filter((action) => action !== false)
    .slice(0, 3)
    .map(
      ({ href, text }, index) =>
        html`<a class="button${index === 0 && " primary"}" href="${href}">${text}</a>`,
    )
}

/** An audit asks the other APIs of its category, so it stands before them. */
function auditsFirst(apis: readonly DocumentedApi[]): readonly DocumentedApi[] {
  const isAudit = ({ definition: { output } }: DocumentedApi) =>
    Object.values(output.properties).some((field) => field["x-report"] === true)
  return apis.toSorted((one, other) => Number(isAudit(other)) - Number(isAudit(one)))
}

function keyHint({ portal, offer, guests }: Site): Html {
  if (guests) {
    const calls = countText(guests.callsPerMinute, "call")
    return html`<p class="hint">You can try most of them without a key, ${calls} a minute: open one and press “Try it”.</p>`
  }
  return portal
    ? html`<p class="hint">Already have a key? <a href="/portal">Sign in to the portal</a> to see what it has used and to create more.</p>`
    : html`<p class="hint">Every call needs an API key, which you get from ${operator(offer)}.</p>`
}

function sample(site: Site): Html | null {
  const shown = shortestExample(site)
  if (!shown) return null
  const { definition, call, example } = shown
  const answer = { status: "ok", error: null, data: example.output }
  return html`<div class="sample box">
<p class="caption muted small">A call</p>
${codeBlock("curl", `A call of ${definition.title}`, toCurl(call))}
<p class="caption muted small">The answer</p>
${codeBlock("json", `The answer of ${definition.title}`, JSON.stringify(answer, null, 2))}
</div>`
}

function card({ definition, credits }: DocumentedApi): Html {
  const { id, title, description, method, deprecation, keywords = [] } = definition
  return html`<li class="entry box" data-terms="${keywords.join(" ")}">
<h4><a class="title" href="/apis/${id}">${title}</a></h4>
${deprecation && html`<p class="tag warn">${deprecationText(deprecation)}</p>`}
<p>${withCode(firstSentence(description))}</p>
<p class="call row"><span class="method">${method}</span> <code>/v1/${id}</code></p>
<p class="foot row"><span class="price">${priceText(credits)}</span><a href="/apis/${id}" aria-label="Documentation of ${title}">Documentation</a><a href="/apis/${id}#try" aria-label="Try it: ${title}">Try it</a></p>
</li>`
}

function waysOf({ graphql, mcp }: Site): readonly { name: string; path: string; text: string }[] {
  return [
    {
      name: "One call",
      path: "/v1/{api}",
      text: "GET with a query or POST with JSON. “format” chooses JSON, XML, YAML or CSV.",
    },
    {
      name: "Many inputs",
      path: "POST /v1/{api}/batch",
      text: "Up to 200 inputs of one API in one request. Only those that succeed are charged.",
    },
    graphql && {
      name: "GraphQL",
      path: "POST /v1/graphql",
      text: "Several APIs in one query. Nothing runs if your credits do not cover it.",
    },
    mcp && { name: "For agents", path: "/mcp", text: "The APIs as tools of the Model Context Protocol." },
    {
      name: "What is left",
      path: "GET /v1/usage",
      text: "The credits, limits and usage of the key’s account. This call is free.",
    },
  ].filter((way) => way !== false)
}
