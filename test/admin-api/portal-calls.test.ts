/** Calls of the APIs by a page of this service, on behalf of a customer who is signed in to the portal. */
import { expect, test } from "bun:test"
import type { NewKey } from "../../src/admin/program-accounts.ts"
import { adminOf } from "../support/admin.ts"
import { openBrowser } from "../support/browser.ts"
import { apiSource, folderOf } from "../support/own-apis.ts"
import { startTestService } from "../support/service.ts"

const source = apiSource("old").replace(
  "credits: 1,",
  'credits: 1, deprecation: { since: "2024-12-01", sunset: "2025-03-01", successor: "hmac" },',
)
const service = await startTestService({ flags: { apis: folderOf({ "old/index.ts": source }) } })
const admin = await adminOf(service)

async function signIn(plan = "pro", key: Partial<NewKey> = {}) {
  const created = await service.createKey(plan, key)
  const browser = openBrowser(service.url)
  expect((await browser.signIn("portal", { key: created.key })).status).toBe(201)
  return { ...created, browser }
}

/** A browser that has opened a link to the portal. */
async function signInByLink(account: string) {
  const { body } = await admin("POST", `/accounts/${account}/portal-link`)
  const [, token = ""] = String(body.url).split("#token=")
  const browser = openBrowser(service.url)
  expect((await browser.signIn("portal", { token })).status).toBe(201)
  return browser
}

test("a call has the answer, the price and the headers of a call with the key that opened the session", async () => {
  const { browser, key, id } = await signIn("free")
  const path = "/portal/v1/calls/bluetoothlookup?companyid=76"
  const { status, text, headers } = await browser.send("POST", path)
  const rest = await fetch(`${service.url}/v1/bluetoothlookup?companyid=76`, {
    headers: { "x-api-key": key },
  })
  expect([status, text]).toEqual([200, await rest.text()])
  expect([headers.get("x-api-credits-used"), rest.headers.get("x-api-credits-used")]).toEqual(["1", "2"])
  const kept = [headers.get("cache-control"), headers.get("access-control-allow-origin")]
  expect(kept).toEqual(["no-store", null])
  const body = { message: "a", secret: "b" }
  const posted = await browser.send("POST", "/portal/v1/calls/hmac?format=yaml", { body })
  expect([posted.status, posted.headers.get("content-type")]).toEqual([200, "application/yaml"])
  const used = await browser.send("GET", "/portal/v1/usage?by=key")
  expect(used.body.data).toMatchObject([{ key: id, calls: 3 }])
  expect(service.logged()).toContain('"surface":"portal"')
})

test("a call of a deprecated API says so as REST does, and one that is refused does not", async () => {
  const { browser, key } = await signIn()
  const said = async (body: object) => {
    const { status, headers } = await browser.send("POST", "/portal/v1/calls/old", { body })
    const rest = await service.post("/v1/old", body, { key })
    const of = (answer: Headers) => ["deprecation", "sunset", "link"].map((name) => answer.get(name))
    expect([status, of(headers)]).toEqual([rest.status, of(rest.headers)])
    return [status, ...of(headers)]
  }
  expect(await said({ text: "a" })).toEqual([
    200,
    `@${Date.UTC(2024, 11, 1) / 1_000}`,
    "Sat, 01 Mar 2025 00:00:00 GMT",
    expect.stringContaining('</v1/hmac>; rel="successor-version"'),
  ])
  expect(await said({})).toEqual([400, null, null, null])
})

test("pages of other origins may read what REST answers, and not what the portal does, in either order", async () => {
  const { browser, key } = await signIn()
  const call = "bluetoothlookup?companyid=76"
  const portal = async () => (await browser.send("POST", `/portal/v1/calls/${call}`)).headers
  const rest = async () =>
    (await fetch(`${service.url}/v1/${call}`, { headers: { "x-api-key": key } })).headers
  const allowed: (string | null)[] = []
  for (const ask of [portal, rest, portal]) {
    const headers = await ask()
    allowed.push(headers.get("access-control-allow-origin"))
    expect(headers.get("x-content-type-options")).toBe("nosniff")
  }
  expect(allowed).toEqual([null, "*", null])
})

test.each([
  ["sunrisesunset?lat=0x10&lon=1", undefined],
  ["sunrisesunset?lat=1", undefined],
  ["hmac", { message: "a" }],
  ["hmac?format=pdf", { message: "a", secret: "b" }],
])("what REST refuses is refused in the same words: %s", async (call, body) => {
  const { browser, key } = await signIn()
  const { status, text, headers } = await browser.send("POST", `/portal/v1/calls/${call}`, { body })
  const rest = await fetch(`${service.url}/v1/${call}`, {
    method: body ? "POST" : "GET",
    headers: { "x-api-key": key, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  expect([status, text]).toEqual([400, await rest.text()])
  expect(headers.get("x-error-code")).toBe(rest.headers.get("x-error-code"))
  expect(headers.get("x-api-credits-used")).toBe("0")
})

test("a call that is sent again with its Idempotency-Key is answered and not charged again, as with REST", async () => {
  const { browser } = await signIn("free")
  const headers = { "idempotency-key": "one-call-of-a-page" }
  const send = () => browser.send("POST", "/portal/v1/calls/bluetoothlookup?companyid=76", { headers })
  const [first, again] = [await send(), await send()]
  expect([first.status, first.text]).toEqual([200, again.text])
  expect(first.headers.get("idempotent-replayed")).toBeNull()
  expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"])
  expect(again.headers.get("x-api-credits-used")).toBe("1")
})

test("calls do not count as changes: the plan and the key limit them, and changes stay possible after many", async () => {
  const { browser } = await signIn("pro", { rateLimit: 40 })
  const path = "/portal/v1/calls/bluetoothlookup?companyid=76"
  for (let count = 1; count <= 40; count++)
    expect([count, (await browser.send("POST", path)).status]).toEqual([count, 200])
  const refused = await browser.send("POST", path)
  expect([refused.status, refused.headers.get("x-error-code")]).toEqual([429, "rateLimited"])
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
  // A key with limits makes no other key, and the attempts count.
  const change = async () => (await browser.send("POST", "/portal/v1/keys", { body: {} })).status
  for (let count = 1; count < 30; count++) expect([count, await change()]).toEqual([count, 403])
  expect(await change()).toBe(429)
})

test("all that a session sends is limited to 600 requests a minute, calls too, and others are not affected", async () => {
  const [{ browser }, { browser: other }] = [await signIn("pro"), await signIn("pro")]
  const call = () => browser.send("POST", "/portal/v1/calls/bluetoothlookup?companyid=76")
  for (let count = 0; count < 599; count += 100)
    await Promise.all(Array.from({ length: Math.min(100, 599 - count) }, call))
  const [last, refused] = [await call(), await call()]
  expect([last.status, refused.status, refused.headers.get("retry-after")]).toEqual([200, 429, "1"])
  expect((await other.send("GET", "/portal/session")).status).toBe(200)
})

test("the limits of the key hold", async () => {
  const { browser } = await signIn("pro", { allowApis: ["hmac"] })
  const { status, headers } = await browser.send("POST", "/portal/v1/calls/bluetoothlookup?companyid=76")
  expect([status, headers.get("x-error-code")]).toEqual([403, "apiForbidden"])
})

test("it needs the session, a page of this service and the CSRF token", async () => {
  const { browser } = await signIn()
  const path = "/portal/v1/calls/bluetoothlookup?companyid=76"
  const foreign = { origin: "https://evil.example", "sec-fetch-site": "cross-site" }
  for (const headers of [{ "x-csrf-token": null }, foreign, { origin: null, "sec-fetch-site": null }])
    expect((await browser.send("POST", path, { headers })).status).toBe(403)
  expect((await browser.send("POST", path, { headers: { cookie: null } })).status).toBe(401)
  expect((await browser.send("GET", path)).status).toBe(405)
  expect((await browser.send("POST", "/portal/v1/calls/nothing")).status).toBe(404)
})

test("a session of a link calls with a key of its account that works, and without one says what to do", async () => {
  const { account, id } = await service.createKey("pro")
  const browser = await signInByLink(account)
  const path = "/portal/v1/calls/bluetoothlookup?companyid=76"
  expect((await browser.send("POST", path)).status).toBe(200)
  await admin("POST", `/keys/${id}/revoke`)
  const refused = await browser.send("POST", path)
  expect([refused.status, refused.body.detail]).toEqual([
    403,
    "Your account has no API key that you may call with. Create one under Keys.",
  ])
})

test("a session of a link calls each API with a key that may call it", async () => {
  const { account } = await service.createKey("pro", { allowApis: ["hmac"] })
  await admin("POST", "/keys", { body: { account, name: "lookups", allow_apis: ["bluetoothlookup"] } })
  const browser = await signInByLink(account)
  const found = await browser.send("POST", "/portal/v1/calls/bluetoothlookup?companyid=76")
  const signed = await browser.send("POST", "/portal/v1/calls/hmac", { body: { message: "a", secret: "b" } })
  expect([found.status, signed.status]).toEqual([200, 200])
})

test("a session of a link finds a key that works after a hundred that are revoked", async () => {
  const { account, id } = await service.createKey("pro")
  await admin("POST", `/keys/${id}/revoke`)
  for (let count = 0; count < 100; count++) {
    const created = await admin("POST", "/keys", { body: { account, name: "old" } })
    await admin("POST", `/keys/${created.body.id}/revoke`)
  }
  service.clock.advance(1)
  await admin("POST", "/keys", { body: { account, name: "new" } })
  const browser = await signInByLink(account)
  expect((await browser.send("POST", "/portal/v1/calls/bluetoothlookup?companyid=76")).status).toBe(200)
})
