/** Links that sign in to the console and the portal: from commands, from the first start, from operations; each works once. */
import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import { adminClient, adminOf, createTestAdminKey } from "./support/admin.ts"
import { useStoreKindsInTurn } from "./support/any-store.ts"
import { openBrowser } from "./support/browser.ts"
import { runCliForTest } from "./support/cli.ts"
import { readLines } from "./support/log.ts"
import { startTestService } from "./support/service.ts"
import { tempDir } from "./support/temp.ts"

const dir = tempDir()
let files = 0
const newFile = () => join(dir, `links-${++files}.db`)

/** The token of a printed link. */
const tokenOf = (url: unknown): string => /#token=(pkl-\w{38})$/.exec(String(url).trim())?.[1] ?? "no token"

async function startWithAccount() {
  const service = await startTestService()
  return { service, admin: await adminOf(service), account: (await service.createKey("pro")).account }
}

describe.each(useStoreKindsInTurn(0))("on $name", ({ create }) => {
  test("a link signs in once, also when two instances are asked at the same time", async () => {
    const flags = { db: await create() }
    const [first, second] = [await startTestService({ flags }), await startTestService({ flags })]
    const admin = await adminOf(first)
    for (const [kind, path] of [
      ["console", "/console-link"],
      ["portal", `/accounts/${(await first.createKey("pro")).account}/portal-link`],
    ] as const) {
      const { body, status } = await admin("POST", path)
      expect(status).toBe(201)
      expect(body.url).toStartWith(`${first.url}/${kind}#token=pkl-`)
      const token = tokenOf(body.url)
      const browsers = [openBrowser(first.url), openBrowser(second.url), openBrowser(first.url)]
      const answers = await Promise.all(browsers.map((browser) => browser.signIn(kind, { token })))
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401])
      const again = await openBrowser(second.url).signIn(kind, { token })
      expect([again.status, again.body.type, again.body.detail]).toEqual([
        401,
        "urn:penknife:problem:link-over",
        "The link was used already, or it has expired. Ask for a new one.",
      ])
      const { data } = (await admin("GET", `/audit?operation=${kind}.sign_in`)).body
      expect(data).toMatchObject([{ after: { by: `link ${body.id}` } }])
    }
  }, 300_000)
})

describe("a link", () => {
  test("has the address of the service, whatever host a request names", async () => {
    const { service, admin, account } = await startWithAccount()
    for (const headers of [
      { host: "evil.example" },
      { "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" },
      { forwarded: "host=evil.example;proto=https" },
    ])
      for (const path of ["/console-link", `/accounts/${account}/portal-link`]) {
        const { body } = await admin("POST", path, { headers })
        expect(String(body.url)).toStartWith(`${service.url}/`)
      }
  })

  test.each([
    ["console", 30],
    ["portal", 15],
  ] as const)("to the %s works for %d minutes", async (kind, minutes) => {
    const { service, admin, account } = await startWithAccount()
    const path = kind === "console" ? "/console-link" : `/accounts/${account}/portal-link`
    const newToken = async () => tokenOf((await admin("POST", path)).body.url)
    const tokens = [await newToken(), await newToken()]
    const browser = openBrowser(service.url)
    service.clock.advance(minutes * 60_000 - 1)
    expect((await browser.signIn(kind, { token: tokens[0] })).status).toBe(201)
    service.clock.advance(1)
    expect((await browser.signIn(kind, { token: tokens[1] })).status).toBe(401)
  })

  test("for the other page is refused there, says where to go, and is not used up", async () => {
    const { service, admin, account } = await startWithAccount()
    const toConsole = tokenOf((await admin("POST", "/console-link")).body.url)
    const toPortal = tokenOf((await admin("POST", `/accounts/${account}/portal-link`)).body.url)
    const browser = openBrowser(service.url)
    const wrong = [
      await browser.signIn("portal", { token: toConsole }),
      await browser.signIn("console", { token: toPortal }),
    ]
    expect(wrong.map(({ status, body }) => [status, body.detail])).toEqual([
      [401, "The link is for the console: open it under /console."],
      [401, "The link is for the portal: open it under /portal."],
    ])
    expect(browser.cookies.size).toBe(0)
    expect((await browser.signIn("console", { token: toConsole })).status).toBe(201)
    expect((await browser.signIn("portal", { token: toPortal })).status).toBe(201)
  })

  test("gives no permission that its maker lacks, and is of no use once the admin key behind it is revoked", async () => {
    const service = await startTestService()
    const permissions = ["admins.write", "portal.link", "keys.*"]
    const { id, key } = await createTestAdminKey(service.db, { permissions })
    const maker = adminClient(service.url, key)
    const refused = await maker("POST", "/console-link", { body: { may: ["accounts.read"] } })
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      expect.stringContaining("You cannot give 'accounts.read'"),
    ])
    const own = await maker("POST", "/console-link")
    const less = await maker("POST", "/console-link", { body: { may: ["keys.read"] } })
    const browser = openBrowser(service.url)
    expect((await browser.signIn("console", { token: tokenOf(own.body.url) })).body.permissions).toEqual([
      "admins.write",
      "portal.link",
      "keys.*",
    ])
    expect((await browser.send("GET", "/admin/v1/accounts")).status).toBe(403)
    // A link that a session makes has the same admin key behind it.
    const made = await browser.send("POST", "/admin/v1/console-link", { body: {} })
    const { account } = await service.createKey("pro")
    const portal = await maker("POST", `/accounts/${account}/portal-link`)
    const customer = openBrowser(service.url)
    expect((await customer.signIn("portal", { token: tokenOf(portal.body.url) })).status).toBe(201)
    expect((await (await adminOf(service))("POST", `/admins/${id}/revoke`)).status).toBe(200)
    for (const { body } of [less, made]) {
      const answer = await openBrowser(service.url).signIn("console", { token: tokenOf(body.url) })
      expect(answer.body.detail).toBe(
        "The link no longer works, since the admin key behind it has expired or was revoked.",
      )
    }
    expect((await browser.send("GET", "/console/session")).body.signed_in).toBe(false)
    expect((await customer.send("GET", "/portal/session")).body.signed_in).toBe(false)
  })

  test("to the portal gives its customer no permission that its maker lacks, now or later", async () => {
    const service = await startTestService()
    const { account } = await service.createKey("pro")
    const may = ["portal.link", "accounts.read", "keys.*", "audit.read"]
    const { id, key } = await createTestAdminKey(service.db, { permissions: may })
    const { body } = await adminClient(service.url, key)("POST", `/accounts/${account}/portal-link`)
    const customer = openBrowser(service.url)
    const opened = await customer.signIn("portal", { token: tokenOf(body.url) })
    expect(opened.body.permissions).toEqual(["accounts.read", "keys.read", "keys.write"])
    const create = () => customer.send("POST", "/portal/v1/keys", { body: { name: "mine" } })
    const call = () => customer.send("POST", "/portal/v1/calls/bluetoothlookup?companyid=76")
    expect([(await create()).status, (await call()).status]).toEqual([201, 200])
    expect((await customer.send("GET", "/portal/v1/usage")).status).toBe(403)

    const setPermissions = (permissions: readonly string[]) => {
      using database = new Database(service.db)
      const update = "UPDATE admin_keys SET permissions = ? WHERE id = ?"
      expect(database.run(update, [JSON.stringify(permissions), id]).changes).toBe(1)
    }
    setPermissions(["portal.link", "accounts.read", "keys.read", "usage.read"])
    expect((await customer.send("GET", "/portal/session")).body.permissions).toEqual([
      "accounts.read",
      "keys.read",
    ])
    // A call spends credits, so it needs what a key is made with.
    expect([(await create()).status, (await call()).status]).toEqual([403, 403])
  })

  test("to the portal of an earlier version has no more than its maker; where this has nothing for customers, the answer says so", async () => {
    const service = await startTestService()
    const { account } = await service.createKey("pro")
    const maker = async (...permissions: string[]) =>
      adminClient(service.url, (await createTestAdminKey(service.db, { permissions })).key)
    const { body } = await (await maker("portal.link", "usage.read"))(
      "POST",
      `/accounts/${account}/portal-link`,
    )
    {
      using database = new Database(service.db)
      database.run("UPDATE sign_in_links SET permissions = ?", [JSON.stringify(["keys.write", "usage.read"])])
    }
    const opened = await openBrowser(service.url).signIn("portal", { token: tokenOf(body.url) })
    expect(opened.body.permissions).toEqual(["usage.read"])

    const useless = await (await maker("portal.link", "audit.read"))(
      "POST",
      `/accounts/${account}/portal-link`,
    )
    expect([useless.status, useless.body.permissions]).toEqual([201, []])
    const customer = openBrowser(service.url)
    expect((await customer.signIn("portal", { token: tokenOf(useless.body.url) })).body.may).toEqual([])
    expect((await customer.send("GET", `/portal/v1/accounts/${account}`)).status).toBe(403)
  })

  test("to the portal of a closed account is not made, and not taken once it is closed", async () => {
    const { service, admin, account } = await startWithAccount()
    const { body } = await admin("POST", `/accounts/${account}/portal-link`)
    await admin("POST", `/accounts/${account}/close`)
    const late = await openBrowser(service.url).signIn("portal", { token: tokenOf(body.url) })
    expect([late.status, late.body.detail]).toEqual([401, expect.stringContaining("The account is closed.")])
    expect((await admin("POST", `/accounts/${account}/portal-link`)).status).toBe(409)
    expect((await admin("POST", "/accounts/acc_0000000000000000/portal-link")).status).toBe(404)
  })

  test("leaves no trace of its token in the store, the log, the audit log and replays", async () => {
    const service = await startTestService()
    const admin = await adminOf(service)
    const headers = { "idempotency-key": "one" }
    const first = await admin("POST", "/console-link", { headers })
    const token = tokenOf(first.body.url)
    expect((await admin("POST", "/console-link", { headers })).body).toEqual({ ...first.body, url: null })
    const browser = openBrowser(service.url)
    await browser.signIn("console", { token })
    await browser.signIn("console", { token })
    const cookie = [...browser.cookies.values()][0] ?? ""
    await browser.send("GET", "/admin/v1/accounts", { headers: { "x-request-id": cookie } })
    const stored = await Bun.file(service.db).text()
    const waiting = await Bun.file(`${service.db}-wal`).text()
    const audit = (await admin("GET", "/audit")).text
    for (const text of [stored, waiting, audit, service.logged()])
      for (const secret of [token, cookie, browser.csrf]) expect(text).not.toContain(secret.slice(0, 20))
    expect(service.logged()).toContain('"reason":"linkUsed"')
    expect(audit).toContain("console.sign_in")
  })
})

test("the command: console-link prints the link alone, which signs in to the service on this store", async () => {
  const service = await startTestService({ ports: {} })
  const url = new URL(service.url)
  const { code, out, err } = await runCliForTest(["console-link", "--db", service.db, "--port", url.port])
  expect([code, err]).toEqual([0, ""])
  expect(out).toMatch(new RegExp(`^${service.url}/console#token=pkl-\\w{38}\\n$`))
  service.clock.set(new Date().toISOString())
  const opened = await openBrowser(service.url).signIn("console", { token: tokenOf(out) })
  expect(opened.body).toMatchObject({ permissions: ["*"] })
})

test("the command: portal-link prints the link alone, at the address that clients use, or says what is wrong", async () => {
  const service = await startTestService()
  const { account } = await service.createKey("pro")
  const command = (...more: string[]) => runCliForTest(["portal-link", "--db", service.db, ...more])
  const { out } = await command(account, "--public-url", "https://api.example.com")
  expect(out).toMatch(/^https:\/\/api\.example\.com\/portal#token=pkl-\w{38}\n$/)
  const json = JSON.parse((await command(account, "--json")).out)
  expect(json).toMatchObject({ id: expect.stringMatching(/^lnk_/), url: expect.any(String) })
  const unknown = await command("acc_0000000000000000")
  expect([unknown.code, unknown.out]).toEqual([1, ""])
  expect(unknown.err).toContain("There is no account")
  const off = await runCliForTest(["console-link", "--db", service.db, "--admin", "off"])
  expect([off.code, off.err]).toEqual([1, expect.stringContaining("The console is off.")])
})

test.each([
  [["--host", "0.0.0.0", "--port", "8080"], "http://localhost:8080/console"],
  [["--host", "::", "--port", "8080"], "http://localhost:8080/console"],
  [["--host", "192.0.2.1"], "http://192.0.2.1:8080/console"],
  [["--admin", "127.0.0.1:8081", "--public-url", "https://api.example.com"], "http://127.0.0.1:8081/console"],
  [["--public-url", "https://api.example.com"], "https://api.example.com/console"],
])("the command: console-link %p names %s", async (flags, expected) => {
  const db = newFile()
  await runCliForTest(["account", "create", "--name", "Ann", "--db", db])
  const { out } = await runCliForTest(["console-link", "--db", db, ...flags])
  expect(out).toStartWith(`${expected}#token=`)
})

/** Runs `serve` until it has printed where it listens and what comes with that, and `use` is done. */
async function serve(flags: readonly string[], use: (url: string) => Promise<void> = async () => {}) {
  let stop = () => {}
  let used: Promise<void> = Promise.resolve()
  const stopped = new Promise<void>((resolve) => {
    stop = resolve
  })
  const done = runCliForTest(["serve", "--port", "0", ...flags], {
    stopRequested: () => stopped,
    onOut(text) {
      const url = /listening on (\S+)/.exec(text)?.[1] ?? /"url":"([^"#]+)"/.exec(text)?.[1]
      if (url) used = use(url).finally(stop)
    },
  })
  const result = await done
  await used
  return result
}

test("the first start prints a link to the console on standard error, and later starts do not", async () => {
  const db = newFile()
  const first = await serve(["--db", db])
  expect(first.out).not.toContain("token")
  expect(first.err).toContain("This link signs in to its console, once, within 30 minutes")
  let signedIn = 0
  const second = await serve(["--db", db], async (url) => {
    // The first link works with the next process too.
    const token = /#(?:token=)(pkl-\w+)/.exec(first.err)?.[1]
    signedIn = (await openBrowser(url).signIn("console", { token })).status
  })
  expect([signedIn, second.err]).toEqual([201, ""])
})

test.each(["warn", "error", "silent"])(
  "the first start prints none at the log level %s, so that a later one does",
  async (level) => {
    const db = newFile()
    expect((await serve(["--db", db, "--log-level", level])).err).toBe("")
    expect((await serve(["--db", db])).err).toContain("#token=pkl-")
  },
)

test("the first start prints none once there is an admin key, and none when the console is off", async () => {
  const db = newFile()
  expect((await serve(["--db", db, "--admin", "off"])).err).not.toContain("token")
  await createTestAdminKey(db)
  expect((await serve(["--db", db])).err).toBe("")
})

test("the first start with --demo prints it beside the key, its plan and the address of the documentation", async () => {
  const { out, err } = await serve(["--db", newFile(), "--demo"])
  expect(err).toBe("")
  expect(out).toMatch(/on the plan 'pro'/)
  expect(out).toMatch(/http:\/\/127\.0\.0\.1:\d+\/docs/)
  expect(out).toMatch(/http:\/\/127\.0\.0\.1:\d+\/console#token=pkl-\w{38}\n/)
  const events = readLines((await serve(["--db", newFile(), "--demo", "--json"])).out)
  expect(events.map(({ event }) => event)).toEqual(["listening", "demo-key", "console-link"])
  expect(events[1]).toMatchObject({ plan: "pro" })
})
