import { type CodeCall, queryObjectOf, queryOf, toCurl } from "./code-call.ts"
import { toGo } from "./go.ts"
import { toPython } from "./python.ts"

/**
 * The languages that calls are shown in, the shortest first. Documentation and the portal's playground use the same. `write`
 * returns a call, ready to run, with the key in it.
 */
export const codeLanguages = [
  { id: "curl", name: "curl", write: toCurl },
  { id: "javascript", name: "JavaScript", write: toJavaScript },
  { id: "python", name: "Python", write: toPython },
  { id: "go", name: "Go", write: toGo },
]

/** The call as a module for browsers, Node.js, Deno and Bun. */
function toJavaScript(call: CodeCall): string {
  const query = queryOf(call)
  const body = call.method === "POST" ? `  body: JSON.stringify(${indented(call.input)}),\n` : ""
  const address =
    query.length === 0
      ? `const url = ${JSON.stringify(call.url)}\n`
      : `const query = new URLSearchParams(${JSON.stringify(queryObjectOf(query) ?? query, null, 2)})\n` +
        `const url = ${JSON.stringify(call.url)} + "?" + query\n`
  return `${address}
const response = await fetch(url, {
${call.method === "POST" ? '  method: "POST",\n' : ""}  headers: {
    "x-api-key": ${JSON.stringify(call.key)},
${call.method === "POST" ? '    "content-type": "application/json",\n' : ""}  },
${body}})
if (!response.ok) throw new Error(await response.text())
console.log(await response.${(call.format ?? "json") === "json" ? "json" : "text"}())
`
}

/** JSON is also JavaScript (ECMA-262, JSON superset). */
function indented(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll("\n", "\n  ")
}
