import { catalog } from "../../src/app/prepare.ts"
import { toRequest } from "./service.ts"

interface MixedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

const keys = "key free pro expired forbidden no-credits rate-limited".split(" ").map((name) => `mock-${name}`)
const statuses = [400, 401, 403, 429, 500, 502, 503]
const formats = ["json", "xml", "yaml", "csv"]
const domains = "good softfail open none loop toomany macro timeout flaky nothing".split(" ")

/** Requests of every kind, always the same: REST in four formats, batches, GraphQL, usage, mistakes, faults, clock. */
export const mixedRequests = (count: number): MixedRequest[] =>
  Array.from({ length: count }, (_, index) => {
    const key = keys[index % keys.length] ?? ""
    const format = formats[(index >> 2) % formats.length] ?? ""
    const request = kinds[index % kinds.length]?.(index, format) ?? get("/v1/usage")
    return { ...request, headers: { ...request.headers, "x-api-key": key } }
  })

const examples = catalog.flatMap((api) => api.examples.map((example) => ({ api, example })))

const kinds: readonly ((index: number, format: string) => MixedRequest)[] = [
  (index, format) => {
    const { api, example } = examples[index % examples.length] ?? fail()
    const { path, init } = toRequest(api, example.input, format)
    return { path, method: init.method, headers: init.headers, body: init.body }
  },
  (index, format) =>
    get(
      `/v1/spfvalidator?domain=${domains[index % domains.length]}.example&format=${format}${index % 3 === 0 ? "&ip=192.0.2.1" : ""}`,
    ),
  (index) =>
    post("/v1/bluetoothlookup/batch", {
      // Enough for the free account to reach a threshold.
      inputs: [...Array.from({ length: 199 }, () => ({ companyid: String(index) })), { companyid: "x" }],
    }),
  () =>
    post("/v1/graphql", {
      query: '{ spfvalidator(input: {domain: "good.example"}) { spf_valid elapsed_ms } }',
    }),
  (_, format) => get(`/v1/usage?format=${format}`),
  (index, format) => get(`/v1/sunrisesunset?lat=${index % 90}&lon=0&format=${format}`),
  (_, format) => get(`/v1/bluetoothlookup?format=${format}`),
  () => get("/v1/nothing"),
  (index) => control("PUT", "/_mock/clock", { advance: `${index}s` }),
  (index) =>
    control("PUT", "/_mock/faults", {
      api: ["bluetoothlookup", "spfvalidator", "sunrisesunset"][index % 3],
      status: statuses[index % statuses.length],
      times: 1,
    }),
  () => get("/_mock/notices"),
]

const get = (path: string): MixedRequest => ({ method: "GET", path, headers: {}, body: null })

const post = (path: string, body: object): MixedRequest => control("POST", path, body)

function control(method: string, path: string, body: object): MixedRequest {
  return { method, path, headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
}

function fail(): never {
  throw new Error("the catalog has no examples")
}

/** Sends requests one after another. Returns each answer's status, headers without the date, and body as one text. */
export async function answersOf(url: string, requests: readonly MixedRequest[]): Promise<string[]> {
  const answers: string[] = []
  for (const { path, ...init } of requests) {
    const answer = await fetch(url + path, init)
    const headers = [...answer.headers].filter(([name]) => name !== "date")
    answers.push(
      `${init.method} ${path} → ${answer.status}\n${JSON.stringify(headers)}\n${await answer.text()}`,
    )
  }
  return answers
}
