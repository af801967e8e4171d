/** An API key sent as `Authorization: Bearer KEY` (RFC 6750) is taken as one in `x-api-key` is, on every surface. */
import { expect, test } from "bun:test"
import { createSecret } from "../src/accounts/key.ts"
import { systemRandom } from "../src/ports/random.ts"
import { readAnswer } from "./support/answer.ts"
import { startTestMock } from "./support/mock.ts"
import { startTestService } from "./support/service.ts"

const metricsToken = "metrics-s3cret"
const service = await startTestService({ flags: { metricsToken } })
const path = "/v1/bluetoothlookup?companyid=76"
const json = { "content-type": "application/json" }

const surfaces: readonly [name: string, path: string, body: object | null][] = [
  ["REST, by GET", path, null],
  ["REST, by POST", "/v1/hmac", { message: "a", secret: "b" }],
  ["a batch", "/v1/bluetoothlookup/batch", { inputs: [{ companyid: "76" }] }],
  ["GraphQL", "/v1/graphql", { query: '{ bluetoothlookup(input: {companyid: "76"}) { company } }' }],
  ["usage", "/v1/usage", null],
]

const send = (target: string, headers: Record<string, string>, body: object | null = null) =>
  body === null
    ? service.fetch(target, { headers })
    : service.post(target, body, { headers: { ...json, ...headers } })

test.each(surfaces)("over %s", async (_name, target, body) => {
  const { key, account } = await service.createKey("pro")
  expect((await send(target, { authorization: `Bearer ${key}` }, body)).status).toBe(200)
  const used = (await service.accounts.usage(account, 1)).map(({ credits }) => credits)
  expect(used).toEqual(target === "/v1/usage" ? [] : [1])
  const unknown = createSecret("key", systemRandom)
  for (const wrong of [`Bearer ${unknown}`, "Bearer mistyped", "Bearer", "Basic dXNlcjpwYXNz"]) {
    const refused = await send(target, { authorization: wrong }, body)
    expect([wrong, refused.status]).toEqual([wrong, 401])
    // RFC 9110 §11.6.1: a 401 names the scheme that is taken.
    expect(refused.headers.get("www-authenticate")).toBe("Bearer")
    expect(await refused.text()).not.toContain(unknown)
  }
  expect(service.logged()).not.toContain(key)
  expect(service.logged()).not.toContain(unknown)
})

test("the scheme's name is case-insensitive (RFC 9110 §11.1), a key of the earlier form is taken, spaces are ignored", async () => {
  const { key } = await service.createKey("free")
  for (const authorization of [`bearer ${key}`, `BEARER  ${key} `])
    expect((await send(path, { authorization })).status).toBe(200)
  for (const authorization of [key, `Bearer${key}`, `Bearer ${key} x`, `Bearer "${key}"`])
    expect([authorization, (await send(path, { authorization })).status]).toEqual([authorization, 401])
})

test.each(surfaces)(
  "over %s both headers must hold the same key, unless x-api-key is empty",
  async (_name, target, body) => {
    const { key, account } = await service.createKey("pro")
    const other = await service.createKey("pro")
    for (const first of [other.key, "mistyped"]) {
      const refused = await send(target, { "x-api-key": first, authorization: `Bearer ${key}` }, body)
      expect(refused.status).toBe(400)
      const text = await refused.text()
      expect(text).toContain("'x-api-key' and 'Authorization'")
      for (const sent of [first, key]) expect(text).not.toContain(sent)
    }
    expect(await service.accounts.usage(account, 1)).toEqual([])
    expect(await service.accounts.usage(other.account, 1)).toEqual([])
    const accepted: Record<string, string>[] = [
      { "x-api-key": key, authorization: `Bearer ${key}` },
      { "x-api-key": key, authorization: "Basic dXNlcjpwYXNz" },
      { "x-api-key": "", authorization: `Bearer ${key}` },
    ]
    for (const headers of accepted) expect((await send(target, headers, body)).status).toBe(200)
  },
)

test.each(surfaces)("over %s a key of the admin API is named as one", async (_name, target, body) => {
  const key = createSecret("adminKey", systemRandom)
  const sent: Record<string, string>[] = [{ "x-api-key": key }, { authorization: `Bearer ${key}` }]
  for (const headers of sent) {
    const refused = await send(target, headers, body)
    expect(refused.status).toBe(401)
    const text = await refused.text()
    expect(text).toContain("This is a key of the admin API. Send an API key here: it begins with 'pk-'.")
    expect(text).not.toContain(key)
  }
  expect(service.logged()).not.toContain(key)
})

test("a key does not open the metrics, and their token is no key", async () => {
  const { key } = await service.createKey("pro")
  expect((await send("/metrics", { authorization: `Bearer ${key}` })).status).toBe(401)
  const refused = await send(path, { authorization: `Bearer ${metricsToken}` })
  const { error } = await readAnswer(refused)
  expect([refused.status, error]).toEqual([401, "The API key is mistyped or cut short."])
  expect((await send("/metrics", { authorization: `Bearer ${metricsToken}` })).status).toBe(200)
})

test("in the mock names of keys, faults of a key and the journal's filter work with it", async () => {
  const mock = await startTestMock()
  const headers = { authorization: "Bearer mock-free" }
  expect((await mock.fetch(path, { headers })).headers.get("x-api-current-plan")).toBe("free")
  await mock.control("PUT", "/faults", { key: "mock-free", status: 503 })
  expect((await mock.fetch(path, { headers })).status).toBe(503)
  const { data } = await mock.control("GET", "/requests?key=mock-free")
  expect(data?.requests).toMatchObject([{ key: "mock-free" }, { key: "mock-free" }])
})

test("in the mock the journal shortens a key that may be a real one", async () => {
  const mock = await startTestMock()
  const real = createSecret("key", systemRandom)
  await mock.fetch(path, { headers: { authorization: `Bearer ${real}` } })
  const { data } = await mock.control("GET", `/requests?key=${real}`)
  expect(JSON.stringify(data)).not.toContain(real)
  const shown = `${real.slice(0, 9)}…`
  const request = { headers: { authorization: `Bearer ${shown}` } }
  expect(data?.requests).toMatchObject([{ key: shown, request }])
})
