/** Access to the admin API: its keys, the refusals of others, and how they are slowed down. */
import { describe, expect, test } from "bun:test"
import { createSecret } from "../../src/accounts/key.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { adminClient, adminOf, createTestAdminKey } from "../support/admin.ts"
import { useStoreKindsInTurn } from "../support/any-store.ts"
import { openBrowser } from "../support/browser.ts"
import { linesWith, readLines, requestsIn } from "../support/log.ts"
import { startTestService } from "../support/service.ts"
import { createManualTimer } from "../support/timer.ts"

const service = await startTestService()
const stranger = adminClient(service.url, null)

test("a key in x-admin-key, as a bearer token, or in both", async () => {
  const { key } = await createTestAdminKey(service.db)
  const sent: Record<string, string>[] = [
    { "x-admin-key": key },
    { authorization: `Bearer ${key}` },
    { authorization: `bearer  ${key} `, "x-admin-key": key },
  ]
  for (const headers of sent) expect((await stranger("GET", "/accounts", { headers })).status).toBe(200)
})

test("a key is a 400 when two differ, and neither is sent back", async () => {
  const [one, other] = [await createTestAdminKey(service.db), await createTestAdminKey(service.db)]
  const headers = { "x-admin-key": one.key, authorization: `Bearer ${other.key}` }
  const { status, text } = await stranger("GET", "/accounts", { headers })
  expect(status).toBe(400)
  expect(text).toContain("'x-admin-key' and 'Authorization' hold different keys")
  expect(text).not.toContain("pka-")
})

test("a key works until the instant of its expiry, and not after it was revoked", async () => {
  const expiresMs = service.clock.now() + 1_000
  const expiring = await createTestAdminKey(service.db, { expiresMs })
  expect((await stranger("GET", "/accounts", { key: expiring.key })).status).toBe(200)
  service.clock.advance(1_000)
  const expired = await stranger("GET", "/accounts", { key: expiring.key })
  expect([expired.status, expired.body.detail]).toEqual([401, "The admin key has expired."])
  const revoked = await createTestAdminKey(service.db, { revokedMs: 1 })
  const refused = await stranger("GET", "/accounts", { key: revoked.key })
  expect([refused.status, refused.body.detail]).toEqual([401, "The admin key has been revoked."])
})

const [apiKey, adminKey] = [createSecret("key", systemRandom), createSecret("adminKey", systemRandom)]
test.each([
  ["no key", {}, "An admin key is needed"],
  ["another scheme", { authorization: "Basic dXNlcjpwYXNz" }, "An admin key is needed"],
  ["an API key", { "x-admin-key": apiKey }, "This is an API key."],
  ["an API key as a bearer token", { authorization: `Bearer ${apiKey}` }, "This is an API key."],
  ["an API key in its own header", { "x-api-key": apiKey }, "'x-api-key' is for the APIs"],
  ["a mistyped key", { "x-admin-key": adminKey.slice(0, -1) }, "mistyped or cut short"],
  ["an unknown key", { "x-admin-key": adminKey }, "not known"],
])("%s is a 401 that says what to send, before anything else is read", async (_name, headers, expected) => {
  const own: Readonly<Record<string, string>> = headers
  const answers = [
    await stranger("GET", "/accounts?limit=many&nothing=1", { headers: own }),
    await stranger("POST", "/accounts", { headers: { ...own, "idempotency-key": "é" }, body: "no JSON" }),
  ]
  for (const { status, headers, body, text } of answers) {
    expect([status, headers.get("www-authenticate")]).toEqual([401, "Bearer"])
    expect(headers.get("content-type")).toBe("application/problem+json")
    expect(body).toMatchObject({ type: "urn:penknife:problem:unauthenticated", status: 401 })
    expect(text).toContain(expected)
    expect(text).not.toMatch(/pka?-[0-9A-Za-z]{9}/)
  }
})

describe.each(useStoreKindsInTurn(1))("on $name", ({ create }) => {
  test("a key that one instance revokes is refused by another at once", async () => {
    const flags = { db: await create() }
    const [first, second] = [await startTestService({ flags }), await startTestService({ flags })]
    const admin = await adminOf(first)
    const { id, key } = (await admin("POST", "/admins", { body: { name: "other" } })).body
    const ask = adminClient(second.url, String(key))
    expect((await ask("GET", "/whoami")).status).toBe(200)
    expect((await admin("POST", `/admins/${id}/revoke`)).status).toBe(200)
    expect((await ask("GET", "/whoami")).body.detail).toBe("The admin key has been revoked.")
  })
})

test("a missing permission is a 403 that names it, before anything else is read", async () => {
  const { key } = await createTestAdminKey(service.db, { permissions: ["accounts.read", "keys.*"] })
  expect((await stranger("GET", "/accounts", { key })).status).toBe(200)
  const refused = await stranger("POST", "/accounts", { key, body: "no JSON" })
  expect([refused.status, refused.body.detail]).toEqual([403, "This needs the permission 'accounts.write'."])
  expect((await stranger("PATCH", "/accounts/acc_nobody", { key, body: { name: "x" } })).status).toBe(403)
})

test("the log names the admin key of a request and of a failed sign-in, and holds no key", async () => {
  const own = await startTestService()
  const ask = adminClient(own.url, null)
  const { id, key } = await createTestAdminKey(own.db)
  const revoked = await createTestAdminKey(own.db, { revokedMs: 1, name: "old" })
  const keys = [key, revoked.key, createSecret("adminKey", systemRandom), createSecret("key", systemRandom)]
  for (const sent of keys) await ask("GET", "/accounts", { key: sent, headers: { "x-request-id": sent } })
  const read = requestsIn(own.logged()).find(({ actor }) => actor === `admin-key:${id}`)
  expect(read).toMatchObject({ surface: "admin", api: "accounts.list", status: 200 })
  expect(read).toMatchObject({ account: null, credits: 0 })
  expect(linesWith("admin sign-in failed", own.logged())).toMatchObject([
    { level: "warn", reason: "revoked", adminKey: revoked.id, name: "old", address: "127.0.0.1" },
    { level: "warn", reason: "unknown", address: "127.0.0.1" },
    { level: "warn", reason: "apiKey", address: "127.0.0.1" },
  ])
  for (const sent of keys) expect(own.logged()).not.toContain(sent.slice(0, 20))
})

test("the log: requests are counted by operation, and never as charged", async () => {
  const own = await startTestService()
  const ask = await adminOf(own)
  await ask("POST", "/accounts", { body: { name: "Ann" } })
  await ask("GET", "/nothing")
  const metrics = await (await own.fetch("/metrics")).text()
  expect(metrics).toContain('penknife_requests_total{api="accounts.create",surface="admin",status="201"} 1')
  expect(metrics).toContain('penknife_requests_total{api="none",surface="admin",status="404"} 1')
  expect(metrics).not.toMatch(/charged_total\{[^}]*admin/)
})

test("failed sign-ins of one address wait longer and longer from the 11th of a minute on, are a 429 after the 100th, and a right key is not held up", async () => {
  const timer = createManualTimer()
  const own = await startTestService({ ports: { timer } })
  const ask = adminClient(own.url, createSecret("adminKey", systemRandom))
  const { key } = await createTestAdminKey(own.db)
  for (let count = 0; count < 10; count++) expect((await ask("GET", "/accounts")).status).toBe(401)
  const waits: number[] = []
  for (let count = 10; count < 100; count++) {
    const answer = ask("GET", "/accounts")
    while (!timer.waiting.some((ms) => ms === (count - 9) * 10)) await timer.turn()
    waits.push((count - 9) * 10)
    timer.advance((count - 9) * 10)
    expect((await answer).status).toBe(401)
  }
  expect(waits.at(-1)).toBe(900)
  const refused = await ask("GET", "/accounts")
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"])
  expect(refused.body).toMatchObject({ type: "urn:penknife:problem:too-many-requests" })
  expect((await ask("GET", "/accounts", { key })).status).toBe(200)
  own.clock.advance(60_000)
  expect((await ask("GET", "/accounts")).status).toBe(401)
})

test("failed sign-ins of one address without a key, or with an API key, are mistakes and not counted", async () => {
  const own = await startTestService()
  for (const key of [null, createSecret("key", systemRandom)]) {
    const ask = adminClient(own.url, key)
    const answers = Array.from({ length: 110 }, () => ask("GET", "/accounts"))
    for (const { status } of await Promise.all(answers)) expect(status).toBe(401)
  }
})

test("a key is limited to 600 requests a minute, which come back evenly; another key is not affected", async () => {
  const own = await startTestService()
  const ask = await adminOf(own)
  const other = await adminOf(own)
  for (let count = 0; count < 600; count += 20) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask("GET", "/accounts?limit=1")))
    for (const { status } of answers) expect(status).toBe(200)
  }
  const refused = await ask("GET", "/accounts")
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"])
  expect(refused.body.detail).toBe("The limit of 600 requests a minute is reached; try again in 1 s.")
  expect((await other("GET", "/accounts")).status).toBe(200)
  own.clock.advance(100)
  expect([(await ask("GET", "/accounts")).status, (await ask("GET", "/accounts")).status]).toEqual([200, 429])
})

test("failed sign-ins are slowed down, in both pages and the admin API together, and a right link is not held up", async () => {
  const timer = createManualTimer()
  const own = await startTestService({ ports: { timer } })
  const ownAdmin = await adminOf(own)
  const browser = openBrowser(own.url)
  const guess = (kind: "console" | "portal") =>
    browser.signIn(kind, { token: createSecret("linkToken", systemRandom) })
  for (let count = 0; count < 10; count++)
    expect((await guess(count % 2 ? "console" : "portal")).status).toBe(401)
  const late = guess("console")
  while (!timer.waiting.some((ms) => ms === 10)) await timer.turn()
  timer.advance(10)
  expect((await late).status).toBe(401)
  const { body } = await ownAdmin("POST", "/console-link")
  const token = String(body.url).split("#token=")[1]
  expect((await browser.signIn("console", { token })).status).toBe(201)
})

test("failed sign-ins are logged with their reason and without what was sent", async () => {
  const own = await startTestService()
  const browser = openBrowser(own.url)
  const sent = [
    createSecret("linkToken", systemRandom),
    createSecret("sessionToken", systemRandom),
    (await own.createKey("pro")).key,
  ]
  await browser.signIn("console", { token: sent[0] })
  await browser.signIn("portal", { token: sent[1] })
  await browser.signIn("console", { key: sent[2] })
  const failed = readLines(own.logged()).filter(({ message }) => String(message).includes("sign-in failed"))
  expect(failed).toMatchObject([
    { level: "warn", message: "console sign-in failed", reason: "linkUsed", address: "127.0.0.1" },
    { message: "portal sign-in failed", reason: "linkMalformed" },
    { message: "console sign-in failed", reason: "apiKey" },
  ])
  for (const text of sent) expect(own.logged()).not.toContain(text.slice(0, 20))
})

test.each([
  [""],
  ["[]"],
  ["{}"],
  [{ token: 1 }],
  [{ token: "" }],
  [{ token: "a", key: "b" }],
  [{ key: null }],
  [{ token: "a", next: "/" }],
])("a sign-in with the body %j is a 400 that says what to send", async (body) => {
  const answer = await openBrowser(service.url).send("POST", "/console/session", { body })
  expect([answer.status, answer.body.type]).toEqual([400, "urn:penknife:problem:invalid"])
})
