/** Promises of every kind of store about links that sign in, sessions, and the limit of keys. */
import { beforeEach, describe, expect, test } from "bun:test"
import type { AdminStore } from "../../src/store/admin-reads.ts"
import type { Mutation, SessionRecord, SignInLink } from "../../src/store/admin-store.ts"
import type { OpenStore } from "../../src/store/store-options.ts"
import {
  accountDetailsOf,
  adminKeyOf,
  changeOf,
  firstPage,
  keyDetailsOf,
  secretOf,
} from "../support/admin-store.ts"
import { useOpenStores, useStoreKinds } from "../support/any-store.ts"

describe.each(useStoreKinds())("$name", ({ create }) => {
  const openStore = useOpenStores()
  let opened: OpenStore
  let other: OpenStore
  let admin: AdminStore

  beforeEach(async () => {
    const db = await create()
    opened = await openStore(db)
    // Another process that works on the same store.
    other = await openStore(db)
    admin = opened.admin
    await apply({ kind: "account.insert", account: accountDetailsOf() })
  })
  const apply = (...mutations: Mutation[]) => admin.apply(changeOf(mutations))
  const insertLink = (hash: string, change: Partial<SignInLink> = {}) =>
    apply({ kind: "link.insert", link: linkOf(change), hash })
  const insertSession = (hash: string, change: Partial<SessionRecord> = {}, most = 100) =>
    apply({ kind: "session.insert", session: sessionOf({ id: `ses_${hash}`, ...change }), hash, most })
  /** Which of the sessions with these hashes there are. */
  async function sessionsOf(...hashes: string[]): Promise<string[]> {
    const found = await Promise.all(hashes.map((hash) => other.admin.findSession(hash)))
    return hashes.filter((_, index) => found[index] !== null)
  }

  test("what is over is deleted when something new comes, a few at a time", async () => {
    const hashes = Array.from({ length: 230 }, (_, index) => `h${index}`)
    const over = { createdMs: 1_000, expiresMs: 2_000 }
    for (const hash of hashes) {
      await insertSession(hash, { ...over, owner: hash })
      await insertLink(hash, { ...over, id: `lnk_${hash}` })
    }
    await insertSession("new", { createdMs: 3_000, expiresMs: 4_000 })
    await insertLink("new", { createdMs: 3_000, expiresMs: 4_000, id: "lnk_new" })
    const links = await Promise.all(hashes.map((hash) => admin.findSignInLink(hash)))
    const left = [await sessionsOf(...hashes), links.filter((link) => link !== null)]
    expect(left.map(({ length }) => length)).toEqual([30, 30])
    expect(await sessionsOf("new")).toEqual(["new"])
  })

  test("links come back as they were stored, and only by their hash", async () => {
    const permissions = ["keys.*", "audit.read"]
    const console = linkOf({ name: `"'\\{}$1, ä`, adminKeyId: "adm_1", permissions })
    const portal = linkOf({ id: "lnk_2", kind: "portal", owner: "acc_1", accountId: "acc_1" })
    expect([await insertLink("h1", console), await insertLink("h2", portal)]).toEqual(["applied", "applied"])
    expect(await other.admin.findSignInLink("h1")).toStrictEqual(console)
    expect(await other.admin.findSignInLink("h2")).toStrictEqual(portal)
    expect(await admin.findSignInLink("lnk_1")).toBeNull()
  })

  test("links are used once, also when two processes try at the same time", async () => {
    for (let count = 0; count < 10; count++) {
      await insertLink(`h${count}`)
      const use: Mutation = { kind: "link.use", hash: `h${count}`, nowMs: 2_000 }
      const outcomes = await Promise.all([
        admin.apply(changeOf([use])),
        other.admin.apply(changeOf([use])),
        admin.apply(changeOf([use])),
      ])
      expect(outcomes.sort()).toEqual(["applied", "missing", "missing"])
      expect(await admin.findSignInLink(`h${count}`)).toBeNull()
    }
  })

  test("links that are used a second time open no session and leave no audit record", async () => {
    await insertLink("h1")
    const open = (hash: string) =>
      apply(
        { kind: "link.use", hash: "h1", nowMs: 2_000 },
        { kind: "session.insert", session: sessionOf({ id: `ses_${hash}` }), hash, most: 100 },
      )
    expect([await open("s1"), await open("s2")]).toEqual(["applied", "missing"])
    const audits = await admin.audit({}, firstPage)
    expect(await sessionsOf("s1", "s2")).toEqual(["s1"])
    expect(audits).toHaveLength(3)
  })

  test("links are of no use from the instant of their expiry on, and are deleted with the next one", async () => {
    await insertLink("h1", { expiresMs: 5_000 })
    await insertLink("h2", { expiresMs: 5_000 })
    const use = (hash: string, nowMs: number) => apply({ kind: "link.use", hash, nowMs })
    expect([await use("h1", 4_999), await use("h2", 5_000)]).toEqual(["applied", "missing"])
    expect(await admin.findSignInLink("h2")).not.toBeNull()
    await insertLink("h3", { createdMs: 5_000, expiresMs: 9_000 })
    expect(await admin.findSignInLink("h2")).toBeNull()
    expect(await admin.findSignInLink("h3")).not.toBeNull()
  })

  test("sessions come back as they were stored, and only by their hash", async () => {
    const portal = { kind: "portal", owner: "acc_1", accountId: "acc_1", keyHash: "k1" } as const
    await insertSession("s1", { name: "ä'\"", adminKeyId: "adm_1" })
    await insertSession("s2", portal)
    expect(await other.admin.findSession("s1")).toStrictEqual(
      sessionOf({ id: "ses_s1", name: "ä'\"", adminKeyId: "adm_1" }),
    )
    expect(await other.admin.findSession("s2")).toStrictEqual(sessionOf({ id: "ses_s2", ...portal }))
    expect(await admin.findSession("ses_s1")).toBeNull()
  })

  test("sessions end at once for every process, one or all of an owner; those of others stay", async () => {
    const portal = { kind: "portal", owner: "acc_1", accountId: "acc_1" } as const
    for (const hash of ["s1", "s2", "s3"]) await insertSession(hash)
    await insertSession("s4", { owner: "cli:bob" })
    await insertSession("s5", portal)
    // An account's id may be the name of an administrator.
    await insertSession("s6", { owner: "acc_1" })
    const all = ["s1", "s2", "s3", "s4", "s5", "s6"]
    expect(await apply({ kind: "session.end", id: "ses_s1" })).toBe("applied")
    expect(await sessionsOf(...all)).toEqual(["s2", "s3", "s4", "s5", "s6"])
    expect(await apply({ kind: "session.end", id: "ses_s1" })).toBe("applied")
    await apply({ kind: "session.endAll", sessionKind: "console", owner: "cli:ann" })
    expect(await sessionsOf(...all)).toEqual(["s4", "s5", "s6"])
    await apply({ kind: "session.endAll", sessionKind: "portal", owner: "acc_1" })
    expect(await sessionsOf(...all)).toEqual(["s4", "s6"])
  })

  test("sessions end together with the links that would open others", async () => {
    const portal = { kind: "portal", owner: "acc_1", accountId: "acc_1" } as const
    await insertLink("l1")
    await insertLink("l2", { id: "lnk_2", owner: "cli:bob" })
    await insertLink("l3", { id: "lnk_3", ...portal })
    await apply({ kind: "session.endAll", sessionKind: "console", owner: "cli:ann" })
    expect(await other.admin.findSignInLink("l1")).toBeNull()
    expect(await admin.findSignInLink("l2")).not.toBeNull()
    await apply({ kind: "session.endAll", sessionKind: "portal", owner: "acc_1" })
    expect(await other.admin.findSignInLink("l3")).toBeNull()
  })

  test("sessions that have expired are deleted with the next one", async () => {
    await insertSession("s1", { expiresMs: 5_000 })
    await insertSession("s2", { expiresMs: 5_001 })
    await insertSession("s3", { createdMs: 5_000, expiresMs: 9_000 })
    expect(await sessionsOf("s1", "s2", "s3")).toEqual(["s2", "s3"])
  })

  test("sessions of one owner are so many at most; the oldest end", async () => {
    await insertSession("other", { owner: "cli:bob", createdMs: 1 })
    for (let count = 1; count <= 6; count++) await insertSession(`s${count}`, { createdMs: count }, 3)
    expect(await sessionsOf("other", "s1", "s2", "s3", "s4", "s5", "s6")).toEqual("other s4 s5 s6".split(" "))
  })

  test("sessions can be bound to another text of a key", async () => {
    await insertSession("s1", { keyHash: "k1" })
    await insertSession("s2", { keyHash: "k1" })
    await apply({ kind: "session.bind", id: "ses_s1", keyHash: "k2" })
    const hashes = [await admin.findSession("s1"), await admin.findSession("s2")]
    expect(hashes).toMatchObject([{ keyHash: "k2" }, { keyHash: "k1" }])
  })

  test("there is an admin once there is an admin key or a session of the console", async () => {
    expect(await admin.hasAdmin()).toBe(false)
    await insertLink("h1")
    await insertSession("s1", { kind: "portal", accountId: "acc_1" })
    expect(await admin.hasAdmin()).toBe(false)
    await insertSession("s2")
    expect(await other.admin.hasAdmin()).toBe(true)
    await apply({ kind: "session.end", id: "ses_s2" })
    expect(await admin.hasAdmin()).toBe(false)
    await apply({ kind: "adminKey.insert", adminKey: adminKeyOf(), hash: "a1" })
    expect(await other.admin.hasAdmin()).toBe(true)
  })

  const addKey = (store: AdminStore, id: string, more: Parameters<typeof keyDetailsOf>[0] = {}) =>
    store.apply(
      changeOf([
        { kind: "keys.limit", accountId: "acc_1", most: 3, nowMs: 5_000 },
        { kind: "key.insert", key: keyDetailsOf({ id, ...more }), secret: secretOf(`h-${id}`) },
      ]),
    )

  test("the limit of keys counts keys that were neither revoked nor expired", async () => {
    await addKey(admin, "key_1", { revokedMs: 1_000 })
    await addKey(admin, "key_2", { expiresMs: 5_000 })
    await addKey(admin, "key_3", { expiresMs: 5_001 })
    await addKey(admin, "key_4")
    expect([await addKey(admin, "key_5"), await addKey(admin, "key_6")]).toEqual(["applied", "tooMany"])
    expect(await admin.findKey("key_6")).toBeNull()
  })

  test("the limit of keys holds when several processes make keys at the same time", async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, (_, index) => addKey(index % 2 ? admin : other.admin, `key_${index}`)),
    )
    expect(outcomes.filter((outcome) => outcome === "applied")).toHaveLength(3)
    expect(await admin.keys({ accountId: "acc_1" }, firstPage)).toHaveLength(3)
  })
})

function linkOf(change: Partial<SignInLink> = {}): SignInLink {
  const owner = { owner: "cli:ann", name: "ann", permissions: ["*"], adminKeyId: null, accountId: null }
  return { id: "lnk_1", kind: "console", ...owner, createdMs: 1_000, expiresMs: 9_000, ...change }
}

function sessionOf(change: Partial<SessionRecord> = {}): SessionRecord {
  return { ...linkOf(), id: "ses_1", keyHash: null, passkeyId: null, ...change }
}
