/**
 * How many links strangers get, which terms they accept, and who may sign up at all. PostgreSQL is held to the same contract for
 * what the store decides of it.
 */
import { expect, test } from "bun:test"
import { join } from "node:path"
import { createSecret } from "../../src/accounts/key.ts"
import { newEmailLink } from "../../src/admin/sign-up/new-link.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { changeOf, firstPage } from "../support/admin-store.ts"
import { hourMs, newBrowser, useSignUps } from "../support/sign-ups.ts"
import { tempDir } from "../support/temp.ts"

const dir = tempDir()
let files = 0
const trial = useSignUps(async () => join(dir, `${++files}.db`))
const { accounts, askFrom, confirm, expectRefused, insertAccount, lastToken, link, signIn, signUp } = trial

test("a hundred addresses from one network get 20 mails, and in an hour more", async () => {
  const results: string[] = []
  for (let n = 0; n < 100; n++) results.push(await signUp(`ann${n}@example.com`))
  expect(results.filter((result) => result === "sent")).toHaveLength(20)
  expect(results.filter((result) => result === "limited")).toHaveLength(80)
  expect(trial.mails).toHaveLength(20)
  trial.clock.advance(hourMs)
  expect(await signUp("ann@example.com")).toBe("sent")
})

test("who asks for links to someone's address all the time does not keep that customer from signing in", async () => {
  await insertAccount("acc_1", "victim@example.com")
  for (const n of Array(40).keys()) await askFrom("victim@example.com", `203.0.113.${n}`)
  // Ten from a network, and they leave another one alone.
  expect(trial.mails).toHaveLength(10)
  const browser = newBrowser()
  expect(await askFrom("victim@example.com", "198.51.100.7", "sign-in", browser)).toBe("sent")
  expect((await confirm(lastToken(), browser)).opened.account?.id).toBe("acc_1")
  // Nor does a stranger in the customer's own network, with one browser.
  await insertAccount("acc_2", "bob@example.com")
  const stranger = newBrowser()
  for (let n = 0; n < 40; n++) await askFrom("bob@example.com", "198.51.100.8", "sign-in", stranger)
  expect(trial.mails).toHaveLength(16)
  expect(await askFrom("bob@example.com", "198.51.100.7", "sign-in", browser)).toBe("sent")
  expect((await confirm(lastToken(), browser)).opened.account?.id).toBe("acc_2")
})

test("a /48 gets 60 mails an hour", async () => {
  for (let n = 0; n < 200; n++)
    await askFrom(`${n}@example.net`, `2001:db8:1:${(n * 64).toString(16)}::1`, "sign-up")
  expect(trial.mails).toHaveLength(60)
})

test("1,050 questions from 55 networks lock no customer out, and strangers at 1,000 alone", async () => {
  await insertAccount("acc_1", "ann@example.com")
  for (let n = 0; n < 1_050; n++) await askFrom(`${n}@example.org`, `10.0.${n % 55}.1`, "sign-up")
  expect(trial.mails).toHaveLength(1_000)
  const browser = newBrowser()
  expect(await askFrom("new@example.com", "198.51.100.7", "sign-up")).toBe("limited")
  expect(await askFrom("ann@example.com", "198.51.100.7", "sign-in", browser)).toBe("sent")
  expect((await confirm(lastToken(), browser)).opened.account?.id).toBe("acc_1")
})

test("tags and Gmail's dots are one mailbox, which gets at most a hundred mails an hour from any number of networks", async () => {
  const results: string[] = []
  for (let n = 0; n < 120; n++) {
    const email = n % 2 === 0 ? `vic.tim+${n}@gmail.com` : `v.ictim+${n}@googlemail.com`
    results.push(
      await askFrom(email, `10.${n}.0.1`, "sign-up"),
      await askFrom(email, `10.${n}.0.1`, "sign-up"),
    )
  }
  expect(results.filter((result) => result === "sent")).toHaveLength(100)
  // Only the first networks get more than one.
  expect(results.slice(0, 30)).not.toContain("limited")
  expect(results.slice(30).filter((result, n) => n % 2 === 1 && result === "sent")).toEqual([])
  expect(await askFrom("vic.tim@example.com", "10.1.0.1", "sign-up")).toBe("sent")
})

test("a question counts alike, whatever it finds: one's own mails do not tell who has an account", async () => {
  await insertAccount("acc_1", "ann@example.com")
  await insertAccount("acc_2", "closed@example.com", 5)
  const sent: number[] = []
  const targets = ["ann@example.com", "closed@example.com", "nobody@example.com"]
  const ways = targets.flatMap((email) =>
    (["sign-in", "sign-up"] as const).map((purpose) => ({ email, purpose })),
  )
  for (const [place, { email, purpose }] of ways.entries()) {
    const address = `10.0.${place}.1`
    const results = [await askFrom(email, address, purpose), await askFrom(email, address, purpose)]
    expect(results).not.toContain("limited")
    const before = trial.mails.length
    for (let n = 0; n < 25; n++) await askFrom(`own${place}.${n}@example.net`, address, "sign-up")
    sent.push(trial.mails.length - before)
  }
  expect(sent).toEqual(Array(6).fill(18))
  // And a mailbox's own limit ends at the same question.
  const ends: number[] = []
  for (const [place, { email, purpose }] of ways.entries()) {
    const mailbox = email.replace("@", `+${place}@`)
    const asked = place % 2 === 0 ? email : mailbox
    const results: string[] = []
    trial.clock.advance(hourMs)
    for (let n = 0; n < 12; n++) results.push(await askFrom(asked, `10.1.${place}.1`, purpose))
    ends.push(results.indexOf("limited"))
  }
  expect(ends).toEqual(Array(6).fill(10))
})

test("signing out everywhere gives nobody more questions: it would tell who has an account", async () => {
  await insertAccount("acc_1", "ann@example.com")
  const limitedAt = async () => {
    for (let n = 0; n < 25; n++)
      if ((await askFrom(`own${n}@example.net`, "10.0.0.1")) === "limited") return n
    return null
  }
  for (let n = 0; n < 5; n++) expect(await askFrom("ann@example.com", "10.0.0.1", "sign-in")).toBe("sent")
  const [token, browser] = [lastToken(), newBrowser()]
  const change = changeOf([{ kind: "session.endAll", sessionKind: "portal", owner: "acc_1" }])
  expect(await trial.admin.apply(change)).toBe("applied")
  await expectRefused(token, browser, "The link was used already, or it has expired.")
  expect(await limitedAt()).toBe(15)
})

test("a question that finds nothing makes no link that could be used", async () => {
  await insertAccount("acc_2", "closed@example.com", 5)
  expect(await signIn("nobody@example.com")).toBe("nothing")
  expect(await signUp("closed@example.com")).toBe("nothing")
  expect(trial.mails).toEqual([])
  const records = await trial.admin.audit({}, firstPage)
  expect(
    records
      .filter(({ operation }) => operation === "portal.mail_link")
      .map(({ after }) => JSON.parse(after ?? "")),
  ).toMatchObject([
    { for: "sign-up", sent: false },
    { for: "sign-in", sent: false },
  ])
  expect(JSON.stringify(records)).not.toContain("nobody")
})

const terms = (name: string) => `https://x.example/${name}`

test("the terms are accepted with the question or with the link, and recorded with the time", async () => {
  trial.set({ terms: terms("first") })
  const said = `Accept the terms first: send their address, ${terms("first")}`
  await expect(signUp("ann@example.com")).rejects.toThrow(said)
  const { browser, token } = await link("ann@example.com", newBrowser(), { terms: terms("first") })
  trial.set({ terms: terms("newer") })
  await expect(confirm(token, browser)).rejects.toThrow("Accept the terms first")
  await confirm(token, browser, { terms: terms("newer") })
  const [account] = await accounts()
  const accepted = { terms: terms("newer"), terms_accepted: new Date(trial.clock.now()).toISOString() }
  expect(JSON.parse(account?.metadata ?? "")).toEqual(accepted)
  const [record] = await trial.admin.audit({ accountId: account?.id }, firstPage)
  expect(JSON.parse(record?.after ?? "")).toMatchObject(accepted)
})

test("terms that were accepted with the question are recorded with its time", async () => {
  trial.set({ terms: terms("first") })
  const { browser, token } = await link("ann@example.com", newBrowser(), { terms: terms("first") })
  const accepted = { terms: terms("first"), terms_accepted: new Date(trial.clock.now()).toISOString() }
  trial.clock.advance(600_000)
  await confirm(token, browser)
  const [account] = await accounts()
  expect(JSON.parse(account?.metadata ?? "")).toEqual(accepted)
  const [record] = await trial.admin.audit({ accountId: account?.id }, firstPage)
  expect(JSON.parse(record?.after ?? "")).toMatchObject(accepted)
})

test("terms that were not shown are never accepted: a question and a link are refused, and nothing is used", async () => {
  trial.set({ terms: terms("second") })
  const others = `The terms have changed. Read those at ${terms("second")} and accept them.`
  await expect(signUp("ann@example.com", newBrowser(), { terms: terms("first") })).rejects.toThrow(others)
  expect(trial.mails).toEqual([])
  const { browser, token } = await link("ann@example.com", newBrowser(), { terms: terms("second") })
  trial.set({ terms: terms("third") })
  await expect(confirm(token, browser, { terms: terms("second") })).rejects.toMatchObject({
    ...{ code: "conflict", parameter: "terms" },
    message: `The terms have changed. Read those at ${terms("third")} and accept them.`,
  })
  expect(await accounts()).toEqual([])
  expect(await trial.first.read(token, browser)).toEqual({ plan: "free", terms: terms("third") })
  await confirm(token, browser, { terms: terms("third") })
  expect(JSON.parse((await accounts())[0]?.metadata ?? "")).toMatchObject({ terms: terms("third") })
})

test("a link tells its plan and the terms to accept before it is used, as they are now, to its browser alone", async () => {
  trial.set({ terms: terms("first") })
  const { browser, token } = await link("ann@example.com", newBrowser(), { terms: terms("first") })
  expect(await trial.first.read(token, browser)).toEqual({ plan: "free", terms: null })
  trial.set({ plan: "pro", terms: terms("newer") })
  expect(await trial.second.read(token, browser)).toEqual({ plan: "pro", terms: terms("newer") })
  await expect(trial.first.read(token, newBrowser())).rejects.toThrow("only in the browser that asked for it")
  trial.set({ mode: "off" })
  await expect(trial.first.read(token, browser)).rejects.toThrow("Nobody can sign up here any more.")
  trial.set({ mode: "open" })
  expect(await accounts()).toEqual([])
  await confirm(token, browser, { terms: terms("newer") })
  expect(await accounts()).toMatchObject([{ plan: "pro" }])
  await expect(trial.first.read(token, browser)).rejects.toThrow("The link was used already")
  await expect(trial.first.read("pkl-short", browser)).rejects.toThrow("The link is incomplete.")
  await signIn("ann@example.com", browser)
  expect(await trial.first.read(lastToken(), browser)).toEqual({ plan: null, terms: null })
})

test.each([
  ["ann@x.com\r\nBcc: bob@x.com", "must be an e-mail address"],
  ["ann@mail.blocked.example", "Addresses of this domain cannot sign up."],
])("%j is refused", async (email, problem) => {
  trial.set({ isBlocked: async (domain) => domain.endsWith("blocked.example") })
  await expect(signUp(email)).rejects.toThrow(problem)
  expect(trial.mails).toEqual([])
})

test("a domain that was blocked after a link was sent is refused, and an invitation to it works", async () => {
  const { browser, token } = await link("ann@mail.blocked.example")
  const ofInvitation = createSecret("linkToken", systemRandom)
  const invited = newEmailLink(
    {
      ...{ kind: "invitation", email: "bob@mail.blocked.example", name: "Bob", plan: null },
      ...{ terms: null, accountId: null, browser: null, network: "" },
    },
    {
      portal: "",
      nowMs: trial.clock.now(),
      durationMs: hourMs,
      limits: null,
      random: systemRandom,
      token: ofInvitation,
    },
  )
  await trial.admin.apply(changeOf([invited.mutation]))
  trial.set({ isBlocked: async (domain) => domain === "mail.blocked.example" })
  await expectRefused(token, browser, "Addresses of this domain cannot sign up.")
  expect(await accounts()).toEqual([])
  await confirm(ofInvitation, null)
  expect(await accounts()).toMatchObject([{ name: "Bob" }])
  trial.set({ isBlocked: async () => false })
  await confirm(token, browser)
})

test("with the modes off and invite nobody signs up, also not with a link from before", async () => {
  const { browser, token } = await link("ann@example.com")
  for (const [mode, refusal] of [
    ["off", "Nobody can sign up here any more."],
    ["invite", "Only invited people can sign up here now."],
  ] as const) {
    trial.set({ mode })
    await expect(signUp("bob@example.com")).rejects.toThrow("Ask the operator of this service.")
    await expectRefused(token, browser, refusal)
  }
  trial.set({ mode: "open" })
  await confirm(token, browser)
  trial.set({ hasMail: false })
  await expect(signIn("ann@example.com")).rejects.toThrow("This service sends no mail")
})

test("an address in another script is one account, however it is written", async () => {
  const { browser, token } = await link("почта@ПРИМЕР.рф")
  await confirm(token, browser)
  expect(await accounts()).toMatchObject([{ email: "почта@xn--e1afmkfd.xn--p1ai" }])
  await signUp("ПОЧТА@пример.рф")
  expect(trial.mails.at(-1)?.template).toBe("sign-in")
})
