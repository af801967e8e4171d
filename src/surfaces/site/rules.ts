import { type CodeCall, exampleService, toCurl } from "../../code-examples/code-call.ts"
import { toFieldName, toRootField } from "../graphql/names.ts"
import { inputName, priceText } from "../openapi/api-parts.ts"
import { answerTabs, type ShownExample, shortestExample } from "./api-examples.ts"
import { allRefusals } from "./api-refusals.ts"
import { type Html, html } from "./html.ts"
import { referencePage } from "./reference-page.ts"
import type { RuleId, rulesOf } from "./rule-list.ts"
import type { Site, WritePage } from "./site.ts"
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
      article: html`<header><h1>${title}</h1><p class="lead">${summary}</p></header>
${contents[id](site)}`,
    },
    write,
  )
}

function identityRule({ portal, publicUrl }: Site): Html {
  const address = `${publicUrl ?? exampleService}/v1/usage`
  return html`<p>Every call needs an API key: <code>pk-</code> and 38 letters and digits. ${
    portal
      ? html`You make keys in the <a href="/portal">portal</a>, or get one from the operator of this service.`
      : html`You get one from the operator of this service.`
  } Send it in either of two headers:</p>
${codeBlock("curl", "The two ways to send a key", `curl ${address} -H 'x-api-key: YOUR-KEY'\ncurl ${address} -H 'Authorization: Bearer YOUR-KEY'`)}
<p>If both are sent, they must hold the same key. Other schemes in <code>Authorization</code> are ignored. A key never belongs into the address, where logs and histories keep it.</p>
<h2>Limits of a key</h2>
<ul>
<li>some APIs, or all but some: any other is a 403 with the code <code>apiForbidden</code></li>
<li>some addresses: from others it is a 403 with the code <code>addressForbidden</code></li>
<li>calls a minute, in addition to the limit of the plan</li>
<li>a day on which it expires: after it a 401 with the code <code>keyExpired</code></li>
</ul>
<p>A key is checked before its parameters, so a request without a valid key always gets a 401. Every 401 has <code>WWW-Authenticate: Bearer</code>.</p>`
}

function errorsRule(site: Site): Html {
  const refused = {
    status: "error",
    error: "The 'lat' parameter must be a number from -90 to 90.",
    data: null,
  }
  const problem = {
    type: "urn:penknife:problem:inputRejected",
    title: "Bad Request",
    status: 400,
    detail: refused.error,
    request_id: "7Hf2kQ9x",
  }
  return html`<p>A refused call costs nothing. Its answer has the same three fields as every other:</p>
${codeBlock("json", "A refusal", JSON.stringify(refused, null, 2))}
<p><code>error</code> says what to change; its words may improve. The header <code>X-Error-Code</code> has a code for programs, which does not change. Quote <code>X-Request-ID</code> when you report something.</p>
<p>A request with <code>Accept: application/problem+json</code> gets refusals as problem details (RFC 9457), whose <code>type</code> ends with the same code:</p>
${codeBlock("json", "The same refusal as problem details", JSON.stringify(problem, null, 2))}
<h2>Statuses and codes</h2>
<ul class="index">${allRefusals(site).map(
    ({ status, code, message }) =>
      html`<li class="entry" id="${code}"><code class="title">${code}</code> <span class="type">${status}</span><p>${message}</p></li>`,
  )}</ul>
<p>An unknown path is a 404 with the code <code>notFound</code>. A request that is not HTTP at all is refused with a status alone.</p>`
}

function formatsRule(site: Site): Html {
  const shown = shortestExample(site)
  return html`<p>Every answer has three fields: <code>status</code> (<code>ok</code> or <code>error</code>), <code>error</code> and <code>data</code>. It can be JSON, XML, YAML or CSV, errors too. There are two ways to choose:</p>
<ul>
<li><code>?format=json</code>, <code>xml</code>, <code>yaml</code> or <code>csv</code> in the query; this wins</li>
<li>the <code>Accept</code> header, such as <code>application/xml</code></li>
</ul>
<p>Without either an answer is JSON.</p>
${shown && answerTabs("answer", shown.example)}
<ul>
<li>XML: a <code>response</code> element; null is <code>xsi:nil="true"</code>, a list is a repeated element</li>
<li>YAML: for readers of YAML 1.1 and 1.2</li>
<li>CSV: a row for each value, with its place in <code>data</code> such as <code>a.b</code> or <code>list[0]</code></li>
</ul>`
}

function limitsRule({ maxBodyBytes }: Site): Html {
  return html`<p>A plan may limit the calls a minute, and a key may have a limit of its own. The minute is a bucket: it fills again evenly, and a pause saves up at most one minute of calls. A call over the limit is a 429 with the code <code>rateLimited</code> and <code>Retry-After</code>.</p>
<table>
<thead><tr><th scope="col">header</th><th scope="col">value</th></tr></thead>
<tbody>
<tr><th scope="row"><code>X-RateLimit-Limit</code></th><td>calls a minute</td></tr>
<tr><th scope="row"><code>X-RateLimit-Remaining</code></th><td>calls left now</td></tr>
<tr><th scope="row"><code>X-RateLimit-Reset</code></th><td>seconds until the full limit is available again</td></tr>
<tr><th scope="row"><code>RateLimit-Policy</code>, <code>RateLimit</code></th><td>the same as structured fields</td></tr>
</tbody>
</table>
<p>A batch counts once, and so does a GraphQL query. A request without a limit has none of these headers.</p>
<h2>Sizes</h2>
<ul>
<li>a body has at most ${maxBodyBytes.toLocaleString("en-US")} bytes: a larger one is a 413</li>
<li>a batch has at most 200 inputs</li>
<li>the limits of a parameter are on the page of its API</li>
</ul>`
}

function creditsRule({ apis, portal }: Site): Html {
  return html`<p>An answer with status 200 costs the credits of its API. A refusal is free, and so are <code>GET /v1/usage</code> and all pages. A call that the balance cannot cover does not run: it is a 429 with the code <code>creditsUsedUp</code>.</p>
<table>
<thead><tr><th scope="col">API</th><th scope="col">price</th></tr></thead>
<tbody>${apis.map(({ definition: { id, title }, credits }) => html`<tr><th scope="row"><a href="/apis/${id}">${title}</a></th><td>${priceText(credits)}</td></tr>`)}</tbody>
</table>
<p>The plan of an account grants credits each month, which do not roll over. A bonus is spent after them and does not expire.${portal && html` The <a href="/portal/usage">portal</a> shows what was used, by day, API and key.`}</p>
<h2>Credits used and left</h2>
<p>Every answer to a known key says so in its headers. Without a limit a number of credits is <code>unlimited</code>.</p>
<table>
<thead><tr><th scope="col">header</th><th scope="col">value</th></tr></thead>
<tbody>
<tr><th scope="row"><code>X-API-Credits-Used</code></th><td>credits used this month</td></tr>
<tr><th scope="row"><code>X-API-Remaining-Credits</code></th><td>credits left, the bonus included</td></tr>
<tr><th scope="row"><code>X-API-Max-Credits</code></th><td>credits of the month, without the bonus</td></tr>
<tr><th scope="row"><code>X-API-Renewal</code></th><td>when the next month starts, in Unix seconds</td></tr>
<tr><th scope="row"><code>X-API-Current-Plan</code></th><td>the plan’s name</td></tr>
</tbody>
</table>
<h2>Premium</h2>
<p>Some fields and parameters need a plan with premium fields; the page of an API marks them. On other plans such a field is absent, and such a parameter is checked but has no effect.</p>`
}

function batchRule(site: Site): Html {
  const shown = shortestExample(site)
  const body = shown && { inputs: [shown.call.input, shown.call.input] }
  return html`<p><code>POST /v1/{api}/batch</code> runs one API on 1 to 200 inputs. Every API has it, those that are called with <code>GET</code> too. Each input is an object with the parameters of a single call.</p>
${shown && body && codeBlock("curl", "A batch", toCurl({ ...shown.call, method: "POST", url: `${shown.call.url}/batch`, input: body }))}
<p><code>data</code> has <code>count</code>, <code>succeeded</code>, <code>failed</code>, <code>credits_used</code> and <code>results</code>, in the order of the inputs. A result has its <code>index</code> and the three fields of an answer.</p>
<ul>
<li>An input that fails does not affect the others: the batch is a 200 even if all fail.</li>
<li>Only inputs that succeed are charged.</li>
<li>A batch counts once against a limit of calls a minute.</li>
<li>If the balance cannot cover every input, the answer is a 429 and nothing runs.</li>
</ul>`
}

function graphqlRule(site: Site): Html {
  const shown = shortestExample(site)
  const call = shown && queryOf(shown, `${site.publicUrl ?? exampleService}/v1/graphql`)
  return html`<p><code>POST /v1/graphql</code> runs several APIs in one request and returns the fields that the query selects. The gateway is in alpha: its schema may change. Each API is a field with the name of its id, and its parameters are the fields of one argument, <code>input</code>.</p>
${call && codeBlock("curl", "A GraphQL query", toCurl(call))}
<p class="actions"><a class="button primary" href="/graphiql">Open GraphiQL</a></p>
<ul>
<li>A query costs the credits of each API in it once. The sum is checked before anything runs.</li>
<li>An API without a successful field costs nothing, nor does introspection.</li>
<li>If one API of several fails, the status is 200 and the body has both <code>data</code> and <code>errors</code>.</li>
<li>A query counts once against a limit of calls a minute. The plan limits how many different APIs it may name.</li>
</ul>
<p>Every error has a code in <code>extensions.code</code>, such as <code>BAD_USER_INPUT</code>, <code>INVALID_API_KEY</code>, <code>INSUFFICIENT_CREDITS</code> or <code>RATE_LIMITED</code>.</p>`
}

/** The call of an example as a query for the first field of its answer. */
function queryOf({ definition: { id }, example, call }: ShownExample, url: string): CodeCall {
  const [field = ""] = Object.keys(example.output)
  const query = `query ($input: ${inputName(id)}!) { ${toRootField(id)}(input: $input) { ${toFieldName(field)} } }`
  return { ...call, method: "POST", url, input: { query, variables: { input: example.input } } }
}

/** The service's name as agents' settings have it: letters, digits and hyphens. */
function nameIn(title: string): string {
  return (
    title
      .toLowerCase()
      .match(/[a-z\d]+/g)
      ?.join("-") ?? "apis"
  )
}

function mcpRule({ publicUrl, title }: Site): Html {
  const service = publicUrl ?? exampleService
  const headers = { "x-api-key": "YOUR-KEY" }
  const setUp = { mcpServers: { [nameIn(title)]: { url: `${service}/mcp`, headers } } }
  return html`<p><code>/mcp</code> offers the APIs to agents as tools of the Model Context Protocol, one tool for each API. <code>/mcp/search</code> offers the same through three tools, which stay small in a model’s context however many APIs there are.</p>
${codeBlock("json", "The settings of a client", JSON.stringify(setUp, null, 2))}
<ul>
<li>The transport is Streamable HTTP, without sessions. The key goes into <code>x-api-key</code> or <code>Authorization: Bearer</code>.</li>
<li>A tool call has the limits, the price and the answer of a single call. <code>_meta</code> says what was charged and what is left.</li>
<li>A refusal is a result with <code>isError</code>, whose text says what to change.</li>
<li>Pages of other sites cannot use it: a foreign <code>Origin</code> is a 403.</li>
</ul>`
}
