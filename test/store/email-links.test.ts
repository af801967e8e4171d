/** Promises of every kind of store about e-mail addresses of accounts, and links that were sent to one. */
import { beforeEach, describe, expect, test } from "bun:test"
import type { AdminStore } from "../../src/store/admin-reads.ts"
import type { EmailLink, EmailLinkLimits, Mutation } from "../../src/store/admin-store.ts"
import type { OpenStore } from "../../src/store/store-options.ts"
import { mailNetworksOf } from "../../src/values/ip.ts"
import { accountDetailsOf, changeOf, firstPage } from "../support/admin-store.ts"
import { useOpenStores, useStoreKinds } from "../support/any-store.ts"

const hourMs = 3_600_000

describe.each(useStoreKinds())("$name", ({ create }) => {
  const openStore = useOpenStores()
  let other: OpenStore
  let admin: AdminStore

  beforeEach(async () => {
    const db = await create()
    admin = (await openStore(db)).admin
    // Another process that works on the same store.
    other = await openStore(db)
    await apply({ kind: "account.insert", account: accountDetailsOf({ email: "ann@example.com" }) })
  })
  const apply = (...mutations: Mutation[]) => admin.apply(changeOf(mutations))
  const insert = (hash: string, change: Partial<EmailLink> = {}, limits: EmailLinkLimits | null = null) =>
    apply({ kind: "emailLink.insert", link: linkOf({ id: `eml_${hash}`, ...change }), hash, limits })
  const use = (hash: string, nowMs = 2_000, store = admin) =>
    store.apply(changeOf([{ kind: "emailLink.use", hash, nowMs }]))

  test("an account is found by its address, and no other account gets it, also when the first is closed", async () => {
    expect(await other.admin.findAccountByEmail("ann@example.com")).toMatchObject({ id: "acc_1" })
    expect(await admin.findAccountByEmail("Ann@example.com")).toBeNull()
    expect(await admin.accounts({ email: "ann@example.com" }, firstPage)).toMatchObject([{ id: "acc_1" }])
    expect(await admin.accounts({ email: "x@example.com" }, firstPage)).toEqual([])
    await apply({ kind: "account.update", id: "acc_1", version: 1, set: { closedMs: 5 } })
    const second = accountDetailsOf({ id: "acc_2", email: "ann@example.com" })
    expect(await apply({ kind: "account.insert", account: second })).toBe("taken")
    await apply({ kind: "account.insert", account: { ...second, email: null } })
    const set = { email: "ann@example.com" }
    expect(await apply({ kind: "account.update", id: "acc_2", version: 1, set })).toBe("taken")
    await apply({ kind: "account.update", id: "acc_1", version: 2, set: { email: null } })
    expect(await apply({ kind: "account.update", id: "acc_2", version: 1, set })).toBe("applied")
    expect(await admin.findAccountByEmail("ann@example.com")).toMatchObject({ id: "acc_2" })
  })

  test("a link comes back as it was stored, and is used once, also by two processes at the same time", async () => {
    const link = linkOf({ name: `"'\\{}$1, ä`, plan: "pro", terms: "https://x.example/t", browser: "b" })
    await insert("h1", link)
    expect(await other.admin.findEmailLink("h1")).toStrictEqual({ ...link })
    const outcomes = await Promise.all([use("h1"), use("h1", 2_000, other.admin), use("h1")])
    expect(outcomes.toSorted()).toEqual(["applied", "missing", "missing"])
    expect((await admin.findEmailLink("h1"))?.usedMs).toBe(2_000)
    await insert("h2")
    expect([await use("h2", 1_000 + hourMs), await use("h3")]).toEqual(["missing", "missing"])
  })

  test("one that makes an account ends the others of its address, and none of another or that sign in", async () => {
    await insert("up")
    await insert("again")
    await insert("invited", { kind: "invitation" })
    await insert("in", { kind: "sign-in", accountId: "acc_1" })
    await insert("other", { email: "bob@example.com" })
    expect(await use("again")).toBe("applied")
    const outcomes = await Promise.all(["up", "invited", "in", "other"].map((hash) => use(hash)))
    expect(outcomes.join(" ")).toBe("missing missing applied applied")
  })

  test("nothing of a change is kept when its link was used", async () => {
    await insert("h1")
    const account = (id: string): Mutation => ({ kind: "account.insert", account: accountDetailsOf({ id }) })
    const used: Mutation = { kind: "emailLink.use", hash: "h1", nowMs: 2_000 }
    const both = (id: string): Mutation[] => [used, account(id)]
    expect([await apply(...both("acc_2")), await apply(...both("acc_3"))]).toEqual(["applied", "missing"])
    expect(await admin.findAccount("acc_3")).toBeNull()
    // And the link is not used up by a change that fails after it.
    await insert("h2")
    expect(
      await apply({ kind: "emailLink.use", hash: "h2", nowMs: 2_000 }, account("acc_4"), {
        kind: "account.update",
        id: "no",
        version: 1,
        set: { name: "x" },
      }),
    ).toBe("missing")
    expect(await use("h2")).toBe("applied")
  })

  const limitsOf = (change: Partial<EmailLinkLimits> = {}): EmailLinkLimits => ({
    asked: "sign-up",
    mailbox: "ann@example.com",
    networks: [{ name: "192.0.2.0/24", most: 100 }],
    ...{ perMailboxAndNetwork: 100, perMailbox: 100, mostPerMailbox: 100, inAll: null },
    ...change,
  })
  /** Asks so many times, each time in another browser and at another millisecond. */
  async function ask(times: number, change: Partial<EmailLinkLimits> = {}, link: Partial<EmailLink> = {}) {
    const outcomes: string[] = []
    for (let n = 0; n < times; n++) {
      const id = `q${asked++}`
      const made = { browser: id, createdMs: 1_000 + asked, expiresMs: 1_000 + asked + hourMs, ...link }
      const network = change.networks?.[0]?.name ?? "192.0.2.0/24"
      outcomes.push(await insert(id, { network, ...made }, limitsOf(change)))
    }
    return { applied: outcomes.filter((outcome) => outcome === "applied").length }
  }
  let asked = 0

  test("the questions of an hour are limited in all, by what is asked, and used links and invitations do not change it", async () => {
    const first = `q${asked}`
    expect([(await ask(3, { inAll: 3 })).applied, await use(first)]).toEqual([3, "applied"])
    await insert("invited", { kind: "invitation" })
    expect((await ask(1, { inAll: 3 })).applied).toBe(0)
    expect((await ask(2, { inAll: 2, asked: "sign-in" })).applied).toBe(2)
    // Health and metrics have the same number, of any process.
    expect(await other.gauges.signUpQuestions(2_000)).toBe(3)
    expect(await other.gauges.signUpQuestions(2_000 + hourMs)).toBe(0)
    expect((await ask(1, { inAll: 2, asked: "sign-in" })).applied).toBe(0)
    expect((await ask(1, { asked: "sign-in" })).applied).toBe(1)
    // After the hour they are gone.
    const later = { createdMs: 2_000 + hourMs, expiresMs: 2_000 + 2 * hourMs }
    expect([(await ask(1, { inAll: 3 }, later)).applied, await admin.findEmailLink(first)]).toEqual([1, null])
  })

  test("a network counts for each wider one, and for no other", async () => {
    const of = (text: string) => ({
      networks: mailNetworksOf(text).map((name, place) => ({ name, most: [2, 3, 4][place] ?? 2 })),
    })
    const narrow = "2001:db8:1:a01::1 2 2001:db8:1:a02::1 1 2001:db8:1:b01::1 1 2001:db8:1:c01::1 0"
    const others = "2001:db8:2::1 2 2001:db8:10::1 2 192.0.2.1 2 192.0.21.1 2"
    for (const [, address = "", applied] of `${narrow} ${others}`.matchAll(/(\S+) (\d)/g))
      expect([address, (await ask(3, of(address))).applied]).toEqual([address, Number(applied)])
  })

  test("of questions for a mailbox from a network a browser that has not asked gets more, each for the oldest unused link", async () => {
    const limits = { perMailboxAndNetwork: 2, asked: "sign-in" as const }
    const link = { kind: "sign-in" as const, accountId: "acc_1", browser: "attacker" }
    expect((await ask(5, limits, link)).applied).toBe(2)
    const [oldest, second] = [`q${asked - 5}`, `q${asked - 4}`]
    expect((await ask(1, limits, { ...link, browser: "customer" })).applied).toBe(1)
    const usedMs = async (hash: string) => (await admin.findEmailLink(hash))?.usedMs ?? null
    expect([await usedMs(oldest), await usedMs(second)]).toEqual([expect.any(Number), null])
    expect((await ask(1, limits, { ...link, browser: "customer" })).applied).toBe(0)
    expect((await ask(5, limits)).applied).toBe(1)
    // From another network none is replaced.
    const elsewhere = { ...limits, networks: [{ name: "198.51.100.0/24", most: 9 }] }
    expect((await ask(1, elsewhere, { ...link, browser: "third" })).applied).toBe(1)
    // And other mailboxes are not concerned.
    expect((await ask(1, { ...limits, mailbox: "bob@example.com" })).applied).toBe(1)
  })

  test("beyond the questions for a mailbox a network that has not asked gets one, up to the most", async () => {
    const limits = { perMailbox: 3, mostPerMailbox: 5 }
    const from = (n: number) => ({ ...limits, networks: [{ name: `10.0.${n}.0/24`, most: 9 }] })
    const applied: number[] = []
    for (let n = 1; n < 6; n++) applied.push((await ask(2, from(n))).applied)
    expect(applied).toEqual([2, 1, 1, 1, 0])
  })

  test("of questions that come at the same time from two processes no more are kept than the limit", async () => {
    const limits = limitsOf({ perMailbox: 3 })
    const made = Array.from({ length: 12 }, (_, n) =>
      (n % 2 === 0 ? admin : other.admin).apply(
        changeOf([{ kind: "emailLink.insert", link: linkOf({ id: `eml_${n}` }), hash: `h${n}`, limits }]),
      ),
    )
    const outcomes = await Promise.all(made)
    expect(outcomes.filter((outcome) => outcome === "applied")).toHaveLength(3)
    expect(outcomes.filter((outcome) => outcome === "tooMany")).toHaveLength(9)
  })

  test("invitations are listed, newest first, and can be taken back", async () => {
    await insert("a", { kind: "invitation", createdMs: 1 })
    await insert("b", { kind: "invitation", createdMs: 2, email: "bob@example.com" })
    await insert("c")
    const ids = async () => (await other.admin.invitations(firstPage)).map(({ id }) => id)
    expect(await ids()).toEqual(["eml_b", "eml_a"])
    expect(await apply({ kind: "emailLink.revoke", id: "eml_c" })).toBe("missing")
    expect(await apply({ kind: "emailLink.revoke", id: "eml_a" })).toBe("applied")
    expect(await apply({ kind: "emailLink.revoke", id: "eml_a" })).toBe("missing")
    await use("b")
    expect(await ids()).toEqual([])
  })

  test("signing out everywhere ends the links to the account, which count for the limits all the same", async () => {
    await insert("in", { kind: "sign-in", accountId: "acc_1" })
    await insert("up")
    await apply({ kind: "session.endAll", sessionKind: "console", owner: "acc_1" })
    expect(await admin.findEmailLink("in")).toMatchObject({ usedMs: null })
    await apply({ kind: "session.endAll", sessionKind: "portal", owner: "acc_1" })
    expect(await admin.findEmailLink("in")).toMatchObject({ usedMs: 1_000 })
    expect(await use("in")).toBe("missing")
    expect(await admin.findEmailLink("up")).toMatchObject({ usedMs: null })
  })
})

const linkOf = (change: Partial<EmailLink> = {}): EmailLink => ({
  id: "eml_1",
  kind: "sign-up",
  email: "ann@example.com",
  name: "",
  plan: null,
  terms: null,
  accountId: null,
  browser: null,
  network: "192.0.2.0/24",
  createdMs: 1_000,
  expiresMs: 1_000 + hourMs,
  usedMs: null,
  ...change,
})
