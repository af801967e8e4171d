/** Customers choose in the portal how they get notices, and save lists as CSV without the operator's columns. */
import { expect, test } from "bun:test"
import { adminClient } from "../support/admin.ts"
import { openBrowser } from "../support/browser.ts"
import { startTestMock } from "../support/mock.ts"

const mock = await startTestMock()
const admin = adminClient(mock.url, "mock-admin")

async function signIn(given: object) {
  const { body } = await admin("POST", "/accounts", { body: { name: "Ann", ...given } })
  const key = await admin("POST", "/keys", { body: { account: body.id, name: "first", external_id: "mine" } })
  const browser = openBrowser(mock.url)
  const opened = await browser.signIn("portal", { key: String(key.body.key) })
  return { id: String(body.id), browser, opened }
}

test("a customer chooses mail, and an account without an address cannot", async () => {
  const ann = await signIn({ email: "ann@example.com" })
  expect(ann.opened.body).toMatchObject({ account: { mail: true } })
  expect(ann.opened.body.may).toContain("notices.choose")
  const path = `/portal/v1/accounts/${ann.id}/notify`
  const chosen = await ann.browser.send("POST", path, { body: { notify: "both" } })
  expect([chosen.status, chosen.body]).toMatchObject([200, { notify: "both", events: ["key.expiring"] }])
  expect((await admin("GET", `/accounts/${ann.id}`)).body.notify).toBe("both")
  const bea = await signIn({})
  const other = `/portal/v1/accounts/${bea.id}/notify`
  const refused = await bea.browser.send("POST", other, { body: { notify: "mail" } })
  expect([refused.status, refused.body.parameter]).toEqual([409, "notify"])
  expect(refused.body.detail).toBe(
    "The account has no e-mail address. Ask the operator of this service to set one.",
  )
})

test("keys as CSV have no column that only operators see", async () => {
  const { browser } = await signIn({})
  const { status, text } = await browser.send("GET", "/portal/v1/keys?format=csv")
  expect(status).toBe(200)
  const [head = "", ...rows] = text.trim().split(/\r?\n/)
  expect(head.split(",")).toContain("last_used")
  expect(text).not.toMatch(/external_id|metadata|mine/)
  expect(rows).toHaveLength(1)
  expect(rows[0]?.split(",")).toHaveLength(head.split(",").length)
})
