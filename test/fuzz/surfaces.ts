import fc from "fast-check"
import type { ApiDefinition } from "../../src/apis/contract.ts"
import type { OpenApiDocument } from "../../src/surfaces/openapi/json-object.ts"
import { mutation } from "./mutations.ts"
import { type Operation, operationsOf, type Schema } from "./operations.ts"
import { encode, queryOf, requestsOf, toJson, variants } from "./requests.ts"
import { anyValue, objectOf } from "./values.ts"
import type { WireRequest } from "./wire.ts"

type Headers = WireRequest["headers"]

/** A service whose surfaces are tried, with what was made in it beforehand. */
export interface SurfacesParts {
  readonly host: string
  readonly catalog: readonly ApiDefinition[]
  readonly document: OpenApiDocument
  readonly adminDocument: OpenApiDocument
  readonly adminKeys: readonly string[]
  /** Ids of accounts and keys that administrators change. */
  readonly ids: readonly string[]
  /** Ids of the accounts and keys of the sessions in the portal. */
  readonly ownIds: readonly string[]
  /** The headers of sessions. */
  readonly consoleSessions: readonly Headers[]
  readonly portalSessions: readonly Headers[]
  readonly apiKeys: readonly string[]
  /** Paths that are read with GET. */
  readonly pages: readonly string[]
}

/** Lists of requests to the admin API, the portal, MCP, pages and `/v1`. Half are as they should be, or nearly so. */
export function surfaceRequests(parts: SurfacesParts): fc.Arbitrary<readonly WireRequest[]> {
  const base = fc.oneof(
    { weight: 5, arbitrary: adminRequest(parts) },
    { weight: 2, arbitrary: portalRequest(parts) },
    { weight: 3, arbitrary: mcpRequest(parts) },
    { weight: 3, arbitrary: pageRequest(parts) },
    { weight: 1, arbitrary: signIn(parts) },
    { weight: 1, arbitrary: ownApiRequest(parts) },
  )
  const { document, catalog, apiKeys, host } = parts
  const keys = Object.fromEntries(apiKeys.map((key) => [key, { key, weight: 1 }]))
  const calls = requestsOf(operationsOf(document), catalog, keys, host)
  return fc.oneof({ weight: 3, arbitrary: listsOf(base) }, { weight: 1, arbitrary: calls })
}

/** Lists of requests to the control paths of a test double. */
export function controlRequests(host: string, ids: readonly string[]): fc.Arbitrary<readonly WireRequest[]> {
  const integer = { type: "integer" }
  const matches = { api: { enum: ids }, input: {}, times: integer, probability: { type: "number" }, seed: {} }
  const answers = { status: integer, headers: { type: "object" }, body: {}, data: {}, delay_ms: integer }
  const bodies: Readonly<Record<string, readonly [Schema, readonly unknown[]]>> = {
    requests: [{}, [{}]],
    faults: [
      { properties: { ...matches, ...answers } },
      [
        { api: "hmac", status: 503 },
        { api: "hmac", delay_ms: 1 },
      ],
    ],
    stubs: [{ properties: { ...matches, ...answers } }, [{ api: "hmac", data: { hmac: "aa" } }]],
    clock: [{ properties: { now: {}, advance: {} } }, [{ advance: "31d" }, { now: "2025-03-01T12:00:00Z" }]],
    dns: [{}, [{ "a.example": [{ TXT: "v=spf1 -all" }] }]],
    reset: [{}, [{}]],
    notices: [{}, [{}]],
  }
  const bases = Object.entries(bodies).map(([name, [schema, samples]]) =>
    fc
      .tuple(fc.constantFrom("GET", "PUT", "POST", "DELETE"), objectOf(schema, samples))
      .map(([method, body]) =>
        toRequest(method, `/_mock/${name}`, [["host", host]], method === "GET" ? null : body),
      ),
  )
  return listsOf(fc.oneof(...bases))
}

function listsOf(base: fc.Arbitrary<WireRequest>): fc.Arbitrary<readonly WireRequest[]> {
  const changes = fc.oneof(fc.constant([]), fc.array(mutation, { maxLength: 3 }))
  return fc
    .tuple(base, fc.array(changes, { minLength: variants, maxLength: variants }))
    .map(([first, lists]) =>
      lists.map((mutations) => {
        let request = first
        for (const mutate of mutations) request = { ...request, ...mutate(request) }
        return request
      }),
    )
}

function toRequest(method: string, target: string, headers: Headers, body: unknown = null): WireRequest {
  const bytes = body === null ? null : Buffer.from(toJson(body))
  const type: Headers = bytes === null ? [] : [["content-type", "application/json"]]
  return { method, target, headers: [...headers, ...type], body: bytes, chunked: false }
}

function adminRequest({ host, adminDocument, adminKeys, consoleSessions, ids }: SurfacesParts) {
  const login: readonly Headers[] = [
    ...adminKeys.map((key): Headers => [["authorization", `Bearer ${key}`]]),
    ...consoleSessions,
    [],
  ]
  return operationRequest(host, operationsOf(adminDocument), login, ids)
}

/** The operations of customers are those of the administration, below another path. */
function portalRequest({ host, adminDocument, portalSessions, ownIds, catalog }: SurfacesParts) {
  const operations = operationsOf(adminDocument).map((one) => ({
    ...one,
    path: one.path.replace("/admin/v1", "/portal/v1"),
  }))
  const calls = fc
    .tuple(fc.constantFrom(...catalog), fc.constantFrom(...portalSessions))
    .chain(([api, session]) =>
      apiInput(api).map((input) => {
        const path = `/portal/v1/calls/${api.id}`
        const headers: Headers = [["host", host], ...session]
        if (api.method === "POST") return toRequest("POST", path, headers, input)
        const query = Object.entries(input).map(([name, value]) => `${encode(name)}=${encode(toText(value))}`)
        return toRequest("POST", `${path}?${query.join("&")}`, headers)
      }),
    )
  return fc.oneof(operationRequest(host, operations, portalSessions, ownIds), calls)
}

function operationRequest(
  host: string,
  operations: readonly Operation[],
  logins: readonly Headers[],
  ids: readonly string[],
): fc.Arbitrary<WireRequest> {
  const bases = operations
    // The stream of requests has no end.
    .filter(({ path }) => !path.endsWith("/requests"))
    .map(({ method, path, parameters, body }) =>
      fc
        .record({
          id: fc.oneof(
            { weight: 9, arbitrary: fc.constantFrom(...ids) },
            { weight: 1, arbitrary: anyValue.map(toText) },
          ),
          query: queryOf(parameters),
          login: fc.constantFrom(...logins),
          body: body === null ? fc.constant(null) : objectOf(body.schema, body.samples),
          key: fc.nat(50),
        })
        .map(({ id, query, login, body: sent, key }) => {
          const target = `${path.replaceAll(/\{\w+\}/g, () => encode(id) || "x")}${query && `?${query}`}`
          const repeated: Headers = method !== "GET" && key < 5 ? [["idempotency-key", `fuzz-${key}`]] : []
          return toRequest(method, target, [["host", host], ...login, ...repeated], sent)
        }),
    )
  return fc.oneof(...bases)
}

const mcpMethods = [
  ..."initialize ping tools/list resources/list resources/read resources/templates/list prompts/list".split(
    " ",
  ),
  ..."server/discover completion/complete logging/setLevel notifications/initialized".split(" "),
]

function mcpRequest({ host, apiKeys, catalog }: SurfacesParts): fc.Arbitrary<WireRequest> {
  const ids = catalog.map(({ id }) => id)
  const plain = fc
    .tuple(fc.constantFrom(...mcpMethods), fc.constantFrom(...ids))
    .map(([method, id]) => ({ method, params: { uri: `penknife://apis/${id}`, level: "info" } as object }))
  const start = fc.constant({
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "fuzz", version: "1" } },
  })
  const call = fc
    .constantFrom(...catalog)
    .chain((api) =>
      apiInput(api).map((input) => ({ method: "tools/call", params: { name: api.id, arguments: input } })),
    )
  const search = fc
    .tuple(fc.constantFrom(...ids), fc.oneof(anyValue, fc.constant("mail")))
    .map(([id, query]) => ({
      method: "tools/call",
      params: { name: "search_apis", arguments: { query, id } },
    }))
  return fc
    .record({
      path: fc.constantFrom("/mcp", "/mcp/search"),
      key: fc.constantFrom(...apiKeys),
      id: fc.constantFrom(1, "a", null, 1.5),
      message: fc.oneof(
        plain,
        start,
        call,
        search,
        anyValue.map((params) => ({ method: "tools/call", params })),
      ),
    })
    .map(({ path, key, id, message }) => {
      const accept = ["accept", "application/json, text/event-stream"] as const
      const body = { jsonrpc: "2.0", id, ...message }
      return toRequest("POST", path, [["host", host], ["authorization", `Bearer ${key}`], accept], body)
    })
}

function apiInput({ input, examples }: ApiDefinition) {
  return objectOf(
    input as Schema,
    examples.map((one) => one.input),
  )
}

/** A list with one request to each kind of page, as a browser makes it: few random ones might leave a kind out. */
export function pageOfEachKind({ host, pages }: SurfacesParts): readonly WireRequest[] {
  const headers: Headers = [["host", host]]
  return pageKinds(pages).map(([path = "/"]) => toRequest("GET", path, headers))
}

function pageKinds(pages: readonly string[]): readonly string[][] {
  return [...Map.groupBy(pages, (path) => path.split(/[/?]/)[1]).values()]
}

function pageRequest({ host, pages, apiKeys }: SurfacesParts): fc.Arbitrary<WireRequest> {
  const accepts = ["text/html", "*/*", "text/markdown", "application/json", "application/xml"]
  const encodings = ["gzip", "identity", "br, zstd;q=0.5", "gzip;q=0"]
  return fc
    .tuple(
      // As many requests to each kind of page, however many pages of one kind there are.
      fc.oneof(...pageKinds(pages).map((paths) => fc.constantFrom(...paths))),
      fc.constantFrom(...accepts),
      fc.constantFrom(...encodings),
      fc.constantFrom(...apiKeys),
    )
    .map(([path, accept, encoding, key]) =>
      toRequest("GET", path, [
        ["host", host],
        ["accept", accept],
        ["accept-encoding", encoding],
        // For own APIs.
        ["x-api-key", key],
      ]),
    )
}

/** The own API of `examples/apis/wordcount`, which runs in a thread. */
function ownApiRequest({ host, apiKeys: [key = ""] }: SurfacesParts): fc.Arbitrary<WireRequest> {
  const schema = { properties: { text: { type: "string" }, shortest: { type: "integer", minimum: 1 } } }
  const headers: Headers = [
    ["host", host],
    ["x-api-key", key],
  ]
  return objectOf(schema, [{ text: "a b" }]).map((input) =>
    toRequest("POST", "/v1/wordcount", headers, input),
  )
}

function signIn({ host, apiKeys, adminKeys }: SurfacesParts): fc.Arbitrary<WireRequest> {
  const keys = fc.oneof(fc.constantFrom(...apiKeys, ...adminKeys), anyValue)
  return fc
    .tuple(
      fc.constantFrom("/console/session", "/portal/session"),
      fc.constantFrom("POST", "GET", "DELETE"),
      keys,
    )
    .map(([path, method, key]) => {
      const from: Headers = [
        ["host", host],
        ["sec-fetch-site", "same-origin"],
      ]
      return toRequest(method, path, from, method === "POST" ? { key } : null)
    })
}

const toText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))
