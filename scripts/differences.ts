/**
 * Sends the same requests to `mock` of two executables and prints where their answers differ:
 * `bun run differences OLD NEW --runs 5000 --seed 7`. `--ignore REGEX` leaves out lines of answers. Requests are generated from
 * the document of the old one, most of them broken in some way; before them come pages, documents, the admin API, controls of the
 * mock, MCP, faults and formats. The exit code is 1 if anything differs: whether a difference is meant is for the reader to say.
 */
import { Command } from "commander"
import fc from "fast-check"
import { catalog } from "../src/app/prepare.ts"
import type { OpenApiDocument } from "../src/surfaces/openapi/json-object.ts"
import { operationsOf } from "../test/fuzz/operations.ts"
import { type FuzzKeys, requestsOf, variants } from "../test/fuzz/requests.ts"
import { createWire, type Wire, type WireRequest } from "../test/fuzz/wire.ts"

const command = new Command("differences")
  .description("Send the same requests to the mock of two executables, and print where their answers differ.")
  .argument("<OLD>", "an executable; the requests are generated from its document")
  .argument("<NEW>", "another one")
  .option("--seed <NUMBER>", "of the generated requests", "1")
  .option("--runs <NUMBER>", "generated requests", "5000")
  .option(
    "--ignore <REGEX>",
    "leave out lines of answers; may come several times",
    (text, before: string[]) => [...before, text],
    [],
  )
  .parse()
const values = command.opts<{ seed: string; runs: string; ignore: string[] }>()
const [oldFile, newFile] = command.args as [string, string]

/** Requests between two resets, so that neither limits per minute nor credits decide all answers. */
const resetEvery = 40
/** Headers that no two answers have in common. Figures of a process differ as well, and with them the length of /metrics. */
const changing = ["date", "x-request-id", "content-length"]
const ignored = ["^process_", ...values.ignore].map((pattern) => new RegExp(pattern))

const servers = [startMock(oldFile), startMock(newFile)]
/** By the lines that differ. */
const differences = new Map<string, { count: number; example: string }>()
let sent = 0
try {
  const [older, newer] = (await Promise.all(servers.map(async (one) => (await one).url))) as [string, string]
  const wires: [Wire, Wire] = [createWire(older), createWire(newer)]
  for (const request of fixedRequests()) await compare(wires, request)
  for (const request of await generated(older)) {
    const areSame = await compare(wires, request)
    // Other credits or another clock would make all answers after it differ.
    if (!areSame || sent % resetEvery === 0) await compare(wires, control("POST", "/_mock/reset"))
  }
  for (const wire of wires) wire.close()
} finally {
  for (const server of servers) (await server).child.kill()
}

for (const [lines, { count, example }] of differences) console.log(`\n== ${count} × ${example}\n${lines}`)
const total = [...differences.values()].reduce((sum, { count }) => sum + count, 0)
console.log(`\n${sent} requests, ${total} answers differ in ${differences.size} kinds`)
process.exit(total === 0 ? 0 : 1)

async function startMock(file: string): Promise<{ url: string; child: Bun.Subprocess }> {
  const argv = [file, "mock", "--port", "0", "--json", "--public-url", "https://api.example.com"]
  const child = Bun.spawn(argv, { stdout: "pipe", stderr: "ignore" })
  for await (const chunk of child.stdout) {
    const { url } = JSON.parse(new TextDecoder().decode(chunk).split("\n")[0] ?? "") as { url: string }
    return { url, child }
  }
  throw new Error(`${file} did not start`)
}

async function compare(wires: readonly [Wire, Wire], request: WireRequest): Promise<boolean> {
  const [older, newer] = await Promise.all(wires.map((wire) => answerOf(wire, request)))
  sent++
  if (older === newer) return true
  const lines = firstDifference(older ?? "", newer ?? "")
  const known = differences.get(lines)
  if (known) known.count++
  else {
    const body = request.body === null ? "" : `\n  body ${request.body.toString("latin1").slice(0, 300)}`
    const headers = request.headers.map((pair) => pair.join(": ")).join(" | ")
    const example = `${request.method} ${request.target.slice(0, 300)}\n  ${headers.slice(0, 300)}${body}`
    differences.set(lines, { count: 1, example })
  }
  return false
}

/** Status, headers and body as lines; the error's text when there is no answer. */
async function answerOf(wire: Wire, request: WireRequest): Promise<string> {
  const answer = await wire.send(request).catch((error: Error) => error)
  if (answer instanceof Error) return `no answer: ${answer.message}`
  const headers = [...answer.headers].filter(([name]) => !changing.includes(name))
  const isText = /json|text|xml|yaml|csv|javascript/.test(answer.headers.get("content-type") ?? "text")
  const body = isText ? await answer.text() : Bun.hash(await answer.arrayBuffer()).toString()
  const lines = headers.map(([name, value]) => `${name}: ${value}`).sort()
  return [`status ${answer.status}`, ...lines, "", ...body.split("\n")]
    .filter((line) => !ignored.some((pattern) => pattern.test(line)))
    .join("\n")
}

/** Up to six lines that only one of the answers has, of each. */
function firstDifference(older: string, newer: string): string {
  const [olds, news] = [older.split("\n"), newer.split("\n")]
  const only = (some: string[], others: string[]) => some.filter((line) => !others.includes(line))
  const cut = (lines: string[]) => lines.map((line) => line.slice(0, 400)).slice(0, 6)
  const minus = cut(only(olds, news)).map((line) => `  - ${line}`)
  const plus = cut(only(news, olds)).map((line) => `  + ${line}`)
  return [...minus, ...plus].join("\n") || "  the order of lines"
}

async function generated(url: string): Promise<WireRequest[]> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument
  const names = ["mock-key", "mock-pro", "mock-free", "mock-forbidden", "mock-expired", "mock-no-credits"]
  const keys: FuzzKeys = Object.fromEntries(
    names.map((key) => [key, { key, weight: key === "mock-key" ? 12 : 2 }]),
  )
  const lists = requestsOf(operationsOf(document), catalog, keys, "127.0.0.1")
  const numRuns = Math.ceil(Number(values.runs) / variants)
  return fc.sample(lists, { seed: Number(values.seed), numRuns }).flat()
}

function control(
  method: string,
  target: string,
  body?: string,
  more: Record<string, string> = {},
): WireRequest {
  const headers = { host: "127.0.0.1", ...(body && { "content-type": "application/json" }), ...more }
  return {
    method,
    target,
    headers: Object.entries(headers),
    body: body === undefined ? null : Buffer.from(body),
    chunked: false,
  }
}

function* fixedRequests(): Generator<WireRequest> {
  const words = (text: string) => text.split(" ")
  const pages = words(
    "/ /docs /graphiql /console /portal /llms.txt /openapi.json /admin/openapi.json /health /ready /robots.txt /favicon.ico /.well-known/security.txt",
  )
  for (const path of pages) for (const method of words("GET HEAD POST OPTIONS")) yield control(method, path)
  const key = { "x-api-key": "mock-key" }
  const preflight = { origin: "https://a.example", "access-control-request-method": "GET" }
  for (const { id } of catalog) {
    for (const form of ["", ".md", "?format=xml"]) yield control("GET", `/apis/${id}${form}`)
    yield control("OPTIONS", `/v1/${id}`, undefined, preflight)
    yield control("HEAD", `/v1/${id}`, undefined, key)
  }
  const sun = "/v1/sunrisesunset?lat=51.5&lon=-0.12&date=01-01-2025"
  const targets = [sun, "/v1/usage", "/v1/nothing", `${sun}&format=xml`, "/v1/sunrisesunset?lat=x&lon=1"]
  const accepts = words("text/html application/problem+json application/xml text/yaml text/csv */*;q=0")
  const keys =
    "mock-key mock-free mock-pro mock-expiring mock-expired mock-revoked mock-forbidden mock-no-credits mock-rate-limited mock-unavailable mock-admin none"
  for (const one of words(keys)) {
    for (const target of targets) {
      yield control("GET", target, undefined, { "x-api-key": one })
      for (const accept of accepts) yield control("GET", target, undefined, { "x-api-key": one, accept })
    }
    yield control("GET", "/v1/spfvalidator?domain=example.com", undefined, { "x-api-key": one })
  }
  const admin = { "x-admin-key": "mock-admin", authorization: "Bearer mock-admin" }
  const operations =
    "accounts keys plans usage audit requests?limit=2 config notices errors me nothing accounts?limit=2 accounts?limit=x accounts?search=%00 accounts/nothing usage?from=2025-01-01&by=api backups"
  for (const path of words(operations).map((operation) => `/admin/v1/${operation}`)) {
    yield control("GET", path)
    yield control("GET", path, undefined, admin)
    for (const method of words("POST PATCH DELETE PUT")) yield control(method, path, "{}", admin)
  }
  const controls = `faults {"api":"hmac","status":503,"times":2}
faults {"api":"hmac","status":99}
faults {"nothing":1,"delay_ms":"x"}
faults {"probability":2}
faults {"seed":1.5}
faults []
stubs {"api":"hmac","data":{"hmac":"00"}}
stubs {"data":1}
stubs {"api":"nothing"}
clock {"advance":"31d"}
clock {"advance":"x"}
clock {"now":"2025-03-01T12:00:00Z"}
clock {"now":1,"advance":"1d"}
dns {"example.com":[{"TXT":"v=spf1 -all"}]}
dns {"example.com":"x"}`
  for (const line of controls.split("\n")) {
    const [path, body] = line.split(/ (.*)/)
    yield control("PUT", `/_mock/${path}`, body)
    yield control("POST", "/v1/hmac", '{"message":"a","secret":"b"}', key)
    yield control("GET", `/_mock/${path}`)
    yield control("DELETE", `/_mock/${path}`)
  }
  for (const path of ["", "/nothing", "/notices", "/faults?x=1"]) yield control("GET", `/_mock${path}`)
  yield control("POST", "/_mock/reset")
  const inputs = '[] [{"message":"a","secret":"b"},{"message":1},null,3] {}'
  for (const body of [...words(inputs).map((list) => `{"inputs":${list}}`), "{}", "[]", "x"])
    yield control("POST", "/v1/hmac/batch", body, key)
  const sign = '{ hmac(input:{message:"a",secret:"b"}){hmac} }'
  for (const query of [sign, "{", "{ nothing }", "mutation { a }", "{ __typename }"]) {
    yield control("POST", "/v1/graphql", JSON.stringify({ query }), key)
    yield control("GET", `/v1/graphql?query=${encodeURIComponent(query)}`, undefined, key)
  }
  const mcp = { ...key, accept: "application/json, text/event-stream" }
  const client = { capabilities: {}, clientInfo: { name: "a", version: "1" } }
  for (const [method, params] of [
    ["initialize", { protocolVersion: "2025-06-18", ...client }],
    ["tools/call", { name: "hmac", arguments: { message: "a", secret: "b" } }],
    ["tools/call", { name: "hmac", arguments: { message: 1 } }],
    ["tools/call", { name: "nothing", arguments: {} }],
    ...["tools/list", "resources/list", "prompts/list", "ping"].map((one) => [one, {}] as const),
  ] as const) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    for (const path of ["/mcp", "/mcp/search"]) yield control("POST", path, body, mcp)
  }
}
