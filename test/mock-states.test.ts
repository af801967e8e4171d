/** Every way a call can fail, brought about on the mock as docs/mock.md says. */
import { beforeEach, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createSecret } from "../src/accounts/key.ts"
import type { FaultCode } from "../src/call/fault.ts"
import { maxReplays } from "../src/call/idempotency.ts"
import { createSeededRandom } from "../src/ports/random.ts"
import type { RefusalCode } from "../src/surfaces/graphql/refusal.ts"
import statuses from "../src/surfaces/graphql/statuses.json"
import { readAnswer } from "./support/answer.ts"
import { postWith } from "./support/keyed-request.ts"
import { modernRequest, postMcp } from "./support/mcp.ts"
import { post, readGraphql, startTestMock, ways } from "./support/mock.ts"

const mock = await startTestMock()
beforeEach(() => mock.reset())

const page = readFileSync(join(import.meta.dir, "../docs/mock-reference.md"), "utf8")
const fault = (rule: object) => mock.control("PUT", "/faults", rule)
const key = "mock-pro"
const call = (path: string, init: RequestInit = {}) => mock.fetch(path, { key, ...init })
const json = { "content-type": "application/json" }
const lookUp = "/v1/bluetoothlookup?companyid=76"

const tooLong = "x".repeat(2_200_000)
/** Makes the keys of another service. */
const elsewhere = createSeededRandom("another service")

type Bring = () => Promise<Response>

async function afterFault(status: number): Promise<Response> {
  await fault({ api: "bluetoothlookup", status })
  return ways.rest(mock, key)
}

/** Sends an input and then another one under the same Idempotency-Key. */
async function reuse(path: string, first: object, second: object): Promise<Response> {
  const headers = { ...json, "idempotency-key": "reused" }
  await mock.fetch(path, postWith(first, { key, headers }))
  return mock.fetch(path, postWith(second, { key, headers }))
}

/** Sends an input under one Idempotency-Key until it has no more replays. */
async function repeat(path: string, input: object): Promise<Response> {
  const headers = { ...json, "idempotency-key": "repeated" }
  const send = () => mock.fetch(path, postWith(input, { key, headers }))
  for (let answer = 0; answer <= maxReplays; answer++) await send()
  return send()
}

/**
 * Faults that no state of the mock shows; the tests of admission, limits, hanging up, MCP, deprecation and the stores show them.
 */
type Shown = Exclude<
  FaultCode,
  | "planMissing"
  | "keyRotated"
  | "keyDisabled"
  | "bodyTooSlow"
  | "bodyInPieces"
  | "overloaded"
  | "callerLeft"
  | "originForbidden"
  | "apiGone"
  | "chargeUnknown"
  | "idempotencyKeyInUse"
>

// Keyed by the table of faults: a new fault without an entry here does not compile.
const rest: Readonly<Record<Shown, readonly [status: number, error: string, bring: Bring]>> = {
  inputRejected: [400, "'companyid'", () => call("/v1/bluetoothlookup?companyid=x")],
  keysDiffer: [400, "different keys", () => call(lookUp, { headers: { authorization: "Bearer mock-free" } })],
  keyMissing: [401, "is needed", () => mock.fetch(lookUp)],
  keyMalformed: [401, "mistyped", () => ways.rest(mock, "anything")],
  adminKeySent: [401, "admin API", () => ways.rest(mock, createSecret("adminKey", elsewhere))],
  keyUnknown: [401, "not known", () => ways.rest(mock, createSecret("key", elsewhere))],
  keyExpired: [401, "has expired", () => ways.rest(mock, "mock-expired")],
  keyRevoked: [401, "has been revoked", () => ways.rest(mock, "mock-revoked")],
  addressForbidden: [403, "IP address", () => ways.rest(mock, "mock-forbidden")],
  apiForbidden: [403, "may not call 'bluetoothlookup'", () => afterFault(403)],
  notFound: [404, "No such path", () => call("/v1/nothing")],
  methodNotAllowed: [405, "takes POST, not GET", () => call("/v1/hmac")],
  bodyTooLarge: [413, "2,097,152 bytes", () => post(mock, "/v1/hmac", key, { message: tooLong })],
  mediaTypeUnsupported: [415, "Content-Type", () => call("/v1/hmac", { method: "POST", body: "message=a" })],
  idempotencyKeyReused: [422, "other input", () => reuse("/v1/linesorter", { lines: ["a"] }, { lines: [] })],
  rateLimited: [429, "per minute", () => ways.rest(mock, "mock-rate-limited")],
  idempotencyKeyUsedUp: [429, "no more are free", () => repeat("/v1/linesorter", { lines: ["a"] })],
  creditsUsedUp: [429, "used up", () => ways.rest(mock, "mock-no-credits")],
  internal: [500, "went wrong here", () => afterFault(500)],
  upstreamUnavailable: [503, "timeout.example", () => call("/v1/spfvalidator?domain=timeout.example")],
  storeUnavailable: [503, "cannot record charges", () => ways.rest(mock, "mock-unavailable")],
}

test.each(Object.entries(rest))("over REST: %s", async (_code, [status, text, bring]) => {
  const answer = await bring()
  expect(answer.status).toBe(status)
  const error = expect.stringContaining(text)
  expect(await readAnswer(answer)).toMatchObject({ status: "error", error, data: null })
  expect(answer.headers.get("x-request-id")).toBeTruthy()
  if (status === 503 || status === 429) expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0)
})

test("a 503 says when to try again, whatever the surface has for it", async () => {
  const list = { ...modernRequest("tools/list"), key: "mock-unavailable" }
  const answers = [query(one, list.key), ways.batch(mock, list.key), postMcp(mock.url, list)]
  for (const { status, headers } of await Promise.all(answers))
    expect([status, headers.get("retry-after"), headers.get("mock-hint")]).toEqual([503, "5", null])
  const inputs = [{ domain: "timeout.example" }, { domain: "-" }, { domain: "example.com" }]
  const { data } = await readAnswer(post(mock, "/v1/spfvalidator/batch", key, { inputs }))
  const { results } = data as { results: { status: string; retry_after?: number }[] }
  expect(results.map(({ status, retry_after: seconds }) => [status, seconds])).toEqual([
    ["error", 5],
    ["error", undefined],
    ["ok", undefined],
  ])
  const field = 'spfvalidator(input: {domain: "timeout.example"}) { spf_valid }'
  const { errors } = (await (await query(`{ ${field} }`)).json()) as { errors: readonly object[] }
  expect(errors).toMatchObject([{ extensions: { code: "UPSTREAM_UNAVAILABLE", retryAfterSeconds: 5 } }])
})

const query = (text: string, with_ = key) => post(mock, "/v1/graphql", with_, { query: text })
const one = '{ bluetoothlookup(input: {companyid: "76"}) { company } }'
const refusals: Readonly<Record<Exclude<RefusalCode, "IDEMPOTENCY_KEY_IN_USE">, Bring>> = {
  BAD_REQUEST: () => post(mock, "/v1/graphql", key, {}),
  FILE_UPLOAD_NOT_SUPPORTED: () =>
    call("/v1/graphql", {
      method: "POST",
      headers: { "content-type": "multipart/form-data; boundary=b" },
      body: "--b--",
    }),
  GRAPHQL_PARSE_FAILED: () => query("{"),
  GRAPHQL_VALIDATION_FAILED: () => query("{ nothing }"),
  OPERATION_NOT_SUPPORTED: () => query("mutation { __typename }"),
  QUERY_TOO_COMPLEX: () =>
    query(`{ ${Array.from({ length: 51 }, (_, i) => `a${i}: __typename`).join(" ")} }`),
  INVALID_API_KEY: () => query(one, "mock-expired"),
  INSUFFICIENT_CREDITS: () => query(one, "mock-no-credits"),
  FORBIDDEN: () => query(one, "mock-forbidden"),
  PLAN_LIMIT_EXCEEDED: () =>
    query(`${one.slice(0, -1)} linesorter(input: {lines: []}) { sorted } }`, "mock-free"),
  METHOD_NOT_ALLOWED: () => call("/v1/graphql", { headers: json }),
  IDEMPOTENCY_KEY_REUSED: () => reuse("/v1/graphql", { query: one }, { query: `${one} ` }),
  IDEMPOTENCY_KEY_USED_UP: () => repeat("/v1/graphql", { query: one }),
  RATE_LIMITED: () => query(one, "mock-rate-limited"),
  INTERNAL_SERVER_ERROR: async () => {
    await fault({ status: 500, api: "bluetoothlookup" })
    return query(one)
  },
  GRAPHQL_NOT_SUPPORTED: async () => ways.graphql(await startTestMock({ noGraphql: true }), key),
  UPSTREAM_UNAVAILABLE: () => query(one, "mock-unavailable"),
}

test.each(Object.entries(refusals))("over GraphQL: %s", async (code, bring) => {
  // A bug of an API is its field's own; there is no way to see one of the gateway.
  const status = code === "INTERNAL_SERVER_ERROR" ? 200 : statuses[code as RefusalCode]
  expect(await readGraphql(bring())).toMatchObject({ status, code })
  expect(page).toContain(`| \`${code}\` |`)
})

test("over GraphQL: BAD_USER_INPUT of a field", async () => {
  const answer = await readGraphql(query('{ bluetoothlookup(input: {companyid: "x"}) { company } }'))
  expect(answer).toEqual({ status: 200, code: "BAD_USER_INPUT", data: { bluetoothlookup: null } })
  expect(page).toContain("| `BAD_USER_INPUT` |")
})

test("a batch is refused as a whole for bad `inputs`, and in part for a bad input", async () => {
  const batch = (inputs: readonly object[], with_ = key) =>
    post(mock, "/v1/bluetoothlookup/batch", with_, { inputs })
  for (const inputs of [[], Array.from({ length: 201 }, () => ({ companyid: "76" }))]) {
    const refused = await batch(inputs)
    expect(refused.status).toBe(400)
    expect((await readAnswer(refused)).error).toContain("'inputs'")
  }
  const part = await batch([{ companyid: "76" }, { companyid: "x" }])
  expect(part.status).toBe(200)
  expect((await readAnswer(part)).data).toMatchObject({ succeeded: 1, failed: 1, credits_used: 1 })
})
