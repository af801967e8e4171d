/** `POST /v1/graphql`: what it answers, what it refuses with which code, what it charges. */
import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, printSchema } from "graphql"
import { createSecret } from "../src/accounts/key.ts"
import { catalog } from "../src/app/prepare.ts"
import { systemRandom } from "../src/ports/random.ts"
import { runCliForTest } from "./support/cli.ts"
import { readGraphql } from "./support/graphql.ts"
import { startTestService } from "./support/service.ts"

const settings = {
  plans: { three: { monthly_credits: 3 }, slow: { monthly_credits: 100, requests_per_minute: 2 } },
}

const service = await startTestService({ file: settings })
const path = "/v1/graphql"

const ask = (key: string | null, query: unknown, more: object = {}, headers?: Record<string, string>) =>
  readGraphql(service.post(path, { query, ...more }, { key, ...(headers && { headers }) }))
async function usage(account: string) {
  const rows = await service.accounts.usage(account, 1)
  return Object.fromEntries(rows.map(({ api, calls, credits }) => [api, [calls, credits]]))
}
const usedBy = async (account: string) => (await service.accounts.show(account)).balance.used

const apple = `bluetoothlookup(input: {companyid: "76"}) { company }`
const signed = `hmac(input: {message: "m", secret: "s"}) { hmac }`
const sorted = `linesorter(input: {lines: ["b", "a"]}) { sorted }`
const bad = `bluetoothlookup(input: {companyid: "x"}) { company }`

test("answers: data by root field, with the fields that were chosen", async () => {
  const { key } = await service.createKey("pro")
  const { status, headers, body } = await ask(key, `{ ${apple} ${signed} __typename }`)
  expect(status).toBe(200)
  const hmac = { hmac: expect.stringMatching(/^[0-9a-f]{64}$/) }
  expect(body).toEqual({ data: { bluetoothlookup: { company: "Apple, Inc." }, hmac, __typename: "Query" } })
  expect(Object.fromEntries(headers)).toMatchObject({
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    "access-control-allow-origin": "*",
    "x-request-id": expect.stringMatching(/^[\w.-]+$/),
  })
})

test("answers: variables, operation names, fragments and directives", async () => {
  const { account, key } = await service.createKey("pro")
  const query = `
      query One($id: String!, $deep: Boolean = false) {
        ...Both
        hmac(input: {message: "m", secret: "s"}) @include(if: $deep) { hmac }
      }
      fragment Both on Query { bluetoothlookup(input: {companyid: $id}) { ...Name } ... on Query { ${sorted} } }
      fragment Name on BluetoothlookupResult { company found }
      query Two { ${apple} }`
  const one = await ask(key, query, { operationName: "One", variables: { id: "0x004C" } })
  expect(one.body).toEqual({
    data: { bluetoothlookup: { company: "Apple, Inc.", found: true }, linesorter: { sorted: ["a", "b"] } },
  })
  const deep = await ask(key, query, { operationName: "One", variables: { id: "1", deep: true } })
  expect(Object.keys(deep.body.data ?? {})).toEqual(["bluetoothlookup", "linesorter", "hmac"])
  expect((await ask(key, query, { operationName: "Two" })).body.data).toEqual({
    bluetoothlookup: { company: "Apple, Inc." },
  })
  expect(await usage(account)).toEqual({ bluetoothlookup: [3, 3], linesorter: [2, 2], hmac: [1, 1] })
})

test("answers: null for an optional parameter counts as left out", async () => {
  const { key } = await service.createKey("pro")
  const query = `query($a: String) { hmac(input: {message: "", secret: "s", algorithm: $a, encoding: null}) { algorithm encoding } }`
  for (const variables of [{}, { a: null }]) {
    const { body } = await ask(key, query, { variables })
    expect(body).toEqual({ data: { hmac: { algorithm: "sha256", encoding: "hex" } } })
  }
})

test("answers: one API of several fails: 200 with data and errors", async () => {
  const { account, key } = await service.createKey("pro")
  const { status, body } = await ask(key, `{ ${signed} ${bad} }`)
  expect(status).toBe(200)
  const error = {
    message: expect.stringMatching(/^The 'companyid' parameter must be /),
    path: ["bluetoothlookup"],
    locations: [{ line: 1, column: expect.any(Number) }],
    extensions: { code: "BAD_USER_INPUT" },
  }
  const data = { hmac: { hmac: expect.any(String) }, bluetoothlookup: null }
  expect(body as unknown).toEqual({ data, errors: [error] })
  expect(await usage(account)).toEqual({ hmac: [1, 1] })
})

test("answers: a parameter with a fixed list of values is a string, checked like every input", async () => {
  const { account, key } = await service.createKey("pro")
  const query = (algorithm: string) =>
    `{ hmac(input: {message: "m", secret: "s", algorithm: ${algorithm}}) { algorithm } }`
  expect((await ask(key, query(`"sha512"`))).body.data).toEqual({ hmac: { algorithm: "sha512" } })
  const { status, body } = await ask(key, query(`"sha3"`))
  const message = "The 'algorithm' parameter must be one of sha256, sha384, sha512, sha1, md5."
  expect([status, body.data, body.errors?.[0]?.message]).toEqual([200, { hmac: null }, message])
  expect((await ask(key, query("sha256"))).codes).toEqual(["GRAPHQL_VALIDATION_FAILED"])
  expect(await usedBy(account)).toBe(1)
})

test("answers: on a plan without premium, premium fields are null and premium parameters have no effect", async () => {
  service.clock.set("2025-06-21T12:00:00Z")
  const query = `{ sunrisesunset(input: {lat: 51.5, lon: 0, date: "01-01-2025"}) { solarNoon sunrise } }`
  const paid = await ask((await service.createKey("pro")).key, query)
  const on = (day: string) => expect.stringContaining(`${day}T`)
  const asked = { solarNoon: on("2025-01-01"), sunrise: on("2025-01-01") }
  expect(paid.body.data).toEqual({ sunrisesunset: asked })
  const free = await ask((await service.createKey("free")).key, query)
  expect(free.body).toEqual({ data: { sunrisesunset: { solarNoon: null, sunrise: on("2025-06-21") } } })
  service.clock.set("2025-01-01T00:00:00Z")
})

const plain = "application/json"
const graphql = "application/graphql-response+json"
test.each([
  [null, plain],
  ["*/*", plain],
  [plain, plain],
  ["text/html", plain],
  [graphql, graphql],
  [`${graphql}, ${plain};q=0.9`, graphql],
  [`${plain}, ${graphql};q=0.9`, plain],
  [`${graphql};q=0`, plain],
])("answers: Accept %p is answered with %s, also for refusals", async (accept, type) => {
  const headers = { "content-type": plain, ...(accept !== null && { accept }) }
  const { key } = await service.createKey("pro")
  for (const query of ["{ __typename }", "{"]) {
    const answer = await ask(key, query, {}, headers)
    expect(answer.headers.get("content-type")).toBe(`${type}; charset=utf-8`)
    expect(answer.status).toBe(query === "{" ? 400 : 200)
  }
})

const file = join(import.meta.dir, "../docs/schema.graphql")

test("the schema is printed by 'penknife schema' as in docs/schema.graphql, which 'bun run generate' renews", async () => {
  const { code, out } = await runCliForTest(["schema"])
  expect(code).toBe(0)
  expect(out).toBe(readFileSync(file, "utf8"))
})

test("the schema can be introspected for free, also when no credits are left", async () => {
  const { account, key } = await service.createKey("three")
  await ask(key, `{ ${apple} ${signed} ${sorted} }`)
  const { status, body } = await ask(key, getIntrospectionQuery())
  expect(status).toBe(200)
  const introspection = body.data as unknown as IntrospectionQuery
  expect(`${printSchema(buildClientSchema(introspection))}\n`).toBe(readFileSync(file, "utf8"))
  const { out } = await runCliForTest(["schema", "--json"])
  expect(buildClientSchema(JSON.parse(out)).getQueryType()?.name).toBe("Query")
  expect(await usedBy(account)).toBe(3)
})

test("the schema has a described root field for every API, with one argument", () => {
  const schema = readFileSync(file, "utf8")
  for (const { id, title } of catalog) {
    expect(schema).toContain(title)
    expect(schema).toMatch(
      new RegExp(`\\n {2}${id}\\(\\n {4}"""The parameters."""\\n {4}input: \\w+!?\\n {2}\\): \\w+\\n`),
    )
  }
})

test("charging: an API costs once even when it is named twice, and nothing when it never succeeds", async () => {
  const { account, key } = await service.createKey("pro")
  const failing = `linesorter(input: {lines: [], order: "up"}) { sorted }`
  const query = `{ ${apple} a: ${apple} b: ${bad} ${signed} again: ${signed} ${failing} }`
  const { status, body } = await ask(key, query)
  expect(status).toBe(200)
  expect(body.errors).toHaveLength(2)
  expect(await usage(account)).toEqual({ bluetoothlookup: [1, 1], hmac: [1, 1] })
})

test("charging: credits held for an API that fails are released", async () => {
  const { account, key } = await service.createKey("three")
  for (let i = 0; i < 5; i++) expect((await ask(key, `{ ${bad} a: ${bad} }`)).status).toBe(200)
  expect((await ask(key, `{ ${apple} ${signed} ${sorted} }`)).body.errors).toBeUndefined()
  expect(await usedBy(account)).toBe(3)
})

test("charging: when another process has used the credits, the answer is a 402 and nothing is charged", async () => {
  const other = await startTestService({ flags: { db: service.db }, file: settings })
  const { account, key } = await service.createKey("three")
  await ask(key, `{ ${apple} }`)
  expect((await other.post(path, { query: `{ ${apple} ${signed} }` }, { key })).status).toBe(200)
  const { status, codes, body } = await ask(key, `{ ${apple} ${signed} }`)
  expect([status, codes, "data" in body]).toEqual([402, ["INSUFFICIENT_CREDITS"], false])
  expect(await usedBy(account)).toBe(3)
})

test("charging: the answer has headers for the rate limit, not for credits", async () => {
  const { account, key } = await service.createKey("slow")
  const answer = await ask(key, `{ ${apple} ${signed} }`)
  const names = [...answer.headers.keys()]
  expect(names.filter((name) => name.startsWith("x-api-"))).toEqual([])
  expect(answer.headers.get("x-ratelimit-limit")).toBe("2")
  expect(answer.headers.get("x-ratelimit-remaining")).toBe("1")
  const refused = await ask(key, "{")
  expect([refused.status, refused.headers.get("x-ratelimit-remaining")]).toEqual([400, "0"])
  const throttled = await readGraphql(service.post(path, "no json", { key }))
  expect([throttled.status, throttled.codes]).toEqual([429, ["RATE_LIMITED"]])
  expect(throttled.headers.get("retry-after")).toBe("30")
  expect(await usedBy(account)).toBe(2)
})

test("INVALID_API_KEY, 401: missing, mistyped, unknown, expired, revoked; before the body is read", async () => {
  const revoked = await service.createKey("pro")
  await service.accounts.revokeKey(revoked.id)
  const expired = await service.createKey("pro", { expiresMs: service.clock.now() + 1 })
  service.clock.advance(1)
  for (const key of [null, "pk-nonsense", createSecret("key", systemRandom), expired.key, revoked.key]) {
    const { status, codes, body } = await readGraphql(service.post(path, "no json", { key }))
    expect([status, codes, "data" in body]).toEqual([401, ["INVALID_API_KEY"], false])
  }
})

test("FORBIDDEN, 403: an API that the key may not call, an address it may not be used from", async () => {
  const { account, key } = await service.createKey("pro", { blockApis: ["hmac"] })
  const { status, codes, body } = await ask(key, `{ ${apple} ${signed} }`)
  expect([status, codes, "data" in body]).toEqual([403, ["FORBIDDEN"], false])
  expect(body.errors?.[0]?.message).toContain("'hmac'")
  expect((await ask(key, `{ ${apple} }`)).status).toBe(200)
  expect(await usage(account)).toEqual({ bluetoothlookup: [1, 1] })
  const far = await service.createKey("pro", { allowIps: ["192.0.2.0/24"] })
  expect((await ask(far.key, "{ __typename }")).codes).toEqual(["FORBIDDEN"])
})

test("PLAN_LIMIT_EXCEEDED, 403: more APIs than the plan allows, naming both numbers", async () => {
  const { account, key } = await service.createKey("free")
  const { status, codes, body } = await ask(key, `{ ${apple} ${signed} ${sorted} }`)
  expect([status, codes, "data" in body]).toEqual([403, ["PLAN_LIMIT_EXCEEDED"], false])
  expect(body.errors?.[0]?.message).toBe("The plan 'free' allows 1 API in a query; this one names 3.")
  expect(await usedBy(account)).toBe(0)
  const left = `query($no: Boolean = false) { ${apple} a: ${apple} ${signed.replace("{ hmac }", "@include(if: $no) { hmac }")} }`
  expect((await ask(key, left)).body.data).toMatchObject({ a: { company: "Apple, Inc." } })
  expect(await usedBy(account)).toBe(1)
})

test.each(["GET", "PUT", "PATCH", "DELETE"])("methods: %s is 405 with Allow: POST", async (method) => {
  const get = service.fetch(`${path}?query=%7B__typename%7D`, { method })
  const { status, headers, codes } = await readGraphql(get)
  expect([status, headers.get("allow"), codes]).toEqual([405, "POST", ["METHOD_NOT_ALLOWED"]])
})

test("methods: HEAD is 405, OPTIONS a preflight", async () => {
  const head = await service.fetch("/v1/graphql", { method: "HEAD" })
  expect([head.status, head.headers.get("allow")]).toEqual([405, "POST"])
  const preflight = await service.fetch("/v1/graphql", { method: "OPTIONS" })
  expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, "*"])
})

test("methods: --no-graphql makes it a 501 GRAPHQL_NOT_SUPPORTED for everyone, and other paths work", async () => {
  const off = await startTestService({ flags: { noGraphql: true } })
  const { key } = await off.createKey("pro")
  for (const answer of [off.fetch(path), off.post(path, {}, { key })]) {
    const { status, codes } = await readGraphql(answer)
    expect([status, codes]).toEqual([501, ["GRAPHQL_NOT_SUPPORTED"]])
  }
  expect((await off.fetch("/v1/bluetoothlookup?companyid=76", { key })).status).toBe(200)
})
