/**
 * Sign-up and sign-in with links in mails, on both kinds of stores: who gets a link, who may use it, and that it has one effect.
 */
import { beforeEach, describe, expect, test } from "bun:test"
import { createSecret } from "../../src/accounts/key.ts"
import { defaultPlans } from "../../src/accounts/plan.ts"
import { updateAccount } from "../../src/admin/accounts/change-account.ts"
import { createSessions } from "../../src/admin/sessions/sessions.ts"
import { createSignIn } from "../../src/admin/sign-in.ts"
import type { QuestionOrigin } from "../../src/admin/sign-up/ask.ts"
import { newEmailLink } from "../../src/admin/sign-up/new-link.ts"
import { noSignUps, type SignUpSettings } from "../../src/admin/sign-up/settings.ts"
import { createSignUps, type SignUps } from "../../src/admin/sign-up/sign-ups.ts"
import { withToken } from "../../src/mail/compose.ts"
import { systemRandom } from "../../src/ports/random.ts"
import type { AdminStore } from "../../src/store/admin-reads.ts"
import type { NewMail } from "../../src/store/mails.ts"
import type { OpenStore } from "../../src/store/open-store.ts"
import { mailNetworksOf } from "../../src/values/ip.ts"
import { accountDetailsOf, changeOf, firstPage } from "../support/admin-store.ts"
import { openAdministration, type Values } from "../support/administration.ts"
import { useOpenStores, useStoreKinds } from "../support/any-store.ts"
import { createManualClock, type ManualClock } from "../support/clock.ts"

const hourMs = 3_600_000
const newBrowser = () => createSecret("sessionToken", systemRandom)

describe.each(useStoreKinds())("on $name", ({ name: kind, create }) => {
  const openStore = useOpenStores()
  let clock: ManualClock
  let admin: AdminStore
  let settings: SignUpSettings
  /** As they are sent: with their tokens. */
  let mails: NewMail[]
  /** Two workers of one service. */
  let first: SignUps
  let second: SignUps
  /** Changes the account as an operator does. */
  let change: (values: Values) => Promise<Values>

  beforeEach(async () => {
    const db = await create()
    clock = createManualClock()
    mails = []
    settings = { ...noSignUps, mode: "open", hasMail: true }
    const open = async () => worker(await openStore(db))
    ;[first, second] = [await open(), await open()]
    const opened = await openStore(db)
    admin = opened.admin
    const { run, clock: its } = openAdministration(opened)
    change = (values) => {
      its.set(new Date(clock.now()).toISOString())
      return run(updateAccount, { id: "acc_1", ...values })
    }
  })

  function worker({ admin: own, mails: outbox }: OpenStore): SignUps {
    const noted: AdminStore = {
      ...own,
      async apply(change) {
        const outcome = await own.apply(change)
        for (const one of change.mutations) {
          if (outcome !== "applied" || one.kind !== "mail.insert") continue
          const sent = await withToken(one.mail, outbox, one.mail.nowMs, systemRandom)
          if (sent) mails.push(sent)
        }
        return outcome
      },
    }
    const random = systemRandom
    const signIn = createSignIn(noted, clock)
    const sessions = createSessions({ admin: noted, clock, random, signIn })
    return createSignUps(
      {
        ...{ admin: noted, clock, random, auditRandom: random },
        plans: new Map(defaultPlans.map((plan) => [plan.name, plan])),
        pages: { service: () => "", portal: () => "https://api.example", console: () => "" },
        get signUp() {
          return settings
        },
      },
      sessions,
    )
  }

  const from = (browser: string, address = "192.0.2.1"): QuestionOrigin => ({
    ...{ browser, networks: mailNetworksOf(address), source: "192.0.2.1", requestId: "req_1" },
  })
  const signUp = (email: string, browser = newBrowser(), more = {}) =>
    first.ask({ for: "sign-up", email, ...more }, from(browser))
  const signIn = (email: string, browser = newBrowser()) =>
    first.ask({ for: "sign-in", email }, from(browser))
  const confirm = (token: string, browser: string | null, more = {}, by = first) =>
    by.confirm({ token, ...more }, browser, from("none"), { replacedCookie: null, limit() {} })
  /** The token in the last mail. */
  function lastToken(): string {
    const { link } = JSON.parse(mails.at(-1)?.data ?? "{}")
    return String(link).split("=").at(-1) ?? ""
  }
  async function link(email: string, browser = newBrowser(), more = {}) {
    expect(await signUp(email, browser, more)).toBe("sent")
    return { browser, token: lastToken() }
  }
  const accounts = () => admin.accounts({}, firstPage)
  /** A link that cannot be used says so at once. */
  async function expectRefused(token: string, browser: string | null, problem: string): Promise<void> {
    await expect(first.read(token, browser)).rejects.toThrow(problem)
    await expect(confirm(token, browser)).rejects.toThrow(problem)
  }

  test("a link makes one account with a key and a session, in one change", async () => {
    const { browser, token } = await link("Ann@Example.com", newBrowser(), { name: "Ann" })
    expect(mails).toMatchObject([{ recipient: "ann@example.com", template: "confirmation", accountId: null }])
    expect(JSON.parse(mails[0]?.data ?? "").link).toBe(`https://api.example/portal/confirm#sign-up=${token}`)
    expect(await accounts()).toEqual([])
    const { opened, key } = await confirm(token, browser)
    const [account] = await accounts()
    expect(account).toMatchObject({ name: "Ann", email: "ann@example.com", plan: "free", bonus: 500 })
    expect(opened.account).toMatchObject({ id: account?.id })
    expect(key).toStartWith("pk-")
    expect(await admin.keys({ accountId: account?.id }, firstPage)).toMatchObject([{ name: "first key" }])
    const [record, ...others] = await admin.audit({ accountId: account?.id }, firstPage)
    expect(others).toEqual([])
    expect(record).toMatchObject({ operation: "portal.sign_up" })
    expect(JSON.parse(record?.after ?? "")).toMatchObject({
      email: "ann@example.com",
      plan: "free",
      bonus: 500,
    })
    expect(JSON.stringify(await admin.audit({}, firstPage))).not.toContain(token)
  })

  test("one link, used many times at once by two workers, makes one account", async () => {
    const { browser, token } = await link("ann@example.com")
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, n) => confirm(token, browser, {}, n % 2 === 0 ? first : second)),
    )
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
    expect(await accounts()).toHaveLength(1)
    await expectRefused(token, browser, "The link was used already, or it has expired.")
  })

  test("two links at once make one account, and the other one says so", async () => {
    const browser = newBrowser()
    const [a, b] = [await link("ann@example.com", browser), await link("ann@example.com", browser)]
    const outcomes = await Promise.allSettled([
      confirm(a.token, browser),
      confirm(b.token, browser, {}, second),
    ])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"])
    expect(await accounts()).toHaveLength(1)
  })

  test("a link works only in the browser that asked, and is not used up by another", async () => {
    const { browser, token } = await link("ann@example.com")
    for (const other of [newBrowser(), null, ""]) {
      await expect(confirm(token, other)).rejects.toThrow("only in the browser that asked for it")
    }
    expect(await accounts()).toEqual([])
    expect((await confirm(token, browser)).key).toStartWith("pk-")
  })

  test("a link ends after an hour", async () => {
    const { browser, token } = await link("ann@example.com")
    const other = await link("bob@example.com", browser)
    clock.advance(hourMs - 1)
    await confirm(token, browser)
    clock.advance(1)
    await expect(confirm(other.token, browser)).rejects.toThrow("expired")
    expect(await accounts()).toHaveLength(1)
  })

  test("an address with an account gets a link to sign in, whatever was asked for, and others get none to sign in", async () => {
    await admin.apply(
      changeOf([{ kind: "account.insert", account: accountDetailsOf({ email: "ann@example.com" }) }]),
    )
    const browser = newBrowser()
    expect(await signUp("ANN@example.com", browser)).toBe("sent")
    expect(mails).toMatchObject([{ template: "sign-in", accountId: "acc_1" }])
    const { opened, key } = await confirm(lastToken(), browser)
    expect([opened.account?.id, key]).toEqual(["acc_1", null])
    expect(await signIn("nobody@example.com")).toBe("nothing")
    expect(mails).toHaveLength(1)
  })

  test("an account that is closed gets no link, a link from before opens nothing, and there is no second account", async () => {
    await admin.apply(
      changeOf([{ kind: "account.insert", account: accountDetailsOf({ email: "ann@example.com" }) }]),
    )
    const browser = newBrowser()
    await signIn("ann@example.com", browser)
    const set = { closedMs: 5 }
    await admin.apply(changeOf([{ kind: "account.update", id: "acc_1", version: 1, set }]))
    await expectRefused(lastToken(), browser, "The account is closed.")
    expect([await signIn("ann@example.com"), await signUp("ann@example.com")]).toEqual(["nothing", "nothing"])
    expect([mails.length, (await accounts()).length]).toEqual([1, 1])
  })

  test("a link to an address that the account no longer has opens nothing", async () => {
    await admin.apply(
      changeOf([{ kind: "account.insert", account: accountDetailsOf({ email: "ann@example.com" }) }]),
    )
    const browser = newBrowser()
    await signIn("ann@example.com", browser)
    const set = { email: "bob@example.com" }
    await admin.apply(changeOf([{ kind: "account.update", id: "acc_1", version: 1, set }]))
    await expectRefused(lastToken(), browser, "has changed since the link was sent")
  })

  test.each([["bob@example.com"], [null]])(
    "an address that was changed to %p and back ends the links from before, and no later ones",
    async (other) => {
      const email = "ann@example.com"
      await admin.apply(changeOf([{ kind: "account.insert", account: accountDetailsOf({ email }) }]))
      const browser = newBrowser()
      await signIn(email, browser)
      const before = lastToken()
      clock.advance(1)
      await change({ name: "Ann Lee", metadata: { email } })
      expect(await first.read(before, browser)).toEqual({ plan: null, terms: null })
      await change({ email: other })
      await change({ email })
      clock.advance(1)
      await expectRefused(before, browser, "has changed since the link was sent")
      await signIn(email, browser)
      expect((await confirm(lastToken(), browser)).opened.account?.id).toBe("acc_1")
    },
  )

  test("an address that came and went among many other changes ends the links from before", async () => {
    const email = "ann@example.com"
    await admin.apply(changeOf([{ kind: "account.insert", account: accountDetailsOf({ email }) }]))
    const browser = newBrowser()
    await signIn(email, browser)
    await change({ email: "bob@example.com" })
    await change({ email })
    for (let n = 0; n < 250; n++) await change({ name: `Ann ${n}` })
    await expectRefused(lastToken(), browser, "has changed since the link was sent")
  })

  test("an account that an operator made meanwhile stays the only one with the address", async () => {
    const { browser, token } = await link("ann@example.com")
    await admin.apply(
      changeOf([{ kind: "account.insert", account: accountDetailsOf({ email: "ann@example.com" }) }]),
    )
    await expectRefused(token, browser, "There is an account with this e-mail address already.")
    expect(await accounts()).toHaveLength(1)
  })

  const askFrom = (
    email: string,
    address: string,
    purpose: "sign-in" | "sign-up" = "sign-in",
    browser = newBrowser(),
  ) => first.ask({ for: purpose, email }, from(browser, address))
  const insertAccount = (id: string, email: string, closedMs: number | null = null) =>
    admin.apply({
      ...changeOf([{ kind: "account.insert", account: accountDetailsOf({ id, email, closedMs }) }]),
      audit: { ...changeOf([]).audit, id: `aud_${id}` },
    })

  test("a hundred addresses from one network get 20 mails, and in an hour more", async () => {
    const results: string[] = []
    for (let n = 0; n < 100; n++) results.push(await signUp(`ann${n}@example.com`))
    expect(results.filter((result) => result === "sent")).toHaveLength(20)
    expect(results.filter((result) => result === "limited")).toHaveLength(80)
    expect(mails).toHaveLength(20)
    clock.advance(hourMs)
    expect(await signUp("ann@example.com")).toBe("sent")
  })

  test("who asks for links to someone's address all the time does not keep that customer from signing in", async () => {
    await insertAccount("acc_1", "victim@example.com")
    for (const n of Array(40).keys()) await askFrom("victim@example.com", `203.0.113.${n}`)
    // Ten from a network, and they leave another one alone.
    expect(mails).toHaveLength(10)
    const browser = newBrowser()
    expect(await askFrom("victim@example.com", "198.51.100.7", "sign-in", browser)).toBe("sent")
    expect((await confirm(lastToken(), browser)).opened.account?.id).toBe("acc_1")
    // Nor does a stranger in the customer's own network, with one browser.
    await insertAccount("acc_2", "bob@example.com")
    const stranger = newBrowser()
    for (let n = 0; n < 40; n++) await askFrom("bob@example.com", "198.51.100.8", "sign-in", stranger)
    expect(mails).toHaveLength(16)
    expect(await askFrom("bob@example.com", "198.51.100.7", "sign-in", browser)).toBe("sent")
    expect((await confirm(lastToken(), browser)).opened.account?.id).toBe("acc_2")
  })

  test("a /48 gets 60 mails an hour", async () => {
    for (let n = 0; n < 200; n++)
      await askFrom(`${n}@example.net`, `2001:db8:1:${(n * 64).toString(16)}::1`, "sign-up")
    expect(mails).toHaveLength(60)
  })

  // On PostgreSQL it takes seconds, and its store is held to the same contract.
  test.if(kind === "a data file")(
    "1,050 questions from 55 networks lock no customer out, and strangers at 1,000 alone",
    async () => {
      await insertAccount("acc_1", "ann@example.com")
      for (let n = 0; n < 1_050; n++) await askFrom(`${n}@example.org`, `10.0.${n % 55}.1`, "sign-up")
      expect(mails).toHaveLength(1_000)
      const browser = newBrowser()
      expect(await askFrom("new@example.com", "198.51.100.7", "sign-up")).toBe("limited")
      expect(await askFrom("ann@example.com", "198.51.100.7", "sign-in", browser)).toBe("sent")
      expect((await confirm(lastToken(), browser)).opened.account?.id).toBe("acc_1")
    },
  )

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
      const before = mails.length
      for (let n = 0; n < 25; n++) await askFrom(`own${place}.${n}@example.net`, address, "sign-up")
      sent.push(mails.length - before)
    }
    expect(sent).toEqual(Array(6).fill(18))
    // And a mailbox's own limit ends at the same question.
    const ends: number[] = []
    for (const [place, { email, purpose }] of ways.entries()) {
      const mailbox = email.replace("@", `+${place}@`)
      const asked = place % 2 === 0 ? email : mailbox
      const results: string[] = []
      clock.advance(hourMs)
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
    expect(await admin.apply(change)).toBe("applied")
    await expectRefused(token, browser, "The link was used already, or it has expired.")
    expect(await limitedAt()).toBe(15)
  })

  test("a question that finds nothing makes no link that could be used", async () => {
    await insertAccount("acc_2", "closed@example.com", 5)
    expect(await signIn("nobody@example.com")).toBe("nothing")
    expect(await signUp("closed@example.com")).toBe("nothing")
    expect(mails).toEqual([])
    const records = await admin.audit({}, firstPage)
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
    settings = { ...settings, terms: terms("first") }
    await expect(signUp("ann@example.com")).rejects.toThrow(
      `Accept the terms first: send their address, ${terms("first")}`,
    )
    const { browser, token } = await link("ann@example.com", newBrowser(), { terms: terms("first") })
    settings = { ...settings, terms: terms("newer") }
    await expect(confirm(token, browser)).rejects.toThrow("Accept the terms first")
    await confirm(token, browser, { terms: terms("newer") })
    const [account] = await accounts()
    const accepted = { terms: terms("newer"), terms_accepted: new Date(clock.now()).toISOString() }
    expect(JSON.parse(account?.metadata ?? "")).toEqual(accepted)
    const [record] = await admin.audit({ accountId: account?.id }, firstPage)
    expect(JSON.parse(record?.after ?? "")).toMatchObject(accepted)
  })

  test("terms that were accepted with the question are recorded with its time", async () => {
    settings = { ...settings, terms: terms("first") }
    const { browser, token } = await link("ann@example.com", newBrowser(), { terms: terms("first") })
    const accepted = { terms: terms("first"), terms_accepted: new Date(clock.now()).toISOString() }
    clock.advance(600_000)
    await confirm(token, browser)
    const [account] = await accounts()
    expect(JSON.parse(account?.metadata ?? "")).toEqual(accepted)
    const [record] = await admin.audit({ accountId: account?.id }, firstPage)
    expect(JSON.parse(record?.after ?? "")).toMatchObject(accepted)
  })

  test("terms that were not shown are never accepted: a question and a link are refused, and nothing is used", async () => {
    settings = { ...settings, terms: terms("second") }
    const others = `The terms have changed. Read those at ${terms("second")} and accept them.`
    await expect(signUp("ann@example.com", newBrowser(), { terms: terms("first") })).rejects.toThrow(others)
    expect(mails).toEqual([])
    const { browser, token } = await link("ann@example.com", newBrowser(), { terms: terms("second") })
    settings = { ...settings, terms: terms("third") }
    await expect(confirm(token, browser, { terms: terms("second") })).rejects.toMatchObject({
      ...{ code: "conflict", parameter: "terms" },
      message: `The terms have changed. Read those at ${terms("third")} and accept them.`,
    })
    expect(await accounts()).toEqual([])
    expect(await first.read(token, browser)).toEqual({ plan: "free", terms: terms("third") })
    await confirm(token, browser, { terms: terms("third") })
    expect(JSON.parse((await accounts())[0]?.metadata ?? "")).toMatchObject({ terms: terms("third") })
  })

  test("a link tells its plan and the terms to accept before it is used, as they are now, to its browser alone", async () => {
    settings = { ...settings, terms: terms("first") }
    const { browser, token } = await link("ann@example.com", newBrowser(), { terms: terms("first") })
    expect(await first.read(token, browser)).toEqual({ plan: "free", terms: null })
    settings = { ...settings, plan: "pro", terms: terms("newer") }
    expect(await second.read(token, browser)).toEqual({ plan: "pro", terms: terms("newer") })
    await expect(first.read(token, newBrowser())).rejects.toThrow("only in the browser that asked for it")
    settings = { ...settings, mode: "off" }
    await expect(first.read(token, browser)).rejects.toThrow("Nobody can sign up here any more.")
    settings = { ...settings, mode: "open" }
    expect(await accounts()).toEqual([])
    await confirm(token, browser, { terms: terms("newer") })
    expect(await accounts()).toMatchObject([{ plan: "pro" }])
    await expect(first.read(token, browser)).rejects.toThrow("The link was used already")
    await expect(first.read("pkl-short", browser)).rejects.toThrow("The link is incomplete.")
    await signIn("ann@example.com", browser)
    expect(await first.read(lastToken(), browser)).toEqual({ plan: null, terms: null })
  })

  test.each([
    ["ann@x.com\r\nBcc: bob@x.com", "must be an e-mail address"],
    ["ann@mail.blocked.example", "Addresses of this domain cannot sign up."],
  ])("%j is refused", async (email, problem) => {
    settings = { ...settings, isBlocked: async (domain) => domain.endsWith("blocked.example") }
    await expect(signUp(email)).rejects.toThrow(problem)
    expect(mails).toEqual([])
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
        nowMs: clock.now(),
        durationMs: hourMs,
        limits: null,
        random: systemRandom,
        token: ofInvitation,
      },
    )
    await admin.apply(changeOf([invited.mutation]))
    settings = { ...settings, isBlocked: async (domain) => domain === "mail.blocked.example" }
    await expectRefused(token, browser, "Addresses of this domain cannot sign up.")
    expect(await accounts()).toEqual([])
    await confirm(ofInvitation, null)
    expect(await accounts()).toMatchObject([{ name: "Bob" }])
    settings = { ...settings, isBlocked: async () => false }
    await confirm(token, browser)
  })

  test("with the modes off and invite nobody signs up, also not with a link from before", async () => {
    const { browser, token } = await link("ann@example.com")
    for (const [mode, refusal] of [
      ["off", "Nobody can sign up here any more."],
      ["invite", "Only invited people can sign up here now."],
    ] as const) {
      settings = { ...settings, mode }
      await expect(signUp("bob@example.com")).rejects.toThrow("Ask the operator of this service.")
      await expectRefused(token, browser, refusal)
    }
    settings = { ...settings, mode: "open" }
    await confirm(token, browser)
    settings = { ...settings, hasMail: false }
    await expect(signIn("ann@example.com")).rejects.toThrow("This service sends no mail")
  })

  test("an address in another script is one account, however it is written", async () => {
    const { browser, token } = await link("почта@ПРИМЕР.рф")
    await confirm(token, browser)
    expect(await accounts()).toMatchObject([{ email: "почта@xn--e1afmkfd.xn--p1ai" }])
    await signUp("ПОЧТА@пример.рф")
    expect(mails.at(-1)?.template).toBe("sign-in")
  })
})
