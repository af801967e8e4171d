import { addressOf, type CodeCall, queryObjectOf, queryOf, toCurl } from "./code-call.ts"

/** The call as a program for Python 3 without any package. */
function toPython(call: CodeCall): string {
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
  if (Array.isArray(value))
    return value.length === 0
      ? "[]"
      : `[\n${value.map((item) => `${inner}${literal(item, depth + 1)},\n`).join("")}${end}]`
  if (typeof value !== "object") return JSON.stringify(value)
  const members = Object.entries(value)
  if (members.length === 0) return "{}"
  const lines = members.map(
    ([name, member]) => `${inner}${JSON.stringify(name)}: ${literal(member, depth + 1)},\n`,
  )
  return `{\n${lines.join("")}${end}}`
}

/** The call as a program for Go without any module. */
function toGo(call: CodeCall): string {
  const isPost = call.method === "POST"
  const body = isPost ? `\tbody := strings.NewReader(${quote(JSON.stringify(call.input))})\n` : ""
  const type = isPost ? '\trequest.Header.Set("content-type", "application/json")\n' : ""
  return `package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
${isPost ? '\t"strings"\n' : ""})

func main() {
${body}	request, err := http.NewRequest(${JSON.stringify(call.method)}, ${quote(addressOf(call))}, ${isPost ? "body" : "nil"})
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("x-api-key", ${quote(call.key)})
${type}	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		log.Fatal(string(answer))
	}
	fmt.Println(string(answer))
}
`
}

/** A raw string reads better, but cannot hold a backtick, a return or a zero byte (Go specification, String literals). */
function quote(text: string): string {
  const isLong = text.includes('"') && !/[`\r\0\ufeff]/.test(text)
  return isLong ? `\`${text}\`` : JSON.stringify(text)
}

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
