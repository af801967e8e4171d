import { type CodeCall, queryObjectOf, queryOf } from "./code-call.ts"

/** The call as a program for Python 3 without any package. */
export function toPython(call: CodeCall): string {
  const query = queryOf(call)
  const isPost = call.method === "POST"
  const isJson = (call.format ?? "json") === "json"
  const modules = [
    ...(isPost || isJson ? ["json"] : []),
    ...(query.length > 0 ? ["urllib.parse"] : []),
    "urllib.error",
    "urllib.request",
  ].sort()
  const address =
    query.length === 0
      ? `url = ${literal(call.url)}\n`
      : `query = urllib.parse.urlencode(${queryLiteral(query)})\nurl = ${literal(call.url)} + "?" + query\n`
  const data = isPost ? `    data=json.dumps(${literal(call.input, 1)}).encode(),\n` : ""
  const type = isPost ? '        "content-type": "application/json",\n' : ""
  return `${modules.map((name) => `import ${name}\n`).join("")}
${address}request = urllib.request.Request(
    url,
${data}    headers={
        "x-api-key": ${literal(call.key)},
${type}    },
)
try:
    with urllib.request.urlopen(request) as response:
        print(${isJson ? "json.load(response)" : "response.read().decode()"})
except urllib.error.HTTPError as refused:
    raise SystemExit(refused.read().decode())
`
}

/** `urlencode` takes a dictionary or a list of tuples. */
function queryLiteral(query: readonly (readonly [name: string, text: string])[]): string {
  const byName = queryObjectOf(query)
  if (byName) return literal(byName)
  return `[\n${query.map(([name, text]) => `    (${literal(name)}, ${literal(text)}),\n`).join("")}]`
}

/** A value of JSON as a Python expression. Strings of JSON are also strings of Python. */
function literal(value: unknown, depth = 0): string {
  const inner = "    ".repeat(depth + 1)
  const end = "    ".repeat(depth)
  if (value === null) return "None"
  if (typeof value === "boolean") return value ? "True" : "False"
  if (Array.isArray(value)) {
    return value.length === 0
      ? "[]"
      : `[\n${value.map((item) => `${inner}${literal(item, depth + 1)},\n`).join("")}${end}]`
  }
  if (typeof value !== "object") return JSON.stringify(value)
  const members = Object.entries(value)
  if (members.length === 0) return "{}"
  const lines = members.map(
    ([name, member]) => `${inner}${JSON.stringify(name)}: ${literal(member, depth + 1)},\n`,
  )
  return `{\n${lines.join("")}${end}}`
}
