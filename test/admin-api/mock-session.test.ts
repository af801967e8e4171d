/** Signing in to the console and the portal of the mock, without any set-up, and what its journal keeps of it. */
import { expect, test } from "bun:test"
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
