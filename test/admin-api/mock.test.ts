/** The admin API of the mock, its console and its portal: signing in without any set-up, and what its journal keeps of it. */
import { expect, test } from "bun:test"
import { adminClient } from "../support/admin.ts"
import { openBrowser } from "../support/browser.ts"
import { startTestMock } from "../support/mock.ts"

const mock = await startTestMock()

test.each([
  [{ key: "mock-admin" }],
  [{ key: "mock-admin-0123456789abcdef0123456789abcdef" }],
  [{ token: "mock-console-link" }],
])("%j signs in to the console, again and again", async (proof) => {
  for (let count = 0; count < 2; count++) {
    const browser = openBrowser(mock.url)
    const opened = await browser.signIn("console", proof)
    expect([opened.status, opened.body.permissions]).toEqual([201, ["*"]])
    expect((await browser.send("POST", "/admin/v1/accounts", { body: { name: "Ann" } })).status).toBe(201)
  }
})

test.each([
  ["mock-key", 201, true],
  ["mock-pro-0123456789abcdef0123456789abcdef", 201, true],
  ["mock-expiring", 201, false],
  ["mock-expired", 401, false],
  ["mock-revoked", 401, false],
  ["mock-forbidden", 401, false],
])("%s signs in to the portal with %d", async (key, status, mayChange) => {
  const opened = await openBrowser(mock.url).signIn("portal", { key })
  expect(opened.status).toBe(status)
  if (status === 201) expect((opened.body.may as string[]).includes("keys.create")).toBe(mayChange)
})

test("a link of the mock works once; the fixed one opens no portal", async () => {
  const browser = openBrowser(mock.url)
  expect((await browser.signIn("portal", { token: "mock-console-link" })).status).toBe(401)
  await browser.signIn("console", { key: "mock-admin" })
  const { body } = await browser.send("POST", "/admin/v1/console-link", { body: {} })
  expect(body.url).toStartWith(`${mock.url}/console#token=pkl-`)
  const token = String(body.url).split("#token=")[1]
  expect((await openBrowser(mock.url).signIn("console", { token })).status).toBe(201)
  expect((await openBrowser(mock.url).signIn("console", { token })).status).toBe(401)
})

test("a reset ends all sessions", async () => {
  const browser = openBrowser(mock.url)
  await browser.signIn("console", { key: "mock-admin" })
  await mock.reset()
  expect((await browser.send("GET", "/console/session")).body).toEqual({ signed_in: false })
})

test("the journal keeps no cookie, no CSRF token and no link", async () => {
  await mock.reset()
  const browser = openBrowser(mock.url)
  await browser.signIn("console", { key: "mock-admin" })
  const { body } = await browser.send("POST", "/admin/v1/console-link", { body: {} })
  const token = String(body.url).split("#token=")[1] ?? ""
  await openBrowser(mock.url).signIn("console", { token })
  await browser.send("POST", "/admin/v1/accounts", { body: { name: token } })
  const journal = await (await fetch(`${mock.url}/_mock/requests`)).text()
  expect(journal).toContain("/admin/v1/console-link")
  const cookie = [...browser.cookies.values()][0] ?? ""
  for (const secret of [cookie, browser.csrf]) expect(journal).not.toContain(secret.slice(0, 20))
  expect(journal).not.toContain(`#token=${token}`)
})

test("takes mock-admin, with and without a tail, and does what an operator does", async () => {
  for (const key of ["mock-admin", "mock-admin-0123456789abcdef0123456789abcdef"]) {
    const { status, body } = await adminClient(mock.url, key)("GET", "/whoami")
    expect([status, body.name, body.permissions]).toEqual([200, "mock-admin", ["*"]])
  }
  const admin = adminClient(mock.url, "mock-admin")
  const account = (await admin("POST", "/accounts", { body: { name: "Ann", plan: "pro" } })).body.id
  const { key } = (await admin("POST", "/keys", { body: { account } })).body
  const path = "/v1/bluetoothlookup?companyid=76"
  expect((await mock.fetch(path, { key: String(key) })).status).toBe(200)
  expect((await admin("GET", `/accounts/${account}`)).body.used).toBe(1)
})

test("gives the same keys on every run, and tells the kinds of keys apart", async () => {
  const created = async () => {
    const mock = await startTestMock()
    const admin = adminClient(mock.url, "mock-admin")
    const account = (await admin("POST", "/accounts", { body: { name: "Ann" } })).body.id
    return (await admin("POST", "/keys", { body: { account } })).body.key
  }
  expect(await created()).toBe(await created())
  expect((await mock.fetch("/v1/usage", { key: "mock-admin" })).status).toBe(401)
  expect((await adminClient(mock.url, "mock-pro")("GET", "/accounts")).status).toBe(401)
})

test("has no limits that only the moving of its clock would end", async () => {
  const admin = adminClient(mock.url, "mock-admin")
  for (let count = 0; count < 700; count += 50) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => admin("GET", "/plans")))
    for (const { status } of answers) expect(status).toBe(200)
  }
})

test("its journal shows the operation and no whole admin key", async () => {
  await mock.reset()
  const real = "pka-0123456789abcdefghij0123456789abcdefgh"
  await adminClient(mock.url, real)("GET", "/accounts")
  const { data } = await mock.control("GET", "/requests")
  expect(JSON.stringify(data)).not.toContain(real)
  expect(data?.requests).toMatchObject([
    { path: "/admin/v1/accounts", request: { headers: { "x-admin-key": "pka-01234…" } } },
  ])
})
