/** Promises of every kind of store about people, their passkeys and the challenges that these sign. */
import { beforeEach, describe, expect, test } from "bun:test"
import type { AdminStore } from "../../src/store/admin-reads.ts"
import type { Mutation, SessionRecord } from "../../src/store/admin-store.ts"
import type { PersonRecord } from "../../src/store/people.ts"
import { adminKeyOf, changeOf, firstPage } from "../support/admin-store.ts"
import { useOpenStores, useStoreKinds } from "../support/any-store.ts"
import { passkeyOf } from "../support/passkeys.ts"

describe.each(useStoreKinds())("$name", ({ create }) => {
  const openStore = useOpenStores()
  let admin: AdminStore
  /** Another process that works on the same store. */
  let other: AdminStore

  beforeEach(async () => {
    const db = await create()
    admin = (await openStore(db)).admin
    other = (await openStore(db)).admin
    expect(await admin.hasAdmin()).toBe(false)
    await apply({ kind: "person.insert", person: personOf() })
  })
  const apply = (...mutations: Mutation[]) => admin.apply(changeOf(mutations))
  const insert = (change: Parameters<typeof passkeyOf>[0] = {}, most = 20) =>
    apply({ kind: "passkey.insert", passkey: passkeyOf(change), most })

  test("people come back as they were stored, in the order of creation, until they are removed", async () => {
    const permissions = ["keys.*", "audit.read"]
    const second = personOf({ id: "psn_2", name: `"'\\{}$1, ä`, permissions, held: permissions })
    await apply({ kind: "person.insert", person: second })
    expect(await other.findPerson("psn_2")).toStrictEqual(second)
    expect(await other.people(firstPage)).toStrictEqual([personOf(), second])
    expect(await other.people({ limit: 1, after: [1_000, "psn_1"] })).toStrictEqual([second])
    expect(await other.hasAdmin()).toBe(true)
    const set = { permissions: ["keys.read"] }
    expect(await apply({ kind: "person.update", id: "psn_2", set })).toBe("applied")
    expect(await apply({ kind: "person.update", id: "psn_2", set: { name: "Eve" } })).toBe("applied")
    expect(await other.findPerson("psn_2")).toStrictEqual({ ...second, ...set, name: "Eve" })
    await insert()
    expect(await apply({ kind: "person.remove", id: "psn_1", removedMs: 5_000 })).toBe("applied")
    expect(await apply({ kind: "person.remove", id: "psn_1", removedMs: 6_000 })).toBe("missing")
    expect(await apply({ kind: "person.update", id: "psn_1", set })).toBe("missing")
    expect(await other.people(firstPage)).toMatchObject([{ id: "psn_2" }])
    expect(await other.findPerson("psn_1")).toStrictEqual(personOf({ removedMs: 5_000 }))
    expect(await other.passkeysOf("psn_1")).toEqual([])
    expect(await insert({ id: "psk_9", credentialId: "c9" })).toBe("missing")
  })

  test("passkeys come back as they were stored; one credential belongs to one person, who has a bounded number", async () => {
    expect([await insert(), await insert({ id: "psk_2", createdMs: 2_000 })]).toEqual(["applied", "taken"])
    expect(await insert({ id: "psk_2", credentialId: "c2", createdMs: 2_000 }, 2)).toBe("applied")
    expect(await insert({ id: "psk_3", credentialId: "c3" }, 2)).toBe("tooMany")
    const second = passkeyOf({ id: "psk_2", credentialId: "c2", createdMs: 2_000 })
    expect(await other.passkeysOf("psn_1")).toStrictEqual([passkeyOf(), second])
    expect(await other.findPasskeyByCredential("c2")).toStrictEqual(second)
    expect(await apply({ kind: "passkey.rename", id: "psk_2", name: "Blue" })).toBe("applied")
    expect(await other.findPasskey("psk_2")).toStrictEqual({ ...second, name: "Blue" })
    expect(await apply({ kind: "passkey.remove", id: "psk_2" })).toBe("applied")
    expect(await apply({ kind: "passkey.remove", id: "psk_2" })).toBe("missing")
    expect(await apply({ kind: "passkey.rename", id: "psk_2", name: "x" })).toBe("missing")
    expect(await other.findPasskeyByCredential("c2")).toBeNull()
  })

  test("a change that expects what a person held is a conflict after they have got more, or were removed", async () => {
    const expectHeld = (...held: string[]) => apply({ kind: "person.expect", id: "psn_1", held })
    expect([await expectHeld("*"), await expectHeld("keys.read"), await expectHeld()]).toEqual([
      "applied",
      "conflict",
      "conflict",
    ])
    const set = { permissions: ["keys.read"], held: ["*", "keys.read"] }
    expect(await apply({ kind: "person.update", id: "psn_1", set })).toBe("applied")
    expect(await other.findPerson("psn_1")).toStrictEqual(personOf(set))
    expect([await expectHeld("*"), await expectHeld("*", "keys.read")]).toEqual(["conflict", "applied"])
    await apply({ kind: "person.remove", id: "psn_1", removedMs: 5_000 })
    expect(await expectHeld("*", "keys.read")).toBe("conflict")
  })

  const owner: Mutation = { kind: "owner.require", nowMs: 5_000 }

  test.each([
    ["an admin key", ownerKey(), null, "applied"],
    ["one that expires later", ownerKey({ expiresMs: 5_001 }), null, "applied"],
    ["one that has expired", ownerKey({ expiresMs: 5_000 }), null, "noOwner"],
    ["a revoked one", ownerKey({ revokedMs: 4_000 }), null, "noOwner"],
    ["one with fewer permissions", ownerKey({ permissions: ["keys.*", "admins.*"] }), null, "noOwner"],
    ["a person without a passkey", null, null, "noOwner"],
    ["a person with one", null, passkeyOf(), "applied"],
    ["a person with a passkey that gives less", null, passkeyOf({ permissions: ["keys.*"] }), "noOwner"],
  ] as const)("every permission is had by: %s", async (_, adminKey, passkey, outcome) => {
    if (adminKey) await apply({ kind: "adminKey.insert", adminKey, hash: "a1" })
    if (passkey) await apply({ kind: "passkey.insert", passkey, most: 20 })
    expect(await apply(owner)).toBe(outcome)
  })

  test("of two changes at once that each take away the other one who has every permission, one counts", async () => {
    await insert()
    // Several times, since which of them comes first differs.
    for (const id of ["adm_1", "adm_2", "adm_3", "adm_4", "adm_5"]) {
      await apply({ kind: "adminKey.insert", adminKey: ownerKey({ id }), hash: id })
      const outcomes = await Promise.all([
        admin.apply(changeOf([{ kind: "adminKey.revoke", id, revokedMs: 5_000 }, owner])),
        other.apply(changeOf([{ kind: "passkey.remove", id: "psk_1" }, owner])),
      ])
      expect(outcomes.toSorted()).toEqual(["applied", "noOwner"])
      await insert()
      await apply({ kind: "adminKey.revoke", id, revokedMs: 5_000 })
    }
  })

  test("a counter must rise, unless it stays 0; of uses at the same time with one counter, one counts", async () => {
    await insert()
    const use = (counter: number, store = admin) =>
      store.apply(changeOf([{ kind: "passkey.use", id: "psk_1", counter, usedMs: 3_000 + counter }]))
    expect([await use(0), await use(0), await use(5)]).toEqual(["applied", "applied", "applied"])
    expect([await use(5), await use(4), await use(0)]).toEqual(["conflict", "conflict", "conflict"])
    expect(await other.findPasskey("psk_1")).toMatchObject({ counter: 5, usedMs: 3_005 })
    const outcomes = await Promise.all([use(6), use(6, other), use(6)])
    expect(outcomes.sort()).toEqual(["applied", "conflict", "conflict"])
  })

  test("the sessions that a passkey opened end with it", async () => {
    await insert()
    const session: Omit<SessionRecord, "id" | "passkeyId"> = {
      ...{ kind: "console", owner: "person:psn_1", name: "Ann", permissions: ["*"], adminKeyId: null },
      ...{ accountId: null, keyHash: null, createdMs: 1_000, expiresMs: 9_000 },
    }
    const open = (id: string, passkeyId: string | null) =>
      apply({ kind: "session.insert", session: { ...session, id, passkeyId }, hash: id, most: 10 })
    await open("ses_1", "psk_1")
    await open("ses_2", null)
    expect(await other.findSession("ses_1")).toStrictEqual({ ...session, id: "ses_1", passkeyId: "psk_1" })
    await apply({ kind: "passkey.remove", id: "psk_1" })
    const left = [await other.findSession("ses_1"), (await other.findSession("ses_2"))?.id]
    expect(left).toEqual([null, "ses_2"])
  })

  test("a challenge is used once, until it expires, and old ones are deleted with the next", async () => {
    const keep = (hash: string, expiresMs: number, nowMs = 1_000) =>
      admin.keepChallenge({ hash, browser: "b1", expiresMs }, nowMs)
    await keep("h1", 5_000)
    await keep("h2", 5_000)
    expect(await other.findChallenge("h1")).toStrictEqual({ hash: "h1", browser: "b1", expiresMs: 5_000 })
    const use = (hash: string, nowMs: number, store = admin) =>
      store.apply(changeOf([{ kind: "challenge.use", hash, nowMs }]))
    const outcomes = await Promise.all([use("h1", 2_000), use("h1", 2_000, other), use("h1", 2_000)])
    expect(outcomes.sort()).toEqual(["applied", "missing", "missing"])
    expect(await use("h2", 5_000)).toBe("missing")
    await keep("h3", 9_000, 5_000)
    expect([await other.findChallenge("h2"), (await other.findChallenge("h3"))?.hash]).toEqual([null, "h3"])
  })
})

const personOf = (change: Partial<PersonRecord> = {}): PersonRecord => ({
  ...{ id: "psn_1", name: "Ann", permissions: ["*"], held: ["*"], createdMs: 1_000, removedMs: null },
  ...change,
})

const ownerKey = (change: Parameters<typeof adminKeyOf>[0] = {}) =>
  adminKeyOf({ permissions: ["*"], ...change })
