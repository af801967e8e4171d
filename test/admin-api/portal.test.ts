/** Customers reach through a session of the portal their own account alone, as far as their plan allows. */
import { expect, test } from "bun:test"
import { operations } from "../../src/admin/operations.ts"
import type { NewKey } from "../../src/admin/program-accounts.ts"
import { adminOf } from "../support/admin.ts"
import { openBrowser, type TestBrowser } from "../support/browser.ts"
import { startTestService } from "../support/service.ts"

const service = await startTestService({
  file: {
    webhook_port: [9443],
    keep_requests: 30,
    plans: {
      free: { portal_keys: 2, portal: ["create", "revoke"] },
      closed: { portal: [] },
      none: { portal_keys: 0 },
    },
  },
})
const admin = await adminOf(service)

/** A customer who is signed in with an API key. */
async function signIn(plan = "pro", key: Partial<NewKey> = {}) {
  const created = await service.createKey(plan, key)
  const browser = openBrowser(service.url)
  const opened = await browser.signIn("portal", { key: created.key })
  expect(opened.status).toBe(201)
  return { ...created, browser, opened: opened.body }
}

/** Something of each kind that belongs to an account. */
async function thingsOf(account: string) {
  await admin("POST", `/accounts/${account}/webhook`, { body: { url: "https://example.com/hook" } })
  const notice = await admin("POST", `/accounts/${account}/webhook/test`)
  const key = await admin("POST", "/keys", { body: { account, name: "ci" } })
  return { account, key: String(key.body.id), notice: String(notice.body.id) }
}

test("an API key opens a session, which tells what may be done", async () => {
  const { account, opened, browser } = await signIn("free")
  expect(opened).toMatchObject({
    kind: "portal",
    account: { id: account, name: "test", plan: "free", portal_keys: 2, premium: false, mail: false },
  })
  const reading = [
    ..."accounts.get keys.list keys.get usage.query requests.list credits.list".split(" "),
    ..."statements.show statements.months webhooks.get notices.list".split(" "),
  ]
  expect([...(opened.may as string[])].sort()).toEqual(
    [...reading, "keys.create", "keys.update", "keys.revoke", "notices.attempts", "notices.choose"].sort(),
  )
  const read = await browser.send("GET", `/portal/v1/accounts/${account}`)
  expect(read.body).toMatchObject({ id: account, plan: "free", keys: 1 })
  expect(read.headers.get("cache-control")).toBe("no-store")
})

test("an unknown path says where the portal is, and names nothing of the operators", async () => {
  const { browser } = await signIn()
  const { status, body } = await browser.send("GET", "/portal/v1/nothing")
  expect([status, body.detail]).toEqual([404, "No such path. Open the portal at /portal."])
})

/** Requests for each operation that customers have, with the things of one account. */
function requestsFor({ account, key, notice }: Record<"account" | "key" | "notice", string>) {
  const requests: Record<string, [method: string, path: string, body?: object][]> = {
    "accounts.get": [["GET", `/accounts/${account}`]],
    "keys.list": [["GET", `/keys?account=${account}`]],
    "keys.get": [["GET", `/keys/${key}`]],
    "keys.create": [["POST", "/keys", { account, name: "mine" }]],
    "keys.update": [["PATCH", `/keys/${key}`, { name: "mine" }]],
    "keys.rotate": [["POST", `/keys/${key}/rotate`, { grace: "1h" }]],
    "keys.revoke": [["POST", `/keys/${key}/revoke`]],
    "usage.query": [`account=${account}`, `key=${key}`].map((query) => ["GET", `/usage?${query}`]),
    "requests.list": [`account=${account}`, `key=${key}`].map((query) => ["GET", `/requests/kept?${query}`]),
    "credits.list": [["GET", `/accounts/${account}/adjustments`]],
    "statements.show": [["GET", `/accounts/${account}/statements/2025-01`]],
    "statements.months": [["GET", `/accounts/${account}/statements`]],
    "webhooks.get": [["GET", `/accounts/${account}/webhook`]],
    "webhooks.set": [["POST", `/accounts/${account}/webhook`, { url: "https://example.com/mine" }]],
    "notices.test": [["POST", `/accounts/${account}/webhook/test`]],
    "notices.choose": [["POST", `/accounts/${account}/notify`, { notify: "none" }]],
    "notices.list": [["GET", `/notices?account=${account}`]],
    "notices.attempts": [
      ["GET", `/notices/attempts?account=${account}`],
      ["GET", `/notices/attempts?notice=${notice}`],
    ],
    "webhooks.delete": [["DELETE", `/accounts/${account}/webhook`]],
  }
  return requests
}
const customers = operations.filter(({ portal }) => portal !== undefined).map(({ id }) => id)

test("of another account: every operation of customers is tested here", () => {
  const things = { account: "a", key: "k", notice: "n" }
  expect(Object.keys(requestsFor(things)).sort()).toEqual([...customers].sort())
})

test.each(customers)(
  "of another account: %s is a 404 as for what does not exist, and changes nothing; of the own one it works",
  async (id) => {
    const { account, browser } = await signIn()
    const others = await thingsOf((await service.createKey("pro")).account)
    const own = await thingsOf(account)
    const nothing = { account: "acc_0000000000000000", key: "key_0000000000000000", notice: "msg_0" }
    const before = await stateOf(others)
    const send = (browser: TestBrowser, [method, path, body]: [string, string, object?]) =>
      browser.send(method, `/portal/v1${path}`, { body })
    for (const [index, request] of (requestsFor(others)[id] ?? []).entries()) {
      const refused = await send(browser, request)
      expect([request, refused.status]).toEqual([request, 404])
      const missing = await send(browser, requestsFor(nothing)[id]?.[index] ?? request)
      // The same, but for the id that was sent.
      const anonymous = (text: unknown) => String(text).replace(/'\w+'/, "'…'")
      expect(anonymous(refused.body.detail)).toBe(anonymous(missing.body.detail))
    }
    expect(await stateOf(others)).toEqual(before)
    for (const request of requestsFor(own)[id] ?? []) {
      const answer = await send(browser, request)
      const isDone = answer.status < 300
      expect([request, isDone, isDone ? "" : answer.text]).toEqual([request, true, ""])
    }
  },
)

async function stateOf({ account, key }: { account: string; key: string }) {
  const answers = [
    await admin("GET", `/accounts/${account}`),
    await admin("GET", `/keys/${key}`),
    await admin("GET", `/accounts/${account}/webhook`),
    await admin("GET", `/audit?account=${account}`),
  ]
  return answers.map(({ text }) => text)
}

test("of another account: lists without an account are those of the own one", async () => {
  const { account, browser, id } = await signIn()
  await thingsOf((await service.createKey("pro")).account)
  for (const path of ["/keys", "/notices", "/notices/attempts", "/usage"]) {
    const { status, body } = await browser.send("GET", `/portal/v1${path}`)
    expect([path, status]).toEqual([path, 200])
    const expected = path === "/keys" ? [expect.objectContaining({ id, account })] : []
    expect(body.data).toEqual(expected)
  }
})

test.each(
  operations
    .filter(({ portal }) => portal === undefined)
    .map(({ id, method, path }) => [id, method, path] as const),
)("%s is not there for customers", async (_id, method, path) => {
  const { browser, account } = await signIn()
  const answer = await browser.send(method, `/portal/v1${path.replaceAll(/\{\w+\}/g, account)}`, {
    ...(method !== "GET" && { body: {} }),
  })
  expect([404, 405]).toContain(answer.status)
  // Neither does the cookie of the portal open the admin API.
  expect((await browser.send("GET", `/admin/v1/accounts/${account}`)).status).toBe(401)
})

test("what the operator keeps about a customer is not shown to them", async () => {
  const { account, browser, id } = await signIn()
  const note = { external_id: `x-${account}`, metadata: { note: "pays late" } }
  await admin("PATCH", `/accounts/${account}`, { body: note })
  await admin("PATCH", `/keys/${id}`, { body: note })
  for (const path of [`/accounts/${account}`, `/keys/${id}`, "/keys"]) {
    const { text, status } = await browser.send("GET", `/portal/v1${path}`)
    expect(status).toBe(200)
    expect(text).not.toMatch(/external_id|metadata|pays late|problem/)
  }
})

test.each([
  ["POST", "/keys", { external_id: "x" }],
  ["POST", "/keys", { metadata: {} }],
  ["PATCH", "/keys/KEY", { expires: null }],
  ["PATCH", "/keys/KEY", { allow_ips: [] }],
  ["POST", "/accounts/ACCOUNT/webhook", { url: "https://10.0.0.1/x", allow_private: true }],
  ["POST", "/keys/KEY/revoke", { key: "pk-0" }],
] as const)(
  "what the operator keeps about a customer cannot be set by them: %s %s %p",
  async (method, path, body) => {
    const { account, browser, id } = await signIn()
    const own = `/portal/v1${path.replace("KEY", id).replace("ACCOUNT", account)}`
    const answer = await browser.send(method, own, { body })
    expect([answer.status, answer.body.type]).toEqual([403, "urn:penknife:problem:forbidden"])
    expect(answer.body.detail).toContain("only the operator of this service sets it")
  },
)

test.each([
  ..."http://localhost:9000/x https://127.0.0.1/x https://[::1]/x https://10.0.0.1/x".split(" "),
  ..."https://169.254.169.254/".split(" "),
])("a customer's webhook does not reach into the operator's network: %s", async (url) => {
  const { account, browser } = await signIn()
  const answer = await browser.send("POST", `/portal/v1/accounts/${account}/webhook`, { body: { url } })
  expect([answer.status, answer.body.type]).toEqual([400, "urn:penknife:problem:invalid"])
  expect(answer.text).not.toContain("allow")
})

test("a customer's webhook uses a port for it, not one of another service; the setting names more", async () => {
  const { account, browser } = await signIn()
  const set = (url: string) =>
    browser.send("POST", `/portal/v1/accounts/${account}/webhook`, { body: { url } })
  for (const port of [443, 8443, 9443]) expect((await set(`https://example.com:${port}/`)).status).toBe(200)
  for (const port of [22, 25, 80, 6379]) {
    const { status, body } = await set(`https://example.com:${port}/`)
    expect([status, body.parameter, body.detail]).toEqual([
      400,
      "url",
      "The URL of a webhook must use one of the ports 443, 8443, 9443.",
    ])
  }
  const body = { url: "https://example.com:22/" }
  expect((await admin("POST", `/accounts/${account}/webhook`, { body })).status).toBe(200)
})

test("the plan says: what customers may change", async () => {
  const { account, browser, id, opened } = await signIn("closed")
  expect(opened.may).not.toContain("keys.create")
  const requests = [
    ["POST", "/keys", {}],
    ["POST", `/keys/${id}/rotate`, {}],
    ["POST", `/keys/${id}/revoke`, {}],
    ["POST", `/accounts/${account}/webhook`, { url: "https://example.com/x" }],
    ["DELETE", `/accounts/${account}/webhook`, {}],
    ["POST", `/accounts/${account}/webhook/test`, {}],
  ] as const
  for (const [method, path, body] of requests) {
    const answer = await browser.send(method, `/portal/v1${path}`, { body })
    expect([path, answer.status, answer.body.detail]).toEqual([
      path,
      403,
      "Your plan does not allow this here. Ask the operator of this service.",
    ])
  }
  expect((await browser.send("GET", "/portal/v1/keys")).status).toBe(200)
})

test("the plan says: how many keys an account may have at once, also when several are made at the same time", async () => {
  const { browser, id } = await signIn("free")
  const create = () => browser.send("POST", "/portal/v1/keys", { body: { name: "mine" } })
  const answers = await Promise.all([create(), create(), create()])
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  const refused = answers.find(({ status }) => status === 409)
  expect(refused?.body.detail).toBe("Revoke a key first: the account has as many keys as it may have.")
  const created = answers.find(({ status }) => status === 201)?.body.id
  expect((await browser.send("POST", `/portal/v1/keys/${created}/revoke`)).status).toBe(200)
  expect((await create()).status).toBe(201)
  expect((await browser.send("GET", `/portal/v1/keys/${id}`)).status).toBe(200)
})

test("the plan says that none may be made, with 0", async () => {
  const { browser, opened } = await signIn("none")
  expect(opened.may).not.toContain("keys.create")
  expect((await browser.send("POST", "/portal/v1/keys", { body: {} })).status).toBe(403)
})

test("a customer's change is in the audit log under the session", async () => {
  const { account, browser, opened } = await signIn()
  const { body } = await browser.send("POST", "/portal/v1/keys", { body: { name: "mine" } })
  expect(body.key).toMatch(/^pk-\w{38}$/)
  const { data } = (await admin("GET", `/audit?target=${body.id}`)).body
  const { id: actor } = opened.actor as { id: string }
  expect(data).toMatchObject([{ operation: "keys.create", actor, account }])
})

test("changes of an account are limited to 30 a minute, of all its sessions; reads and others are not affected", async () => {
  const { browser, key, account } = await signIn()
  const second = openBrowser(service.url)
  await second.signIn("portal", { key })
  for (let count = 2; count < 30; count++) {
    const { status } = await (count % 2 ? browser : second).send("POST", "/portal/v1/keys", { body: {} })
    expect([count, status]).toEqual([count, count < 11 ? 201 : 409])
  }
  const refused = await browser.send("POST", "/portal/v1/keys", { body: {} })
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "2"])
  expect((await openBrowser(service.url).signIn("portal", { key })).status).toBe(429)
  expect((await second.send("GET", `/portal/v1/accounts/${account}`)).status).toBe(200)
  const { browser: other } = await signIn()
  expect((await other.send("POST", "/portal/v1/keys", { body: {} })).status).toBe(201)
  service.clock.advance(2_000)
  expect((await browser.send("POST", "/portal/v1/keys", { body: {} })).status).toBe(409)
})
