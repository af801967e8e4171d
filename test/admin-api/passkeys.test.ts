/** People who sign in to the console by passkey, and what attackers try with passkeys. */
import { expect, test } from "bun:test"
import { type AdminAnswer, adminOf, createTestAdminKey } from "../support/admin.ts"
import { createAuthenticator, type Deviation, type TestAuthenticator } from "../support/authenticator.ts"
import { openBrowser, type TestBrowser } from "../support/browser.ts"
import { startTestService } from "../support/service.ts"

const service = await startTestService()
const admin = await adminOf(service)
/** Passkeys need a host name. */
const home = service.url.replace(/127\.0\.0\.1|\[::1\]/, "localhost")

const tokenOf = (url: string) => url.slice(url.indexOf("#token=") + 7)

function expectRefused({ status, body }: AdminAnswer, expected: number, detail: string): void {
  expect([status, body.detail]).toEqual([expected, expect.stringContaining(detail)])
}

/** Invites someone, and signs them in with their link. */
async function invite(name = "Ann", may: readonly string[] = ["*"]) {
  const invited = await admin("POST", "/people", { body: { name, may } })
  expect(invited.status).toBe(201)
  const browser = openBrowser(home)
  const url = String(invited.body.url)
  const signedIn = await browser.signIn("console", { token: tokenOf(url) })
  return { id: String(invited.body.id), url, browser, signedIn }
}

const askFor = (purpose: string, browser: TestBrowser, headers = {}) =>
  browser.send("POST", "/console/session/challenge", { body: { for: purpose }, headers })

async function challengeFor(purpose: "add" | "sign_in", browser: TestBrowser): Promise<string> {
  const answer = await askFor(purpose, browser)
  expect(answer.status).toBe(200)
  return String(answer.body.challenge)
}

async function addPasskey(browser: TestBrowser, authenticator: TestAuthenticator, deviation?: Deviation) {
  const passkey = await authenticator.make(await challengeFor("add", browser), deviation)
  return browser.send("POST", "/console/session/passkeys", { body: { name: "Laptop", passkey } })
}

/** Invites someone who adds a passkey. */
async function personWithPasskey(name?: string, may?: readonly string[]) {
  const person = await invite(name, may)
  const authenticator = await createAuthenticator(home, person.id)
  const added = await addPasskey(person.browser, authenticator)
  expect([added.status, added.body]).toMatchObject([201, { name: "Laptop", site: "localhost" }])
  return { ...person, authenticator, passkeyId: String(added.body.id) }
}

/** Signs in with a passkey in a browser, by default in a fresh one. */
async function signIn(authenticator: TestAuthenticator, deviation?: Deviation, browser = openBrowser(home)) {
  const passkey = await authenticator.sign(await challengeFor("sign_in", browser), deviation)
  return { browser, passkey, answer: await browser.signIn("console", { passkey }) }
}

test("a colleague is invited, adds a passkey, and signs in with it under their own name", async () => {
  const invited = await personWithPasskey("Ann Lee", ["accounts.*"])
  const { id, url, signedIn, browser, authenticator, passkeyId } = invited
  expect(url).toContain("/console/passkeys#token=pkl-")
  const ann = { actor: { id: `person:${id}`, name: "Ann Lee" }, permissions: ["accounts.*"] }
  expect(signedIn.body).toMatchObject(ann)
  const { browser: other, answer } = await signIn(authenticator)
  expect([answer.status, answer.body]).toMatchObject([201, ann])
  expect((await other.send("POST", "/admin/v1/accounts", { body: { name: "Bob" } })).status).toBe(201)
  const own = await other.send("GET", "/admin/v1/passkeys")
  expect(own.body.data).toMatchObject([{ id: passkeyId, person: id, last_used: expect.any(String) }])
  const { body } = await admin("GET", `/audit?actor=person:${id}`)
  expect(JSON.stringify(body)).not.toContain(authenticator.id)
  const acts = body.data as {
    operation: string
    actor_name: string
    target: string
    after: { by?: string }
  }[]
  expect(acts.map(({ operation }) => operation).sort()).toEqual(
    "accounts.create console.sign_in console.sign_in passkeys.add".split(" "),
  )
  expect(new Set(acts.map((act) => act.actor_name))).toEqual(new Set(["Ann Lee"]))
  const proofs = acts.flatMap(({ after }) => after.by ?? []).sort()
  expect(proofs).toEqual([expect.stringMatching(/^link lnk_\w{16}$/), `passkey ${passkeyId}`])
  const { body: refused } = await browser.send("GET", "/admin/v1/people")
  expect(refused.detail).toBe("This needs the permission 'people.read'.")
})

test.each<[what: string, deviation: Deviation]>([
  ["a page of another site that passes on what it got", { origin: "https://evil.example" }],
  ["another port of the same host", { origin: "http://localhost:1" }],
  ["a passkey that signed for another host", { rpId: "evil.example" }],
  ["a device that did not ask for PIN or fingerprint", { isVerified: false }],
  ["a forged signature", { isForged: true }],
  ["the passkey of one person for another", { userHandle: "psn_0000000000000000" }],
  ["the answer of another ceremony", { type: "webauthn.create" }],
])("refused is: %s", async (_, deviation) => {
  const { authenticator } = await personWithPasskey()
  const { answer, browser } = await signIn(authenticator, deviation)
  const said = "The passkey was not accepted. Try again at the address of this console."
  expect([answer.status, answer.body.detail]).toEqual([401, said])
  expect(browser.cookies.has("penknife-console")).toBe(false)
  // Without the deviation it works, so it was the deviation.
  expect((await signIn(authenticator)).answer.status).toBe(201)
})

test("refused is: an answer that is sent again", async () => {
  const { authenticator } = await personWithPasskey()
  const { browser, passkey, answer } = await signIn(authenticator)
  expect(answer.status).toBe(201)
  expectRefused(await browser.signIn("console", { passkey }), 401, "used already")
})

test("refused is: an answer that is sent twice at the same time, once", async () => {
  const { authenticator } = await personWithPasskey()
  const browser = openBrowser(home)
  const passkey = await authenticator.sign(await challengeFor("sign_in", browser))
  const answers = await Promise.all([1, 2, 3].map(() => browser.signIn("console", { passkey })))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401])
})

test("refused is: a challenge that another browser was given, or none, or an old one", async () => {
  const { authenticator } = await personWithPasskey()
  const mine = openBrowser(home)
  const passkey = await authenticator.sign(await challengeFor("sign_in", mine))
  const victim = openBrowser(home)
  await challengeFor("sign_in", victim)
  expect((await victim.signIn("console", { passkey })).status).toBe(401)
  expect((await openBrowser(home).signIn("console", { passkey })).status).toBe(401)
  const invented = await authenticator.sign(Buffer.alloc(32).toString("base64url"))
  expect((await mine.signIn("console", { passkey: invented })).status).toBe(401)
  service.clock.advance(5 * 60_000)
  expectRefused(await mine.signIn("console", { passkey }), 401, "took too long")
})

test("refused is: a challenge for adding a passkey, and one that was given to another session", async () => {
  const { browser, authenticator, id } = await personWithPasskey()
  const passkey = await authenticator.sign(await challengeFor("add", browser))
  expect((await browser.signIn("console", { passkey })).status).toBe(401)
  const { browser: other } = await invite("Mallory")
  const made = await (await createAuthenticator(home, id)).make(await challengeFor("add", other))
  const planted = { name: "Planted", passkey: made }
  expect((await browser.send("POST", "/console/session/passkeys", { body: planted })).status).toBe(400)
})

test("refused is: a copy, whose counter did not rise: the audit log names it, and the passkey works on", async () => {
  const { authenticator, passkeyId, id } = await personWithPasskey()
  expect((await signIn(authenticator, { counter: 7 })).answer.status).toBe(201)
  for (const counter of [7, 3, 0]) {
    const { answer, browser } = await signIn(authenticator, { counter })
    expectRefused(answer, 401, "may have been copied")
    expect(browser.cookies.has("penknife-console")).toBe(false)
  }
  const { body } = await admin("GET", `/audit?operation=console.sign_in_refused&target=${passkeyId}`)
  expect(body.data).toHaveLength(3)
  expect(body.data).toMatchObject([{ actor: `person:${id}`, target_kind: "passkey" }, {}, {}])
  expect((await signIn(authenticator, { counter: 8 })).answer.status).toBe(201)
})

test("refused is: a new passkey from another site, for another host, or without PIN or fingerprint", async () => {
  const { browser, id } = await invite()
  const authenticator = await createAuthenticator(home, id)
  const elsewhere = [{ origin: "https://evil.example" }, { rpId: "evil.example" }]
  for (const deviation of [...elsewhere, { isVerified: false }]) {
    const { status, body } = await addPasskey(browser, authenticator, deviation)
    expect([status, body.parameter]).toEqual([400, "passkey"])
  }
  expect((await addPasskey(browser, authenticator)).status).toBe(201)
  expect((await addPasskey(browser, authenticator)).body.detail).toBe("This passkey is added already.")
})

test("who is signed in is signed out when the passkey is removed, and no other session of theirs", async () => {
  const { browser: byLink, authenticator, passkeyId } = await personWithPasskey()
  const { browser: byPasskey } = await signIn(authenticator)
  expect((await admin("DELETE", `/passkeys/${passkeyId}`)).status).toBe(200)
  expect((await byPasskey.send("GET", "/admin/v1/whoami")).status).toBe(401)
  expect((await byLink.send("GET", "/admin/v1/whoami")).status).toBe(200)
  const { answer } = await signIn(authenticator)
  expectRefused(answer, 401, "is not known here")
})

test("who is signed in is signed out when they are removed; their links and passkeys are void too", async () => {
  const { id, browser: byLink, authenticator } = await personWithPasskey("Eve")
  const { browser: byPasskey } = await signIn(authenticator)
  const link = String((await admin("POST", `/people/${id}/link`)).body.url)
  const removed = await admin("DELETE", `/people/${id}`)
  expect([removed.status, removed.body]).toMatchObject([200, { name: "Eve", passkeys: 0 }])
  for (const browser of [byLink, byPasskey])
    expect((await browser.send("GET", "/admin/v1/whoami")).status).toBe(401)
  const token = tokenOf(link)
  expect((await openBrowser(home).signIn("console", { token })).status).toBe(401)
  expect((await signIn(authenticator)).answer.status).toBe(401)
  const { body } = await admin("GET", "/people?limit=1000")
  expect(JSON.stringify(body)).not.toContain(id)
  expect((await admin("POST", `/people/${id}/link`)).status).toBe(404)
})

test("who is signed in is signed out of what they may no longer do, at once", async () => {
  const { id, browser } = await personWithPasskey("Bob", ["accounts.*", "keys.read"])
  await admin("PATCH", `/people/${id}`, { body: { may: ["keys.read"] } })
  expect((await browser.send("GET", "/admin/v1/accounts")).status).toBe(403)
  expect((await browser.send("GET", "/admin/v1/keys")).status).toBe(200)
})

test("nobody gains permissions by inviting, changing, or making a link for someone who has more", async () => {
  const { id } = await invite("Owner")
  const { key } = await createTestAdminKey(service.db, { permissions: ["people.*", "keys.read"] })
  const refused = [
    await admin("POST", "/people", { key, body: { name: "Me", may: ["*"] } }),
    await admin("PATCH", `/people/${id}`, { key, body: { may: ["accounts.read"] } }),
    await admin("POST", `/people/${id}/link`, { key }),
  ]
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403])
  expect((await admin("POST", "/people", { key, body: { name: "Me", may: ["keys.read"] } })).status).toBe(201)
})

test("nobody gains permissions by demoting someone, adding a passkey for them, and waiting until they are restored", async () => {
  const boss = await personWithPasskey("Boss")
  const { key } = await createTestAdminKey(service.db, { permissions: ["people.*", "keys.read"] })
  const path = `/people/${boss.id}`
  const lacking =
    "This needs all permissions that Boss has or ever had, and you lack '*'. Ask a colleague who has it."
  const refusals = async () => {
    const tried = [
      await admin("PATCH", path, { key, body: { may: ["keys.read"] } }),
      await admin("PATCH", path, { key, body: { name: "Nobody" } }),
      await admin("POST", `${path}/link`, { key }),
      await admin("DELETE", path, { key }),
      await admin("PATCH", `/passkeys/${boss.passkeyId}`, { key, body: { name: "Mine" } }),
      await admin("DELETE", `/passkeys/${boss.passkeyId}`, { key }),
    ]
    return tried.map(({ status, body }) => `${status} ${body.detail}`)
  }
  expect(await refusals()).toEqual(Array(6).fill(`403 ${lacking}`))
  // Also while someone else has taken the permissions away.
  expect((await admin("PATCH", path, { body: { may: ["keys.read"] } })).status).toBe(200)
  expect(await refusals()).toEqual(Array(6).fill(`403 ${lacking}`))
  expect((await signIn(boss.authenticator)).answer.body.permissions).toEqual(["keys.read"])
  const { body } = await admin("GET", "/people?limit=1000")
  expect(body.data).toContainEqual(
    expect.objectContaining({ id: boss.id, name: "Boss", passkeys: 1, permissions: ["keys.read"] }),
  )
})

test("nobody gains permissions by a passkey, session or link of the time when their person had fewer; a new link gives all", async () => {
  const { id, authenticator, browser, passkeyId } = await personWithPasskey("Gil", ["keys.read"])
  const linkOf = async () => String((await admin("POST", `/people/${id}/link`)).body.url)
  const early = await linkOf()
  await admin("PATCH", `/people/${id}`, { body: { may: ["*"] } })
  const open = async (url: string) => {
    const opened = openBrowser(home)
    const token = tokenOf(url)
    return { opened, answer: await opened.signIn("console", { token }) }
  }
  const { opened: lesser, answer } = await open(early)
  const again = await signIn(authenticator)
  expect([answer.body.permissions, again.answer.body.permissions]).toEqual([["keys.read"], ["keys.read"]])
  for (const old of [browser, lesser, again.browser]) {
    expect((await old.send("GET", "/admin/v1/accounts")).status).toBe(403)
    const refused = await askFor("add", old)
    expectRefused(
      refused,
      403,
      "This session may do less than you may. Ask a colleague for a new link, open it, and add the passkey then.",
    )
  }
  const { opened, answer: full } = await open(await linkOf())
  expect(full.body.permissions).toEqual(["*"])
  const options = await askFor("add", opened)
  // The browser may replace the old passkey on the same device.
  expect(options.body.excludeCredentials).toEqual([])
  service.clock.advance(1_000)
  const grown = await createAuthenticator(home, id)
  expect((await addPasskey(opened, grown)).body.permissions).toEqual(["*"])
  expect((await signIn(grown)).answer.body.permissions).toEqual(["*"])
  expect((await signIn(authenticator)).answer.body.permissions).toEqual(["keys.read"])
  // The old one gives nothing of other permissions, and says so.
  await admin("PATCH", `/people/${id}`, { body: { may: ["accounts.read"] } })
  const { answer: outgrown } = await signIn(authenticator)
  expectRefused(outgrown, 401, "gives none of your present permissions")
  expect((await signIn(grown)).answer.body.permissions).toEqual(["accounts.read"])
  const listed = await admin("GET", `/passkeys?person=${id}`)
  expect(listed.body.data).toMatchObject([
    { id: passkeyId, permissions: ["keys.read"] },
    { permissions: ["*"] },
  ])
})

test("nobody gains permissions by adding or removing a passkey in a session with fewer", async () => {
  const { browser, id, passkeyId } = await personWithPasskey("Cai")
  const link = await browser.send("POST", "/admin/v1/console-link", { body: { may: ["accounts.read"] } })
  const lesser = openBrowser(home)
  const signedIn = await lesser.signIn("console", { token: tokenOf(String(link.body.url)) })
  expect(signedIn.body).toMatchObject({ actor: { id: `person:${id}` }, permissions: ["accounts.read"] })
  expectRefused(await askFor("add", lesser), 403, "may do less")
  const path = `/admin/v1/passkeys/${passkeyId}`
  for (const tried of [
    await lesser.send("DELETE", path),
    await lesser.send("PATCH", path, { body: { name: "x" } }),
  ])
    expectRefused(
      tried,
      403,
      "This needs all permissions that the passkey gives, and you lack '*'. Ask a colleague who has it.",
    )
  expect((await browser.send("PATCH", path, { body: { name: "Blue" } })).body.name).toBe("Blue")
})

test("nobody gains permissions over the passkeys of others", async () => {
  const { passkeyId, id } = await personWithPasskey("Dee")
  const { browser } = await invite("Fay", ["accounts.read"])
  const answers = [
    await browser.send("DELETE", `/admin/v1/passkeys/${passkeyId}`),
    await browser.send("PATCH", `/admin/v1/passkeys/${passkeyId}`, { body: { name: "Mine" } }),
    await browser.send("GET", `/admin/v1/passkeys?person=${id}`),
  ]
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403])
})

test("nobody gains permissions as an admin key: passkeys belong to people", async () => {
  const browser = openBrowser(home)
  await browser.signIn("console", { key: (await createTestAdminKey(service.db)).key })
  expectRefused(await askFor("add", browser), 409, "Passkeys belong to people")
})

test("where passkeys cannot work, the answer says why and what to do", async () => {
  const ask = (origin: string) =>
    askFor("sign_in", openBrowser(service.url), { origin, host: new URL(origin).host })
  for (const [origin, why] of [
    ["https://192.0.2.1", "an IP address"],
    ["https://[2001:db8::1]:8443", "an IP address"],
    ["http://127.0.0.1:8080", "at localhost"],
    ["http://api.example.com", "They need HTTPS"],
  ] as const)
    expectRefused(await ask(origin), 409, why)
  expect((await ask("https://api.example.com")).status).toBe(200)
  const named = await startTestService({ flags: { publicUrl: "https://api.example.com" } })
  const elsewhere = await askFor("sign_in", openBrowser(named.url.replace("127.0.0.1", "localhost")))
  expectRefused(elsewhere, 409, "open the console at api.example.com")
})

test("bad input names what to send, and portal and other pages get nothing", async () => {
  const browser = openBrowser(home)
  for (const body of [{}, { for: "steal" }, { for: "add", more: 1 }]) {
    const { status, body: problem } = await browser.send("POST", "/console/session/challenge", { body })
    expect([status, problem.parameter]).toEqual([400, "body"])
  }
  const { authenticator } = await personWithPasskey()
  const passkey = await authenticator.sign(await challengeFor("sign_in", browser))
  for (const wrong of [{}, { ...passkey, id: "ä" }, { ...passkey, type: "password" }, "x".repeat(3_000)])
    expect((await browser.signIn("console", { passkey: wrong })).status).toBe(400)
  const unknown = { ...passkey, id: "AAAA", rawId: "AAAA" }
  expect((await browser.signIn("console", { passkey: unknown })).status).toBe(401)
  expect((await browser.signIn("portal", { passkey })).body.parameter).toBe("passkey")
  const site = { origin: "https://evil.example", "sec-fetch-site": "cross-site" }
  expect((await askFor("sign_in", browser, site)).status).toBe(403)
  const strangers = await browser.send("POST", "/console/session/passkeys", { body: { name: "x", passkey } })
  expect(strangers.status).toBe(400)
  const cookie = (await askFor("sign_in", browser)).headers
  expect(cookie.get("set-cookie")).toMatch(
    /^penknife-passkey=pks-\w{38}; Path=\/; Max-Age=300; HttpOnly; SameSite=Strict$/,
  )
})
