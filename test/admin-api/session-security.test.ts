/** Attacks on the sessions of others: forged requests, planted and stolen cookies, guessed tokens, other origins. */
import { describe, expect, test } from "bun:test"
import { createSecret } from "../../src/accounts/key.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { adminOf, createTestAdminKey } from "../support/admin.ts"
import { useStoreKindsInTurn } from "../support/any-store.ts"
import { openBrowser } from "../support/browser.ts"
import { startTestService, type TestService } from "../support/service.ts"

const service = await startTestService()
const admin = await adminOf(service)

/** Someone who is signed in to the console with an admin key that may do everything. */
async function operator(own: Pick<TestService, "url" | "db"> = service) {
  const { id, key } = await createTestAdminKey(own.db)
  const browser = openBrowser(own.url)
  expect((await browser.signIn("console", { key })).status).toBe(201)
  return { id, key, browser }
}

/** A customer who is signed in to the portal. */
async function customer(own: TestService = service) {
  const created = await own.createKey("pro")
  const browser = openBrowser(own.url)
  expect((await browser.signIn("portal", { key: created.key })).status).toBe(201)
  return { ...created, browser }
}

const forgeries: readonly [name: string, headers: Record<string, string | null>][] = [
  [
    "a form of another site",
    { origin: "https://evil.example", "sec-fetch-site": "cross-site", "x-csrf-token": null },
  ],
  ["another site that knows the token", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }],
  ["another site in an old browser", { origin: "https://evil.example", "sec-fetch-site": null }],
  ["another port of the same host", { origin: "http://127.0.0.1:1", "sec-fetch-site": "same-site" }],
  ["another port in an old browser", { origin: "http://127.0.0.1:1", "sec-fetch-site": null }],
  ["a page without an origin, such as a sandboxed frame", { origin: "null", "sec-fetch-site": null }],
  ["no page at all", { origin: null, "sec-fetch-site": null }],
  ["a link from elsewhere", { origin: null, "sec-fetch-site": "cross-site" }],
  ["an address that someone typed", { origin: null, "sec-fetch-site": "none" }],
  ["an origin that is no address", { origin: "javascript:alert(1)", "sec-fetch-site": null }],
  ["the own page without a token", { "x-csrf-token": null }],
  ["the own page with an empty token", { "x-csrf-token": "" }],
  [
    "the own page with a token of nobody",
    {
      "x-csrf-token":
        "AAABogHGq3sfi-eDEtQ_WTCGn361w_EEAAAAAAUmXAA1LVijoQUDAd8OaaYujxAMA7nbBG6pgsnplphn7qJqZg",
    },
  ],
]

describe.each(forgeries)("a change through a session that comes from %s", (_name, headers) => {
  test("is refused and changes nothing, in the console, the portal and at sign-out", async () => {
    const { browser } = await operator()
    const { browser: owner, account } = await customer()
    const answers = [
      await browser.send("POST", "/admin/v1/accounts", { body: { name: "forged" }, headers }),
      await browser.send("DELETE", "/console/session?everywhere=true", { headers }),
      await owner.send("POST", "/portal/v1/keys", { body: {}, headers }),
      await owner.send("DELETE", "/portal/session", { headers }),
    ]
    for (const { status, body, headers: answered } of answers) {
      expect([status, body.type]).toEqual([403, "urn:penknife:problem:cross-site-request"])
      expect(answered.get("access-control-allow-origin")).toBeNull()
    }
    expect((await browser.send("GET", "/console/session")).status).toBe(200)
    expect((await owner.send("GET", `/portal/v1/accounts/${account}`)).body.keys).toBe(1)
    expect((await admin("GET", "/accounts?search=forged")).body.data).toEqual([])
  })
})

test("the CSRF token of one session is of no use to another, in any process", async () => {
  const [{ browser }, { browser: other }, { browser: owner }] = [
    await operator(),
    await operator(),
    await customer(),
  ]
  for (const [one, csrf] of [
    [browser, other.csrf],
    [browser, owner.csrf],
    [owner, browser.csrf],
  ] as const) {
    const path = one === owner ? "/portal/v1/keys" : "/admin/v1/accounts"
    const answer = await one.send("POST", path, { body: { name: "x" }, headers: { "x-csrf-token": csrf } })
    expect([answer.status, answer.body.parameter]).toEqual([403, "x-csrf-token"])
  }
  // Another process on the same store takes the token that this one gave out.
  const second = await startTestService({ flags: { db: service.db } })
  const there = openBrowser(second.url)
  for (const [name, text] of browser.cookies) there.cookies.set(name, text)
  const created = await there.send("POST", "/admin/v1/accounts", {
    body: { name: "Ann" },
    headers: { "x-csrf-token": browser.csrf },
  })
  expect(created.status).toBe(201)
})

test.each([
  ["another site", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }],
  ["a form, which cannot send JSON", { "content-type": "text/plain" }],
  ["no page", { origin: null, "sec-fetch-site": null }],
])("nobody is signed in by %s", async (_name, headers) => {
  const { key } = await createTestAdminKey(service.db)
  const browser = openBrowser(service.url)
  const answer = await browser.signIn("console", { key }, { body: { key }, headers })
  expect([403, 415]).toContain(answer.status)
  expect([answer.headers.get("set-cookie"), browser.cookies.size]).toEqual([null, 0])
})

test("a page of another origin reads nothing with the cookie, and its preflight allows nothing", async () => {
  const { browser } = await operator()
  const { browser: owner } = await customer()
  for (const [one, path] of [
    [browser, "/admin/v1/accounts"],
    [browser, "/console/session"],
    [owner, "/portal/v1/keys"],
    [owner, "/portal/session"],
  ] as const) {
    for (const site of ["cross-site", "same-site"]) {
      const headers = { origin: "http://127.0.0.1:1", "sec-fetch-site": site }
      const answer = await one.send("GET", path, { headers })
      const found = [path, answer.status, answer.headers.get("access-control-allow-origin")]
      expect(found).toEqual([path, 403, null])
    }
    const asked = { origin: "https://evil.example", "access-control-request-method": "POST" }
    const preflight = await fetch(service.url + path, { method: "OPTIONS", headers: asked })
    const allowed = [...preflight.headers.keys()].filter((name) => name.startsWith("access-control"))
    expect([path, preflight.status, allowed]).toEqual([path, 204, []])
  }
})

test("a cookie that someone else has set is never taken over by a sign-in: there is always a new one", async () => {
  const { key } = await createTestAdminKey(service.db)
  const { browser: attacker } = await operator()
  const own = [...attacker.cookies.values()][0] ?? ""
  for (const planted of [createSecret("sessionToken", systemRandom), own]) {
    const browser = openBrowser(service.url)
    browser.cookies.set("penknife-console", planted)
    expect((await browser.signIn("console", { key })).status).toBe(201)
    expect(browser.cookies.get("penknife-console")).not.toBe(planted)
    const knows = openBrowser(service.url)
    knows.cookies.set("penknife-console", planted)
    expect((await knows.send("GET", "/console/session")).body).toEqual({ signed_in: false })
  }
})

test("a cookie that someone else has set beside the own one makes both count for nothing", async () => {
  const [{ browser }, { browser: attacker }] = [await operator(), await operator()]
  const own = browser.cookies.get("penknife-console")
  const planted = attacker.cookies.get("penknife-console")
  for (const cookie of [
    `penknife-console=${planted}; penknife-console=${own}`,
    `penknife-console=${own}; penknife-console=${planted}`,
    `penknife-console=; penknife-console=${own}`,
  ]) {
    const { body } = await browser.send("GET", "/console/session", { headers: { cookie } })
    expect(body).toEqual({ signed_in: false })
  }
  const cookie = `other=1; penknife-console=${own}; xpenknife-console=${planted}`
  expect((await browser.send("GET", "/console/session", { headers: { cookie } })).status).toBe(200)
})

test("a cookie that someone else has set of the portal opens no console, and the other way round", async () => {
  const [{ browser }, { browser: owner }] = [await operator(), await customer()]
  const swapped = openBrowser(service.url)
  swapped.cookies.set("penknife-portal", browser.cookies.get("penknife-console") ?? "")
  swapped.cookies.set("penknife-console", owner.cookies.get("penknife-portal") ?? "")
  for (const path of ["/admin/v1/accounts", "/portal/v1/keys"])
    expect([path, (await swapped.send("GET", path)).status]).toEqual([path, 401])
  for (const path of ["/console/session", "/portal/session"]) {
    swapped.cookies.set("penknife-portal", browser.cookies.get("penknife-console") ?? "")
    swapped.cookies.set("penknife-console", owner.cookies.get("penknife-portal") ?? "")
    expect((await swapped.send("GET", path)).body.signed_in).toBe(false)
  }
})

test("nothing of a session is kept by a cache, and nothing leads to another address", async () => {
  const { browser } = await operator()
  const { browser: owner, account } = await customer()
  const elsewhere = "?next=https://evil.example&redirect=//evil.example&url=https://evil.example"
  const answers = [
    await browser.send("GET", "/console/session"),
    await browser.send("GET", `/console/session${elsewhere}`),
    await browser.send("GET", "/admin/v1/accounts"),
    await browser.send("GET", "/admin/v1/nothing"),
    await browser.send("POST", "/admin/v1/accounts", { body: { name: "Ann" } }),
    await owner.send("GET", "/portal/session"),
    await owner.send("GET", `/portal/v1/accounts/${account}`),
    await owner.send("GET", "/portal/v1/nothing"),
    await browser.send("DELETE", `/console/session${elsewhere}`),
    await browser.send("DELETE", "/console/session"),
    await browser.send("GET", "/console/session"),
    await openBrowser(service.url).signIn("portal", { token: "pkl-", next: "https://evil.example" }),
    await openBrowser(service.url).signIn("portal", { token: createSecret("linkToken", systemRandom) }),
  ]
  for (const { status, headers } of answers) {
    expect([status >= 300 && status < 400, headers.get("cache-control")]).toEqual([false, "no-store"])
    expect(headers.get("location") ?? "/admin/v1/").toStartWith("/admin/v1/")
  }
})

describe.each(useStoreKindsInTurn(0))("on $name", ({ create }) => {
  test("signing out, here or everywhere, works at once on another instance", async () => {
    const flags = { db: await create() }
    const [first, second] = [await startTestService({ flags }), await startTestService({ flags })]
    const { key, browser } = await operator(first)
    const others = [openBrowser(second.url), openBrowser(first.url)]
    for (const other of others) expect((await other.signIn("console", { key })).status).toBe(201)
    const { browser: stranger } = await operator(first)
    const elsewhere = openBrowser(second.url)
    for (const [name, text] of browser.cookies) elsewhere.cookies.set(name, text)
    const read = async (one: typeof browser) => (await one.send("GET", "/admin/v1/whoami")).status
    expect(await read(elsewhere)).toBe(200)
    expect((await browser.send("DELETE", "/console/session")).status).toBe(204)
    const states = [await read(elsewhere), await read(others[0] ?? browser), await read(stranger)]
    expect(states).toEqual([401, 200, 200])
    expect((await others[0]?.send("DELETE", "/console/session?everywhere=true"))?.status).toBe(204)
    expect([
      await read(others[0] ?? browser),
      await read(others[1] ?? browser),
      await read(stranger),
    ]).toEqual([401, 401, 200])
    const audit = (await stranger.send("GET", "/admin/v1/audit?operation=console.sign_out")).body.data
    const ends = (audit as { after: unknown }[]).map(({ after }) => JSON.stringify(after))
    expect(ends.sort()).toEqual(["null", '{"everywhere":true}'].sort())

    const own = await customer(first)
    const phone = openBrowser(second.url)
    expect((await phone.signIn("portal", { key: own.key })).status).toBe(201)
    const { browser: neighbour } = await customer(first)
    expect((await own.browser.send("DELETE", "/portal/session?everywhere=true")).status).toBe(204)
    expect((await phone.send("GET", "/portal/v1/keys")).status).toBe(401)
    expect((await neighbour.send("GET", "/portal/v1/keys")).status).toBe(200)
  })
})

test("a session ends at its time: 12 hours in the console, 24 in the portal", async () => {
  const own = await startTestService()
  const [{ browser }, { browser: owner }] = [await operator(own), await customer(own)]
  const signedIn = async () => [
    (await browser.send("GET", "/console/session")).body.signed_in,
    (await owner.send("GET", "/portal/session")).body.signed_in,
  ]
  own.clock.advance(12 * 3_600_000 - 1)
  expect(await signedIn()).toEqual([true, true])
  own.clock.advance(1)
  expect(await signedIn()).toEqual([false, true])
  own.clock.advance(12 * 3_600_000)
  expect(await signedIn()).toEqual([false, false])
})

test("a session ends with the admin key that opened it, when that is revoked or expires", async () => {
  const { id, browser } = await operator()
  await admin("POST", `/admins/${id}/revoke`)
  expect((await browser.send("GET", "/admin/v1/accounts")).status).toBe(401)
  const own = await startTestService()
  const { key } = await createTestAdminKey(own.db, { expiresMs: own.clock.now() + 1_000 })
  const short = openBrowser(own.url)
  const opened = await short.signIn("console", { key })
  expect(opened.body.expires).toBe(new Date(own.clock.now() + 1_000).toISOString())
  own.clock.advance(1_000)
  expect((await short.send("GET", "/console/session")).body).toEqual({ signed_in: false })
})

test("a session ends when the account is closed, until it is opened again", async () => {
  const { account, browser, key } = await customer()
  await admin("POST", `/accounts/${account}/close`)
  expect((await browser.send("GET", "/portal/v1/keys")).status).toBe(401)
  const { body } = await openBrowser(service.url).signIn("portal", { key })
  expect(body.detail).toContain("The account is closed.")
  await admin("POST", `/accounts/${account}/reopen`)
  expect((await browser.send("GET", "/portal/session")).status).toBe(200)
})

test.each([
  ["revoked", (id: string) => admin("POST", `/keys/${id}/revoke`), "The API key has been revoked."],
  ["disabled", (id: string) => admin("POST", `/keys/${id}/disable`), "The API key is disabled."],
  ["replaced", (id: string) => admin("POST", `/keys/${id}/rotate`), "The API key was replaced by a new one."],
  [
    "bound to other networks",
    (id: string) => admin("PATCH", `/keys/${id}`, { body: { allow_ips: ["192.0.2.1/32"] } }),
    "may not be used from your address",
  ],
])("a session ends with the API key that opened it, when that is %s", async (_name, change, said) => {
  const { id, key, browser } = await customer()
  expect((await change(id)).status).toBe(200)
  expect((await browser.send("GET", "/portal/v1/keys")).status).toBe(401)
  const again = await openBrowser(service.url).signIn("portal", { key })
  expect([again.status, again.body.detail]).toEqual([401, expect.stringContaining(said)])
})

test("a session ends but not when its own page gives a new text to the key that opened it", async () => {
  const { id, browser, key } = await customer()
  const other = openBrowser(service.url)
  await other.signIn("portal", { key })
  expect((await browser.send("POST", `/portal/v1/keys/${id}/rotate`, { body: {} })).body.key).toMatch(/^pk-/)
  expect((await browser.send("GET", "/portal/v1/keys")).status).toBe(200)
  // Whoever else signed in with the old text is out.
  expect((await other.send("GET", "/portal/v1/keys")).status).toBe(401)
})

test.each([
  [{ allowApis: ["hmac"] }],
  [{ blockApis: ["hmac"] }],
  [{ allowIps: ["127.0.0.1/32"] }],
  [{ rateLimit: 5 }],
  [{ expiresMs: Date.parse("2025-02-01") }],
])("a key with limits of its own makes no key without them: %j", async (limits) => {
  const { key, account, id } = await service.createKey("pro", limits)
  const browser = openBrowser(service.url)
  const { body } = await browser.signIn("portal", { key })
  const reads = /(?:get|list|query|attempts|show|months)$/
  expect((body.may as string[]).filter((name) => !reads.test(name))).toEqual([])
  for (const [method, path, sent] of [
    ["POST", "/keys", { account }],
    ["POST", `/keys/${id}/rotate`, {}],
    ["PATCH", `/keys/${id}`, { name: "x" }],
    ["POST", `/accounts/${account}/webhook`, { url: "https://example.com/" }],
  ] as const)
    expect((await browser.send(method, `/portal/v1${path}`, { body: sent })).status).toBe(403)
  expect((await browser.send("GET", "/portal/v1/keys")).status).toBe(200)
})

test("a session that only looks from when its key gets limits", async () => {
  const { key, account, id } = await service.createKey("pro")
  const browser = openBrowser(service.url)
  await browser.signIn("portal", { key })
  const create = () => browser.send("POST", "/portal/v1/keys", { body: { account } })
  expect((await create()).status).toBe(201)
  expect((await admin("PATCH", `/keys/${id}`, { body: { rate_limit: 5 } })).status).toBe(200)
  expect((await create()).status).toBe(403)
  const { body } = await browser.send("GET", "/portal/session")
  expect([body.may, body.permissions]).toEqual([
    expect.not.arrayContaining(["keys.create"]),
    expect.not.arrayContaining(["keys.write"]),
  ])
  expect((await admin("PATCH", `/keys/${id}`, { body: { rate_limit: null } })).status).toBe(200)
  expect((await create()).status).toBe(201)
})
