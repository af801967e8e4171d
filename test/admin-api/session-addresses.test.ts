/** Where sessions are served, and their cookies over HTTPS. */
import { expect, test } from "bun:test"
import { createSecret } from "../../src/accounts/key.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { createTestAdminKey } from "../support/admin.ts"
import { openBrowser } from "../support/browser.ts"
import { startTestService } from "../support/service.ts"

const service = await startTestService()

const proxied = { "x-forwarded-proto": "https", "x-forwarded-for": "192.0.2.7" }

test("over HTTPS the cookie is Secure and bound to the host as a trusted proxy says", async () => {
  const own = await startTestService({ flags: { trustedProxies: ["127.0.0.1"] } })
  const { key } = await createTestAdminKey(own.db)
  const browser = openBrowser(own.url)
  const headers = { ...proxied, origin: own.url.replace("http:", "https:") }
  expect((await browser.signIn("console", { key }, { headers })).headers.get("set-cookie")).toMatch(
    /^__Host-penknife-console=pks-\w{38}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure$/,
  )
  expect((await browser.send("GET", "/console/session", { headers: proxied })).status).toBe(200)
  // A neighbour can set a cookie without the prefix. It is not looked at.
  browser.cookies.set("penknife-console", browser.cookies.get("__Host-penknife-console") ?? "")
  browser.cookies.delete("__Host-penknife-console")
  const left = await browser.send("GET", "/console/session", { headers: proxied })
  expect(left.body).toEqual({ signed_in: false })
  // A page that came without TLS is another one.
  expect(
    (await openBrowser(own.url).signIn("console", { key }, { headers: { ...proxied, origin: own.url } }))
      .status,
  ).toBe(403)
})

test.each([
  ["is named nowhere", {}],
  ["changes Host and says nothing of HTTPS", { publicUrl: "https://api.example.com" }],
])(
  "over HTTPS the cookie is Secure and bound to the host as the browser says, whose page came over HTTPS from a proxy that %s",
  async (_, flags) => {
    const own = await startTestService({ flags })
    const { key } = await createTestAdminKey(own.db)
    const browser = openBrowser(own.url)
    const origin = "publicUrl" in flags ? flags.publicUrl : own.url.replace("http:", "https:")
    const opened = await browser.signIn("console", { key }, { headers: { origin } })
    expect(opened.headers.get("set-cookie")).toMatch(/^__Host-penknife-console=.*; Secure$/)
    expect((await browser.send("GET", "/console/session")).status).toBe(200)
    // A cookie that a neighbouring site set beside it does not count.
    browser.cookies.set("penknife-console", createSecret("sessionToken", systemRandom))
    expect((await browser.send("GET", "/console/session")).status).toBe(200)
    const ended = await browser.send("DELETE", "/console/session", { headers: { origin } })
    expect(ended.headers.get("set-cookie")).toStartWith("__Host-penknife-console=; ")
    expect((await browser.send("GET", "/console/session")).body).toEqual({ signed_in: false })
  },
)

test("over HTTPS the cookie is Secure and bound to the host at the address that clients use, and not because a stranger says so", async () => {
  const { key } = await createTestAdminKey(service.db)
  const opened = await openBrowser(service.url).signIn("console", { key }, { headers: proxied })
  expect(opened.headers.get("set-cookie")).toStartWith("penknife-console=")
  const own = await startTestService({ flags: { publicUrl: "https://api.example.com" } })
  const { key: there } = await createTestAdminKey(own.db)
  const headers = { host: "api.example.com", origin: "https://api.example.com" }
  const secure = await openBrowser(own.url).signIn("console", { key: there }, { headers })
  expect(secure.headers.get("set-cookie")).toStartWith("__Host-penknife-console=")
  // A proxy that changes Host.
  const { origin } = headers
  const rewritten = await openBrowser(own.url).signIn("console", { key: there }, { headers: { origin } })
  expect(rewritten.status).toBe(201)
})

const statusesOf = (url: string) =>
  Promise.all(
    ["/console/session", "/admin/v1/whoami", "/portal/session", "/portal/v1/keys"].map(
      async (path) => (await fetch(url + path)).status,
    ),
  )

test("where they are served: everything by default, the portal alone with --admin off, the console alone with --no-portal", async () => {
  expect(await statusesOf(service.url)).toEqual([200, 401, 200, 401])
  const off = await startTestService({ flags: { admin: "off" } })
  expect(await statusesOf(off.url)).toEqual([404, 404, 200, 401])
  const noPortal = await startTestService({ flags: { noPortal: true } })
  expect(await statusesOf(noPortal.url)).toEqual([200, 401, 404, 404])
})

test("where they are served: the console at the address of the administration, the portal with the APIs", async () => {
  const own = await startTestService({ flags: { admin: "127.0.0.1:0" } })
  expect(await statusesOf(own.url)).toEqual([404, 404, 200, 401])
  expect(await statusesOf(own.server.adminUrl ?? "")).toEqual([200, 401, 404, 404])
  const { key } = await createTestAdminKey(own.db)
  const browser = openBrowser(own.server.adminUrl ?? "")
  expect((await browser.signIn("console", { key })).status).toBe(201)
  expect((await browser.send("POST", "/admin/v1/accounts", { body: { name: "Ann" } })).status).toBe(201)
  const { body } = await browser.send("POST", "/admin/v1/console-link", { body: {} })
  expect(body.url).toStartWith(`${own.server.adminUrl}/console#token=`)
})
