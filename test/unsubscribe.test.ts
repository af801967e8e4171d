/** The links that end notices by mail (RFC 8058): from the header of a mail to the change, and every way to misuse one. */
import { afterAll, expect, test } from "bun:test"
import fc from "fast-check"
import { addressTag, readUnsubscribeToken, toUnsubscribeToken } from "../src/admin/unsubscribe.ts"
import { adminClient, adminOf } from "./support/admin.ts"
import { useStoreKindsInTurn } from "./support/any-store.ts"
import { startMailServer, type TakenMail } from "./support/mail-server.ts"
import { startTestMock } from "./support/mock.ts"
import { startTestService, type TestService } from "./support/service.ts"
import { until } from "./support/until.ts"

const server = await startMailServer({ disabledCommands: ["STARTTLS", "AUTH"] })
afterAll(server.close)
const smtp = `smtp://localhost:${server.address.port}?starttls=never`
const oneClick = {
  method: "POST",
  body: "List-Unsubscribe=One-Click",
  headers: { "content-type": "application/x-www-form-urlencoded" },
}

/** The notice that a new key raises, as the mail server got it. */
async function mailOfNewKey(service: TestService, email: string): Promise<{ id: string; mail: TakenMail }> {
  const admin = await adminOf(service)
  const body = { name: "Ann", email, events: ["key.created"] }
  const id = String((await admin("POST", "/accounts", { body })).body.id)
  await admin("PATCH", `/accounts/${id}`, { body: { notify: "both" } })
  await admin("POST", "/keys", { body: { account: id } })
  const find = () => server.taken.find(({ to }) => to === email)
  await until(() => find() !== undefined)
  return { id, mail: find() as TakenMail }
}

const linkOf = ({ message }: TakenMail) => /^List-Unsubscribe: <(.*)>\r$/m.exec(message)?.[1] ?? "no link"

test.each(useStoreKindsInTurn(1))(
  "the link of a mail ends them on any instance, once, and the audit log has it, on $name",
  async ({ name, create }) => {
    const flags = {
      db: await create(),
      smtp,
      mailFrom: "a@example.com",
      publicUrl: "https://api.example.com",
    }
    const first = await startTestService({ flags })
    const second = await startTestService({ flags })
    const email = `ann@${name.replaceAll(/\W/g, "").toLowerCase()}.example`
    const { id, mail } = await mailOfNewKey(first, email)
    const link = linkOf(mail)
    expect(link).toStartWith(`https://api.example.com/unsubscribe/${id}.`)
    expect(mail.message).toContain("\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n")
    expect(link).not.toContain("ann")
    const path = new URL(link).pathname
    const admin = await adminOf(first)
    const notify = async () => (await admin("GET", `/accounts/${id}`)).body.notify

    // Programs open links to look at them.
    const page = await second.fetch(path)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('<form method="post">')
    expect((await second.fetch(path, { method: "HEAD" })).status).toBe(200)
    expect(await notify()).toBe("both")

    for (const service of [second, first]) {
      const answer = await service.fetch(path, oneClick)
      expect(answer.status).toBe(200)
      expect(await answer.text()).toContain("This address gets no more notices about the account.")
    }
    expect(await notify()).toBe("webhook")
    const { data } = (await admin("GET", "/audit?operation=accounts.unsubscribe")).body
    expect(data).toMatchObject([
      { target: id, before: { notify: "both" }, after: { notify: "webhook" }, actor_name: "link in a mail" },
    ])
  },
  300_000,
)

const claim = { accountId: "acc_1234567890abcdef", address: addressTag("ann@example.com") }
const token = toUnsubscribeToken("key", claim)

test("a token is read by the service that signed it alone", () => {
  expect(readUnsubscribeToken("key", token)).toEqual(claim)
  expect(readUnsubscribeToken("other", token)).toBeNull()
  expect(token).not.toContain("ann")
})

test("a token is not signed any more when one character differs, is missing, or is added", () => {
  const text = fc.constantFrom("", "A", "b", "_", ".", "é", "\0", "%")
  const change = fc.tuple(fc.nat(token.length), text, fc.nat(1))
  fc.assert(
    fc.property(change, ([place, text, drop]) => {
      const changed = token.slice(0, place) + text + token.slice(place + drop)
      if (changed !== token) expect(readUnsubscribeToken("key", changed)).toBeNull()
    }),
    { numRuns: 2_000, seed: 28 },
  )
})

test("a token of one account or address does not fit another", () => {
  const [id, address, signature] = token.split(".")
  const others = [
    `acc_abcdef1234567890.${address}.${signature}`,
    `${id}.${addressTag("bea@example.com")}.${signature}`,
    ...[`${id}.${address}.`, `${id}.${signature}`, "", "x".repeat(10_000)],
  ]
  for (const other of others) expect(readUnsubscribeToken("key", other)).toBeNull()
})

const setUp = async () => {
  const mock = await startTestMock()
  const admin = adminClient(mock.url, "mock-admin")
  async function account(email: string) {
    const body = { name: email, email, events: ["key.created"] }
    const { id } = (await admin("POST", "/accounts", { body })).body
    await admin("PATCH", `/accounts/${id}`, { body: { notify: "mail" } })
    await admin("POST", "/keys", { body: { account: id } })
    const mails = (await mock.control("GET", "/mails")).data?.mails as { to: string; unsubscribe: string }[]
    const { unsubscribe } = mails.find(({ to }) => to === email) ?? {}
    if (unsubscribe === undefined) throw new Error(`no mail to ${email}`)
    const path = new URL(unsubscribe).pathname
    return { id, path, notify: async () => (await admin("GET", `/accounts/${id}`)).body.notify }
  }
  return { mock, admin, account, post: (path: string) => fetch(`${mock.url}${path}`, oneClick) }
}

test("at a service a forged link changes nothing, and its page tells nothing of the account", async () => {
  const { mock, account, post } = await setUp()
  const ann = await account("ann@example.com")
  const bea = await account("bea@example.com")
  const forged = [
    ann.path.replace(String(ann.id), String(bea.id)),
    `${ann.path}x`,
    ann.path.slice(0, -1),
    ann.path.replace(/\.[^.]+$/, `.${"A".repeat(43)}`),
    "/unsubscribe/acc_0000000000000000.AAAAAAAAAAAAAAAA.",
    "/unsubscribe/",
    `/unsubscribe/${"%00".repeat(1_000)}`,
  ]
  for (const path of forged) {
    for (const answer of [await fetch(`${mock.url}${path}`), await post(path)]) {
      expect([path, answer.status]).toEqual([path, 404])
      const text = await answer.text()
      expect(text).toContain("Nothing was changed.")
      expect(text).not.toContain("form method")
      expect(text).not.toContain("example.com")
    }
  }
  expect([await ann.notify(), await bea.notify()]).toEqual(["mail", "mail"])
  expect((await post(ann.path)).status).toBe(200)
  expect([await ann.notify(), await bea.notify()]).toEqual(["none", "mail"])
})

test("at a service a link to a former address changes nothing of the account", async () => {
  const { admin, account, post } = await setUp()
  const ann = await account("ann@example.com")
  await admin("PATCH", `/accounts/${ann.id}`, { body: { email: "new@example.com" } })
  const answer = await post(ann.path)
  expect([answer.status, await ann.notify()]).toEqual([200, "mail"])
})

test("at a service the page runs nothing, is framed by nobody, and is read by no other page", async () => {
  const { mock, account } = await setUp()
  const { path } = await account("ann@example.com")
  const headers = { origin: "https://evil.example" }
  const answer = await fetch(`${mock.url}${path}`, { headers })
  expect(answer.headers.get("access-control-allow-origin")).toBeNull()
  expect(answer.headers.get("cache-control")).toBe("no-store")
  expect(answer.headers.get("etag")).toBeNull()
  const policy = answer.headers.get("content-security-policy")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).toContain("form-action 'self'")
  expect(answer.headers.get("referrer-policy")).toBe("no-referrer")
})

test.each([
  ["of a megabyte", { body: "x".repeat(1_000_000) }],
  ["of a form with files", { body: new FormData() }],
  ["that is empty", {}],
])("at a service a body %s is no matter", async (_, more) => {
  const { mock, account } = await setUp()
  const { path, notify } = await account("ann@example.com")
  const answer = await fetch(`${mock.url}${path}`, { method: "POST", ...more })
  expect([answer.status, await notify()]).toEqual([200, "none"])
})
