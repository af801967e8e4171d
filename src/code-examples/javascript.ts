import { type CodeCall, queryOf } from "./code-call.ts"

/** The call as a module for browsers, Node.js, Deno and Bun. */
export function toJavaScript(call: CodeCall): string {
  const query = queryOf(call)
  const body = call.method === "POST" ? `  body: JSON.stringify(${indented(call.input)}),\n` : ""
  const address =
    query.length === 0
      ? `const url = ${JSON.stringify(call.url)}\n`
      : `const query = new URLSearchParams(${JSON.stringify(Object.fromEntries(query), null, 2)})\n` +
        `const url = ${JSON.stringify(call.url)} + "?" + query\n`
  return `${address}
const response = await fetch(url, {
${call.method === "POST" ? '  method: "POST",\n' : ""}  headers: {
    "x-api-key": ${JSON.stringify(call.key)},
${call.method === "POST" ? '    "content-type": "application/json",\n' : ""}  },
${body}})
if (!response.ok) throw new Error(await response.text())
console.log(await response.${readerOf(call)}())
`
}

function readerOf({ format = "json" }: CodeCall): "json" | "text" {
  return format === "json" ? "json" : "text"
}

/** JSON is also JavaScript (ECMA-262, JSON superset). */
function indented(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll("\n", "\n  ")
}
