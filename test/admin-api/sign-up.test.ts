/**
 * Sign-up over HTTP: what visitors can learn, what pages of others can do, and an invitation from its making to the first call.
 */
import { expect, test } from "bun:test"
import { createSecret } from "../../src/accounts/key.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { adminClient } from "../support/admin.ts"
import { openBrowser } from "../support/browser.ts"
import { startTestMock } from "../support/mock.ts"

const mock = await startTestMock()
const admin = adminClient(mock.url, "mock-admin")
const ask = (body: unknown, browser = openBrowser(mock.url), headers = {}) =>
  browser.send("POST", "/portal/mail-links", { body, headers })

test("a question for a link is answered with the same bytes and headers, whoever has an account, open or closed", async () => {
  await admin("POST", "/accounts", { body: { name: "Ann", email: "ann@example.com" } })
  const closed = await admin("POST", "/accounts", { body: { name: "Bob", email: "bob@example.com" } })
  await admin("POST", `/accounts/${closed.body.id}/close`)
  const answers = []
  for (const purpose of ["sign-up", "sign-in"])
    for (const email of ["ann@example.com", "bob@example.com", "nobody@example.com"])
      answers.push(await ask({ for: purpose, email }))
  const shown = answers.map(({ status, body, headers }) => {
    const names = [...headers.entries()].filter(([name]) => !/^(?:date|x-request-id|set-cookie)$/.test(name))
    return JSON.stringify([status, body, names, headers.get("set-cookie")?.replace(/=pks-\w{38}/, "")])
  })
  expect([new Set(shown).size, answers[0]?.status]).toEqual([1, 202])
  expect(answers[0]?.headers.get("set-cookie")).toMatch(
    /^penknife-browser=pks-\w{38}; Path=\/; Max-Age=3600; HttpOnly; SameSite=Strict$/,
  )
})

test("a question for a link keeps the cookie of a browser that has asked before", async () => {
  const browser = openBrowser(mock.url)
  await ask({ for: "sign-up", email: "carl@example.com" }, browser)
  const before = browser.cookies.get("penknife-browser")
  await ask({ for: "sign-up", email: "dora@example.com" }, browser)
  expect(before).toBeDefined()
  expect(browser.cookies.get("penknife-browser")).toBe(before as string)
})

test.each([
  [{}, "body"],
  [{ for: "sign-up" }, "body"],
  [{ for: "else", email: "ann@example.com" }, "body"],
  [{ for: "sign-up", email: "ann@example.com", plan: "pro" }, "body"],
  [{ for: "sign-up", email: "ann@example.com", terms: true }, "body"],
  [{ for: "sign-up", email: "ann" }, "email"],
  [{ for: "sign-up", email: "ann@x.com\r\nBcc: bob@x.com" }, "email"],
  [{ for: "sign-in", email: "a@x.com, b@x.com" }, "email"],
  [{ for: "sign-up", email: "ann@example.com", name: "a\u202eb" }, "name"],
  [{ for: "sign-up", email: `${"a".repeat(900)}@example.com` }, "email"],
])("a question for a link: %j is a 400 that names %s", async (body, parameter) => {
  const answer = await ask(body)
  expect([answer.status, answer.body.parameter]).toEqual([400, parameter])
})

test.each([
  [{ origin: "https://evil.example", "sec-fetch-site": "cross-site" }],
  [{ origin: "http://127.0.0.1:1", "sec-fetch-site": "same-site" }],
  [{ origin: null, "sec-fetch-site": null }],
])("a question for a link from a page of %j is refused, and so is the use of a link", async (headers) => {
  const browser = openBrowser(mock.url)
  const answers = [
    await ask({ for: "sign-up", email: "ann@example.com" }, browser, headers),
    await browser.send("POST", "/portal/mail-links/read", { body: { token: "x" }, headers }),
    await browser.send("POST", "/portal/mail-links/confirm", { body: { token: "x" }, headers }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403])
  expect(browser.cookies.size).toBe(0)
})

const invite = async (body: object) => (await admin("POST", "/invitations", { body })).body
const confirm = (token: string, more = {}, browser = openBrowser(mock.url)) =>
  browser.send("POST", "/portal/mail-links/confirm", { body: { token, ...more } })
const read = (token: string, browser = openBrowser(mock.url)) =>
  browser.send("POST", "/portal/mail-links/read", { body: { token } })
const over = { type: "urn:penknife:problem:link-over", title: "The link was used or is over" }
const linkUsed = "The link was used already, or it has expired. Ask for a new one."
const tokenOf = (url: unknown) => /\/portal\/confirm#invitation=(pkl-\w{38})$/.exec(String(url))?.[1] ?? ""

test("an invitation makes an account on its plan in any browser, once, with a key that works", async () => {
  const made = await invite({ email: "Eve@Example.com", plan: "pro", name: "Eve" })
  expect(made).toMatchObject({ email: "eve@example.com", plan: "pro", by_mail: true })
  const browser = openBrowser(mock.url)
  const offer = await read(tokenOf(made.url), browser)
  expect([offer.status, offer.body]).toEqual([200, { plan: "pro", terms: null }])
  const { status, body } = await confirm(tokenOf(made.url), {}, browser)
  expect(status).toBe(201)
  expect(body.session).toMatchObject({ signed_in: true, account: { name: "Eve", plan: "pro" } })
  const call = await fetch(`${mock.url}/v1/usage`, { headers: { "x-api-key": String(body.first_key) } })
  expect(call.status).toBe(200)
  expect((await browser.send("GET", "/portal/session")).body).toMatchObject({ signed_in: true })
  const again = await confirm(tokenOf(made.url))
  expect(again.body).toMatchObject({ ...over, status: 401, detail: linkUsed })
  const never = await confirm(createSecret("linkToken", systemRandom))
  expect({ ...never.body, request_id: null }).toEqual({ ...again.body, request_id: null })
  expect(never.headers.get("www-authenticate")).toBe("Bearer")
  const used = await read(tokenOf(made.url), browser)
  expect([used.status, used.body.detail]).toEqual([409, linkUsed])
  expect((await admin("GET", "/accounts?email=eve@example.com")).body.data).toMatchObject([{ name: "Eve" }])
  expect((await admin("POST", "/invitations", { body: { email: "eve@example.com" } })).status).toBe(409)
})

test("an invitation that was taken back, or is over, makes none", async () => {
  const [first, second] = [await invite({ email: "f@example.com" }), await invite({ email: "g@example.com" })]
  expect((await admin("POST", `/invitations/${first.id}/revoke`)).status).toBe(200)
  expect((await admin("POST", `/invitations/${first.id}/revoke`)).status).toBe(404)
  expect((await confirm(tokenOf(first.url))).body).toMatchObject({ ...over, status: 401 })
  const { now } = (await mock.control("GET", "/clock")).data ?? {}
  const set = (iso: string) => mock.control("PUT", "/clock", { now: iso })
  await set(new Date(Date.parse(String(now)) + 7 * 86_400_000).toISOString())
  expect((await confirm(tokenOf(second.url))).status).toBe(401)
  await set(String(now))
  expect((await confirm(tokenOf(second.url), { name: "Gus" })).status).toBe(201)
})

test("an invitation whose address has an account by now is refused at once, and by its button", async () => {
  const { url } = await invite({ email: "i@example.com" })
  await admin("POST", "/accounts", { body: { name: "Ida", email: "i@example.com" } })
  const answers = [await read(tokenOf(url)), await confirm(tokenOf(url))]
  const hasAccount = "There is an account with this e-mail address already. Ask for a link to sign in."
  expect(answers.map(({ status }) => status)).toEqual([409, 401])
  expect(answers.map(({ body }) => body.detail)).toEqual([hasAccount, hasAccount])
})

test("an invitation is not used by terms that are no address", async () => {
  const { url } = await invite({ email: "j@example.com" })
  for (const terms of [true, ""]) {
    const { status, body } = await confirm(tokenOf(url), { terms })
    expect([status, body.detail]).toEqual([400, expect.stringContaining("the address of the accepted terms")])
  }
  expect((await confirm(tokenOf(url))).status).toBe(201)
})

test("an invitation is shown to no one who may not, and its link to no one again", async () => {
  const key = { "idempotency-key": "again" }
  const body = { email: "h@example.com" }
  await admin("POST", "/invitations", { body, headers: key })
  expect((await admin("POST", "/invitations", { body, headers: key })).body.url).toBeNull()
  expect((await admin("GET", "/invitations")).text).not.toContain("pkl-")
  expect((await admin("GET", "/audit?operation=invitations.create")).text).not.toContain("pkl-")
})

test("visitors learn how they get in, and nothing else", async () =>
  expect((await openBrowser(mock.url).send("GET", "/portal/session")).body).toEqual({
    signed_in: false,
    ways: { sign_up: "open", by_mail: true, terms: null, plan: "free", url: null, contact: null },
  }))

test("a test of a client signs up in the mock with the link in its mails, the same on every run", async () => {
  const run = async () => {
    await mock.reset()
    const browser = openBrowser(mock.url)
    await ask({ for: "sign-up", email: "new@example.com", name: "New" }, browser)
    const mails = (await mock.control("GET", "/mails")).data?.mails as { link: string }[]
    expect(mails).toMatchObject([{ to: "new@example.com", template: "confirmation" }])
    const token = mails[0]?.link.split("#sign-up=")[1]
    const { status, body } = await browser.send("POST", "/portal/mail-links/confirm", { body: { token } })
    expect([status, body.session]).toMatchObject([201, { account: { name: "New", plan: "free" } }])
    const call = await fetch(`${mock.url}/v1/usage`, { headers: { "x-api-key": String(body.first_key) } })
    expect(call.status).toBe(200)
    return body.first_key
  }
  expect(await run()).toBe(await run())
})
