import { inputFault } from "../../call/fault.ts"
import { type CodeCall, exampleService, toCurl } from "../../code-examples/code-call.ts"
import { toMachineName } from "../discovery/documents.ts"
import { toProblem } from "../http/reply/problem.ts"
import { priceText } from "../openapi/api-parts.ts"
import { answerTabs, shortestExample } from "./api-examples.ts"
import { allRefusals } from "./api-refusals.ts"
import { countText, operator } from "./offer.ts"
import { graphqlApis, type QueryExample, queryExamples } from "./query-examples.ts"
import { type RuleId, referencePage, type rulesOf } from "./reference-page.ts"
import { type Html, html, type Site, type WritePage } from "./site.ts"
import { codeBlock } from "./tabs.ts"

const contents: Readonly<Record<RuleId, (site: Site) => Html>> = {
  identity: identityRule,
  errors: errorsRule,
  formats: formatsRule,
  limits: limitsRule,
  credits: creditsRule,
  batch: batchRule,
  graphql: graphqlRule,
  mcp: mcpRule,
}

/** The page of a rule that holds for every API. */
export function rulePage(
  site: Site,
  { id, title, summary }: ReturnType<typeof rulesOf>[number],
  write: WritePage,
): string {
  return referencePage(
    site,
    {
      name: title,
      description: summary,
      path: `/docs/${id}`,
      article: html`<header><h1>${title}</h1><p class="lead muted">${summary}</p></header>
${contents[id](site)}`,
    },
    write,
  )
}

function identityRule({ portal, publicUrl, guests, offer }: Site): Html {
  const address = `${publicUrl ?? exampleService}/v1/usage`
  return html`<p>Every call needs an API key, which is <code>pk-</code> followed by 38 letters and digits. ${
    portal
      ? html`You create keys in the <a href="/portal">portal</a>, or get one from ${operator(offer)}.`
      : html`You get one from ${operator(offer)}.`
  }${guests && html` Most APIs can also be tried without a key, ${countText(guests.callsPerMinute, "call")} a minute.`} Send the key in one of these two headers:</p>
${codeBlock("curl", "The two ways to send a key", `curl ${address} -H 'x-api-key: YOUR-KEY'\ncurl ${address} -H 'Authorization: Bearer YOUR-KEY'`)}
<p>If you send both, they must have the same key. Other schemes in <code>Authorization</code> are ignored. Never put a key into the address: logs and browsers keep addresses.</p>
<h2>Limits of a key</h2>
<p>A key can have limits of its own:</p>
<ul>
<li>It may be for some APIs only, or for all but some. Calls of other APIs get a 403 with the code <code>apiForbidden</code>.</li>
<li>It may be for some IP addresses only. Calls from others get a 403 with the code <code>addressForbidden</code>.</li>
<li>It may have a limit of calls a minute, in addition to the limit of the plan.</li>
<li>It may expire. Calls after that get a 401 with the code <code>keyExpired</code>.</li>
</ul>
<p>The key is checked before the parameters, so a call without a valid key always gets a 401. Every 401 has the header <code>WWW-Authenticate: Bearer</code>.</p>`
}

function errorsRule(site: Site): Html {
  const { message: error, code: fault, status } = inputFault("lat", "must be a number from -90 to 90")
  const refused = { status: "error", error, data: null }
  const problem = toProblem({ status, fault, detail: error, requestId: "7Hf2kQ9x" })
  return html`<p>Refused calls are free. The answer to one has the same three fields as any other answer:</p>
${codeBlock("json", "A refusal", JSON.stringify(refused, null, 2))}
<p>The text in <code>error</code> says what to change. It may be reworded, so a program should read the code in the header <code>X-Error-Code</code>, which stays the same. When you report a problem, send the value of <code>X-Request-ID</code> with it.</p>
<p>With <code>Accept: application/problem+json</code>, refusals are problem details (RFC 9457). Their <code>type</code> ends with the same code:</p>
${codeBlock("json", "The same refusal as problem details", JSON.stringify(problem, null, 2))}
<h2>Statuses and codes</h2>
<ul class="index">${allRefusals(site).map(
    ({ status, code, message }) =>
      html`<li class="entry" id="${code}"><code class="title">${code}</code> <span class="type muted">${status}</span><p>${message}</p></li>`,
  )}</ul>
<p>An unknown path gets a 404 with the code <code>notFound</code>. A request that is not valid HTTP gets only a status.</p>`
}

function formatsRule(site: Site): Html {
  const shown = shortestExample(site)
  return html`<p>Every answer has three fields: <code>status</code> (<code>ok</code> or <code>error</code>), <code>error</code> and <code>data</code>. Answers and refusals can be JSON, XML, YAML or CSV. There are two ways to choose:</p>
<ul>
<li>Add <code>format=json</code>, <code>xml</code>, <code>yaml</code> or <code>csv</code> to the query.</li>
<li>Send an <code>Accept</code> header such as <code>application/xml</code>.</li>
</ul>
<p>If you do both, the query decides. If you do neither, the answer is JSON.</p>
${shown && answerTabs("answer", shown.example)}
<ul>
<li>XML has one element, <code>response</code>, with all others in it. A null is an element with <code>xsi:nil="true"</code>, and a list is a repeated element.</li>
<li>YAML can be read as YAML 1.1 and as YAML 1.2.</li>
<li>CSV has a row for each value. Its place in <code>data</code> is written as <code>a.b</code> or <code>list[0]</code>.</li>
</ul>`
}

function limitsRule({ maxBodyBytes }: Site): Html {
  return html`<p>A plan can limit the calls a minute, and a key can have a limit of its own. New calls become available evenly, not all at once. If you make none for a while, you can make one minute’s calls together. A call over the limit gets a 429 with the code <code>rateLimited</code>, and <code>Retry-After</code> says how many seconds to wait.</p>
<table>
<thead><tr><th scope="col">header</th><th scope="col">value</th></tr></thead>
<tbody>
<tr><th scope="row"><code>X-RateLimit-Limit</code></th><td>calls a minute</td></tr>
<tr><th scope="row"><code>X-RateLimit-Remaining</code></th><td>calls left now</td></tr>
<tr><th scope="row"><code>X-RateLimit-Reset</code></th><td>seconds until the full limit is available again</td></tr>
<tr><th scope="row"><code>RateLimit-Policy</code>, <code>RateLimit</code></th><td>the same as structured fields</td></tr>
</tbody>
</table>
<p>A batch counts as one call, and so does a GraphQL query. Where there is no limit, answers have none of these headers.</p>
<h2>Sizes</h2>
<ul>
<li>A body can have up to ${maxBodyBytes.toLocaleString("en-US")} bytes. A larger one gets a 413.</li>
<li>A batch can have up to 200 inputs.</li>
<li>The page of each API says what its parameters can hold.</li>
</ul>`
}

function creditsRule({ apis, portal }: Site): Html {
  return html`<p>A call that succeeds costs credits; the table has the price of each API. Refused calls are free, and so is <code>GET /v1/usage</code>. If your credits do not cover a call, it does not run and gets a 429 with the code <code>creditsUsedUp</code>.</p>
<table>
<thead><tr><th scope="col">API</th><th scope="col">price</th></tr></thead>
<tbody>${apis.map(({ definition: { id, title }, credits }) => html`<tr><th scope="row"><a href="/apis/${id}">${title}</a></th><td>${priceText(credits)}</td></tr>`)}</tbody>
</table>
<p>A plan gives an account credits for each month. What is left at the end of the month is lost. An account can also have a bonus: it is used after the credits of the month and does not expire.${portal && html` The <a href="/portal/usage">portal</a> shows the credits used by day, API and key.`}</p>
<h2>Credits used and left</h2>
<p>Every answer to a call with a valid key has these headers. Where a plan has no limit, the value is <code>unlimited</code> and not a number.</p>
<table>
<thead><tr><th scope="col">header</th><th scope="col">value</th></tr></thead>
<tbody>
<tr><th scope="row"><code>X-API-Credits-Used</code></th><td>credits used this month</td></tr>
<tr><th scope="row"><code>X-API-Remaining-Credits</code></th><td>credits left, the bonus included</td></tr>
<tr><th scope="row"><code>X-API-Max-Credits</code></th><td>credits that the plan gives for the month</td></tr>
<tr><th scope="row"><code>X-API-Renewal</code></th><td>when the next credit month starts, in Unix seconds</td></tr>
<tr><th scope="row"><code>X-API-Current-Plan</code></th><td>the plan’s name</td></tr>
</tbody>
</table>
<h2>Premium</h2>
<p>Some fields and parameters are for plans with premium fields. The page of each API marks them. On other plans, answers lack these fields. These parameters are then checked but have no effect.</p>`
}

function batchRule(site: Site): Html {
  const shown = shortestExample(site)
  const body = shown && { inputs: [shown.call.input, shown.call.input] }
  return html`<p><code>POST /v1/{api}/batch</code> runs one API on 1 to 200 inputs. This works for every API, also for one whose single calls use <code>GET</code>. Each input is an object with the parameters of a single call.</p>
${shown && body && codeBlock("curl", "A batch", toCurl({ ...shown.call, method: "POST", url: `${shown.call.url}/batch`, input: body }))}
<p>In the answer, <code>data</code> has <code>count</code>, <code>succeeded</code>, <code>failed</code>, <code>credits_used</code> and <code>results</code>. The results are in the order of the inputs. Each has its <code>index</code> and the three fields of an answer.</p>
<ul>
<li>An input that fails does not affect the others: the status is 200 even if all fail.</li>
<li>Only inputs that succeed are charged.</li>
<li>A batch counts as one call for the limit of calls a minute.</li>
<li>If your credits do not cover every input, nothing runs and the batch gets a 429.</li>
</ul>`
}

function graphqlRule(site: Site): Html {
  const examples = queryExamples(site)
  const [example] = examples
  const call = example && toQueryCall(example, `${site.publicUrl ?? exampleService}/v1/graphql`)
  const apis = graphqlApis(site).map(({ id, title }) => [id, title])
  return html`<div class="columns">
<div class="text">
<p><code>POST /v1/graphql</code> runs several APIs in one request and returns the fields that the query selects. GraphQL is in alpha: its schema may change. Each API is a field that is named after its id. The parameters are the fields of its argument <code>input</code>.</p>
<p class="actions row gap-3"><a class="button primary" href="#try">Try it</a></p>
<ul>
<li>You pay once for each API in a query. Nothing runs if your credits do not cover the sum.</li>
<li>An API costs nothing if all of its fields fail. Introspection is free.</li>
<li>If one of several APIs fails, the status is 200 and the body has both <code>data</code> and <code>errors</code>.</li>
<li>A query counts as one call for the limit of calls a minute. The plan limits how many different APIs it can have.</li>
</ul>
<p>Every error has a code in <code>extensions.code</code>, such as <code>BAD_USER_INPUT</code>, <code>INVALID_API_KEY</code>, <code>INSUFFICIENT_CREDITS</code> or <code>RATE_LIMITED</code>.</p>
</div>
${call && html`<section class="codes" aria-labelledby="example"><h2 id="example">Example</h2>${codeBlock("curl", "A GraphQL query", toCurl(call))}</section>`}
</div>
<section aria-labelledby="try"><h2 id="try">Try it</h2><div id="playground" data-queries="${JSON.stringify(examples)}" data-apis="${JSON.stringify(apis)}"><p class="hint">Queries are real: each API in one costs its credits.</p><noscript><p>The form needs JavaScript. The code above sends a query without it.</p></noscript></div></section>`
}

function toQueryCall({ query, variables }: QueryExample, url: string): CodeCall {
  return { method: "POST", url, key: "YOUR-KEY", input: { query, variables } }
}

function mcpRule({ publicUrl, title }: Site): Html {
  const service = publicUrl ?? exampleService
  const headers = { "x-api-key": "YOUR-KEY" }
  const setUp = { mcpServers: { [toMachineName(title) ?? "apis"]: { url: `${service}/mcp`, headers } } }
  return html`<p><code>/mcp</code> offers the APIs to agents as tools of the Model Context Protocol, one tool for each API. <code>/mcp/search</code> offers the same APIs through three tools, which take little of a model’s context however many APIs there are.</p>
${codeBlock("json", "The settings of a client", JSON.stringify(setUp, null, 2))}
<ul>
<li>The transport is Streamable HTTP, without sessions. Send the key in <code>x-api-key</code> or <code>Authorization: Bearer</code>.</li>
<li>A tool call has the same limits, price and answer as a single call. <code>_meta</code> says what was charged and what is left.</li>
<li>A refused call gets a result with <code>isError</code>. Its text says what to change.</li>
<li>Web pages of other sites cannot use <code>/mcp</code>: a request with their <code>Origin</code> gets a 403.</li>
</ul>`
}
