/** The session of the console: who gets one, what it may do, when it ends. */
import { expect, test } from "bun:test"
import { adminOf, createTestAdminKey } from "../support/admin.ts"
import { openBrowser } from "../support/browser.ts"
import { startTestService } from "../support/service.ts"

const service = await startTestService()
const admin = await adminOf(service)

test("an admin key opens a session, which may what the key may", async () => {
  const { id, key } = await createTestAdminKey(service.db, { permissions: ["accounts.read", "keys.*"] })
  const browser = openBrowser(service.url)
  const opened = await browser.signIn("console", { key })
  expect([opened.status, opened.headers.get("cache-control")]).toEqual([201, "no-store"])
  const { id: session } = opened.body.actor as { id: string }
  expect(opened.body).toMatchObject({
    kind: "console",
    actor: { id: expect.stringMatching(/^console:ses_\w{16}$/), name: "ops" },
    permissions: ["accounts.read", "keys.*"],
    account: null,
    expires: new Date(service.clock.now() + 12 * 3_600_000).toISOString(),
  })
  const { may } = opened.body
  expect(may).toContain("keys.rotate")
  expect(may).not.toContain("accounts.create")
  const set = opened.headers.get("set-cookie") ?? ""
  expect(set).toMatch(/^penknife-console=pks-\w{38}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/)
  const read = await browser.send("GET", "/console/session")
  expect(read.status).toBe(200)
  const { csrf: _, ...rest } = opened.body
  expect(read.body).toMatchObject(rest)
  expect((await browser.send("GET", "/admin/v1/accounts")).status).toBe(200)
  const refused = await browser.send("POST", "/admin/v1/accounts", { body: { name: "Ann" } })
  expect([refused.status, refused.body.detail]).toEqual([403, "This needs the permission 'accounts.write'."])
  expect((await browser.send("GET", "/admin/v1/whoami")).body.actor).toBe(session)
  const audit = (await admin("GET", `/audit?operation=console.sign_in&actor=${session}`)).body
  const after = { by: `admin key ${id}` }
  expect(audit.data).toMatchObject([
    { actor: session, actor_name: "ops", target_kind: "session", account: null, after },
  ])
})

test("a session ends by signing out, for good", async () => {
  const browser = openBrowser(service.url)
  await browser.signIn("console", { key: (await createTestAdminKey(service.db)).key })
  const stolen = [...browser.cookies]
  const ended = await browser.send("DELETE", "/console/session")
  expect([ended.status, ended.text]).toEqual([204, ""])
  expect(ended.headers.get("set-cookie")).toContain("penknife-console=; Path=/; Max-Age=0")
  expect(browser.cookies.size).toBe(0)
  for (const [name, text] of stolen) browser.cookies.set(name, text)
  expect((await browser.send("GET", "/admin/v1/accounts")).body.detail).toBe(
    "The session has ended. Sign in again.",
  )
  expect((await browser.send("DELETE", "/console/session")).body.detail).toBe(
    "The session has ended. Sign in again.",
  )
  for (const [name, text] of stolen) browser.cookies.set(name, text)
  const asked = await browser.send("GET", "/console/session")
  expect([asked.status, asked.body]).toEqual([200, { signed_in: false }])
  expect(asked.headers.get("set-cookie")).toContain("penknife-console=; Path=/; Max-Age=0")
})
