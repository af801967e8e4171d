/** The rules of requests that hold more than a single call. */
import { type CodeCall, exampleService, toCurl } from "../../code-examples/code-call.ts"
import { toFieldName, toRootField } from "../graphql/names.ts"
import { inputName } from "../openapi/api-parts.ts"
import { type ShownExample, shortestExample } from "./api-examples.ts"
import { type Html, html } from "./html.ts"
import type { Site } from "./site.ts"
import { codeBlock } from "./tabs.ts"

export function batchRule(site: Site): Html {
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

export function graphqlRule(site: Site): Html {
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

export function mcpRule({ publicUrl }: Site): Html {
  const service = publicUrl ?? exampleService
  const headers = { "x-api-key": "YOUR-KEY" }
  const setUp = { mcpServers: { penknife: { url: `${service}/mcp`, headers } } }
  return html`<p><code>/mcp</code> offers the APIs to agents as tools of the Model Context Protocol, one tool for each API. <code>/mcp/search</code> offers the same through three tools, which stay small in a model’s context however many APIs there are.</p>
${codeBlock("json", "The settings of a client", JSON.stringify(setUp, null, 2))}
<ul>
<li>The transport is Streamable HTTP, without sessions. The key goes into <code>x-api-key</code> or <code>Authorization: Bearer</code>.</li>
<li>A tool call has the limits, the price and the answer of a single call. <code>_meta</code> says what was charged and what is left.</li>
<li>A refusal is a result with <code>isError</code>, whose text says what to change.</li>
<li>Pages of other sites cannot use it: a foreign <code>Origin</code> is a 403.</li>
</ul>`
}
