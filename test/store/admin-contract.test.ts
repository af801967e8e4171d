/** Promises of the administration of every kind of store about single changes. Lists are in admin-lists.test.ts. */
import { beforeEach, describe, expect, test } from "bun:test"
import type { AdminStore } from "../../src/store/admin-reads.ts"
import type { AdminOutcome, Mutation } from "../../src/store/admin-store.ts"
import {
  accountDetailsOf,
  adminKeyOf,
  auditOf,
  changeOf,
  firstPage,
  grantOf,
  keyDetailsOf,
  replayOf,
  secretOf,
} from "../support/admin-store.ts"
import { type AnyTestStore, useOpenStores, useStoreKinds } from "../support/any-store.ts"
import { chargeOf } from "../support/store.ts"

const webhook = { url: "https://example.com/hook", secret: "whsec_AAAA", allowPrivate: false }

describe.each(useStoreKinds())("$name", ({ create }) => {
  const openStore = useOpenStores()
  let opened: AnyTestStore
  let admin: AdminStore
  let db: string

  beforeEach(async () => {
    db = await create()
    opened = await openStore(db)
    admin = opened.admin
    await admin.apply(changeOf([{ kind: "account.insert", account: accountDetailsOf() }]))
    await admin.apply(changeOf([{ kind: "key.insert", key: keyDetailsOf(), secret: secretOf("h1") }]))
  })
  const openAgain = () => openStore(db)
  const apply = (...mutations: Mutation[]) => admin.apply(changeOf(mutations))

  test("accounts come back as they were stored", async () => {
    const account = accountDetailsOf({
      id: "acc_2",
      name: `"'\\{}$1, ä`,
      externalId: "customer 7",
      metadata: '{"a":"\\u0000","b":[1]}',
      events: ["key.created"],
      bonus: 7,
    })
    expect(await apply({ kind: "account.insert", account })).toBe("applied")
    expect(await admin.findAccount("acc_2")).toStrictEqual(account)
    expect(await admin.findAccount("acc_9")).toBeNull()
    expect(await opened.store.findAccount("acc_2")).toMatchObject({ id: "acc_2", bonus: 7 })
  })

  test("accounts are changed field by field; each change raises the version", async () => {
    const id = "acc_1"
    const before = await opened.store.findKey("h1")
    const fields = { name: "New", plan: "pro", externalId: "x", metadata: '{"a":1}', events: ["key.revoked"] }
    for (const [index, [name, value]] of Object.entries({ ...fields, closedMs: 7_000 }).entries()) {
      const update: Mutation = { kind: "account.update", id, version: index + 1, set: { [name]: value } }
      expect(await apply(update)).toBe("applied")
      expect(await admin.findAccount(id)).toMatchObject({ version: index + 2, [name]: value })
    }
    const access = await opened.store.findKey("h1")
    expect(access?.account).toMatchObject({ plan: "pro", closedMs: 7_000 })
    expect(access?.revision).toBeGreaterThan(before?.revision ?? Number.NaN)
    const changed = accountDetailsOf({ ...fields, closedMs: 7_000, version: 7 })
    expect(await admin.findAccount(id)).toStrictEqual(changed)
    const set = { externalId: null, closedMs: null, metadata: "{}" }
    expect(await apply({ kind: "account.update", id, version: 7, set })).toBe("applied")
    expect(await admin.findAccount(id)).toMatchObject({ ...set, version: 8 })
  })

  test("accounts: a change for another version, of an unknown account, or to a taken external id is refused", async () => {
    await apply({ kind: "account.insert", account: accountDetailsOf({ id: "acc_2", externalId: "x" }) })
    const before = await admin.accounts({}, firstPage)
    const set = { name: "New", externalId: "x" }
    const outcomes = [
      await apply({ kind: "account.update", id: "acc_1", version: 2, set }),
      await apply({ kind: "account.update", id: "acc_9", version: 1, set }),
      await apply({ kind: "account.update", id: "acc_1", version: 1, set }),
      await apply({ kind: "account.insert", account: accountDetailsOf({ id: "acc_3", externalId: "x" }) }),
    ]
    expect(outcomes).toEqual(["conflict", "missing", "taken", "taken"])
    expect(await admin.accounts({}, firstPage)).toEqual(before)
    // Its own external id is not taken.
    expect(await apply({ kind: "account.update", id: "acc_2", version: 1, set })).toBe("applied")
  })

  test("accounts get bonus credits up to a limit", async () => {
    const grant = (id: string, credits: number) => apply(grantOf(id, credits, 15))
    const outcomes = [await grant("acc_1", 10), await grant("acc_1", 6), await grant("acc_1", 5)]
    expect([...outcomes, await grant("acc_9", 1)]).toEqual(["applied", "tooMuch", "applied", "missing"])
    expect(await admin.findAccount("acc_1")).toMatchObject({ bonus: 15, version: 1 })
  })

  test("accounts start a new month with zero usage", async () => {
    await opened.store.charge([chargeOf({ credits: 3 })])
    const renew = (id: string) => apply({ kind: "account.renew", id, createdMs: 900, periodStartMs: 2_000 })
    expect([await renew("acc_1"), await renew("acc_9")]).toEqual(["applied", "missing"])
    expect(await admin.findAccount("acc_1")).toMatchObject({
      used: 0,
      createdMs: 900,
      periodStartMs: 2_000,
      lastDay: chargeOf().day,
    })
    expect(await opened.store.usage("acc_1")).toMatchObject([{ credits: 3 }])
  })

  test("accounts: a closed account refuses charges, a reopened one takes them again", async () => {
    const close = (version: number, closedMs: number | null) =>
      apply({ kind: "account.update", id: "acc_1", version, set: { closedMs } })
    await close(1, 5_000)
    expect(await opened.store.findKey("h1")).toMatchObject({ account: { closedMs: 5_000 } })
    expect(await opened.store.charge([chargeOf()])).toEqual([{ charged: false }])
    await close(2, null)
    expect(await opened.store.findKey("h1")).toMatchObject({ account: { closedMs: null } })
    expect(await opened.store.charge([chargeOf()])).toMatchObject([{ charged: true }])
  })

  test("keys come back as they were stored", async () => {
    const key = keyDetailsOf({
      id: "key_2",
      name: "ä",
      prefix: "p-h2",
      expiresMs: 9_000,
      disabledMs: 2_000,
      allowApis: ["hmac"],
      blockApis: ["spfvalidator"],
      allowIps: ["192.0.2.0/24"],
      rateLimit: 10,
      externalId: "server 1",
      metadata: '{"a":1}',
    })
    expect(await apply({ kind: "key.insert", key, secret: secretOf("h2") })).toBe("applied")
    expect(await admin.findKey("key_2")).toStrictEqual(key)
    expect(await admin.findKey("key_9")).toBeNull()
    expect(await opened.store.findKey("h2")).toMatchObject({ key: { id: "key_2", disabledMs: 2_000 } })
  })

  test("keys of an unknown account are not made", async () => {
    const key = keyDetailsOf({ id: "key_2", accountId: "acc_9" })
    expect(await apply({ kind: "key.insert", key, secret: secretOf("h2") })).toBe("missing")
    expect(await opened.store.findKey("h2")).toBeNull()
  })

  test("keys are changed field by field, and back; each change raises the version and the revision", async () => {
    const set = {
      name: "New",
      expiresMs: 9_000,
      revokedMs: 8_000,
      disabledMs: 7_000,
      allowApis: ["hmac"],
      blockApis: ["spfvalidator"],
      allowIps: ["192.0.2.0/24"],
      rateLimit: 5,
      externalId: "x",
      metadata: '{"a":1}',
    }
    let revision = (await opened.store.findKey("h1"))?.revision ?? Number.NaN
    for (const [index, [name, value]] of Object.entries(set).entries()) {
      const set = { [name]: value }
      const update: Mutation = { kind: "key.update", id: "key_1", version: index + 1, set }
      expect(await apply(update)).toBe("applied")
      const access = await opened.store.findKey("h1")
      expect(access?.revision).toBeGreaterThan(revision)
      revision = access?.revision ?? Number.NaN
    }
    expect(await admin.findKey("key_1")).toStrictEqual(keyDetailsOf({ ...set, version: 11 }))
    const { blockApis, name, metadata, ...rest } = set
    const back = { ...Object.fromEntries(Object.keys(rest).map((field) => [field, null])), blockApis: [] }
    const update: Mutation = { kind: "key.update", id: "key_1", version: 11, set: back }
    expect(await apply(update)).toBe("applied")
    expect(await admin.findKey("key_1")).toStrictEqual(keyDetailsOf({ name, metadata, version: 12 }))
  })

  test("keys: a change for another version or of an unknown key is refused", async () => {
    const rotate = (id: string, version: number): Mutation => {
      return { kind: "key.rotate", id, version, secret: secretOf("h2"), othersUntilMs: 5_000 }
    }
    const outcomes = [
      await apply({ kind: "key.update", id: "key_1", version: 2, set: { name: "New" } }),
      await apply({ kind: "key.update", id: "key_9", version: 1, set: { name: "New" } }),
      await apply(rotate("key_1", 2)),
      await apply(rotate("key_9", 1)),
    ]
    expect(outcomes).toEqual(["conflict", "missing", "conflict", "missing"])
    expect(await admin.findKey("key_1")).toStrictEqual(keyDetailsOf())
    expect(await admin.findKeyByHash("h2")).toBeNull()
  })

  test("keys are found by their current and earlier secrets", async () => {
    const rotate = (version: number, hash: string, othersUntilMs: number) =>
      apply({ kind: "key.rotate", id: "key_1", version, secret: secretOf(hash, 2_000), othersUntilMs })
    await rotate(1, "h2", 5_000)
    await rotate(2, "h3", 9_000)
    const key = keyDetailsOf({ version: 3, prefix: "p-h3" })
    for (const [hash, secretUntilMs] of Object.entries({ h1: 5_000, h2: 9_000, h3: null })) {
      expect(await admin.findKeyByHash(hash)).toStrictEqual({ key, secretUntilMs })
      expect(await opened.store.findKey(hash)).toMatchObject({ secretUntilMs })
    }
    expect(await admin.findKeyByHash("h4")).toBeNull()
  })

  test("keys: a change by another process is seen by a look-up that asks the database", async () => {
    const other = await openAgain()
    const before = await other.store.findKey("h1")
    await apply({ kind: "key.update", id: "key_1", version: 1, set: { disabledMs: 6_000 } })
    const after = await other.store.findKeyAnew("h1", "acc_1")
    expect([before?.key.disabledMs, after?.key.disabledMs]).toEqual([null, 6_000])
    expect(after?.revision).toBeGreaterThan(before?.revision ?? Number.NaN)
  })

  test("keys: two processes that change one version: exactly one succeeds", async () => {
    const other = await openAgain()
    for (let version = 1; version <= 10; version++) {
      const outcomes = await Promise.all(
        [opened, other, opened, other].map((one, index) => {
          const set = { name: `${version} ${index}` }
          return one.admin.apply(changeOf([{ kind: "key.update", id: "key_1", version, set }]))
        }),
      )
      expect(outcomes.toSorted()).toEqual(["applied", "conflict", "conflict", "conflict"])
      const winner = outcomes.indexOf("applied")
      const found = await other.admin.findKey("key_1")
      expect(found).toMatchObject({ version: version + 1, name: `${version} ${winner}` })
    }
  })

  test("admin keys are found by their hash, and revoked once", async () => {
    const adminKey = adminKeyOf({ expiresMs: 9_000 })
    expect(await apply({ kind: "adminKey.insert", adminKey, hash: "a1" })).toBe("applied")
    expect(await admin.findAdminKey("a1")).toStrictEqual(adminKey)
    expect(await admin.findAdminKey("a2")).toBeNull()
    const revoke = (id: string, revokedMs: number) => apply({ kind: "adminKey.revoke", id, revokedMs })
    expect([await revoke("adm_1", 4_000), await revoke("adm_1", 8_000), await revoke("adm_9", 1)]).toEqual([
      "applied",
      "applied",
      "missing",
    ])
    expect(await admin.findAdminKey("a1")).toMatchObject({ revokedMs: 4_000 })
  })

  const rename = (version: number): Mutation => {
    return { kind: "key.update", id: "key_1", version, set: { name: "New" } }
  }
  const grant: Mutation = grantOf("acc_1", 5, 100)
  const everything = async () => [
    await admin.findAccount("acc_1"),
    await admin.findKey("key_1"),
    await admin.findKeyByHash("h2"),
    await admin.notices({}, firstPage),
    await admin.adminKeys(firstPage),
    await admin.audit({}, firstPage),
    await admin.findReplay("admin-key:adm_1", "again"),
    await opened.outbox.findWebhook("acc_1"),
  ]

  test("a change that is applied keeps its audit record and its replay", async () => {
    const audit = auditOf({ before: '{"name":"ci"}' })
    expect(await admin.apply(changeOf([rename(1), grant], { audit, replay: replayOf() }))).toBe("applied")
    expect(
      await admin.audit({ operation: "keys.update", fromMs: 1_000 }, { ...firstPage, limit: 1 }),
    ).toStrictEqual([audit])
    const replay = { ...replayOf(), operation: "keys.update", targetId: "key_1", answer: null }
    expect(await admin.findReplay("admin-key:adm_1", "again")).toStrictEqual(replay)
    await admin.keepAnswer("admin-key:adm_1", "again", '{"id":"key_1"}')
    expect(await admin.findReplay("admin-key:adm_1", "again")).toMatchObject({ answer: '{"id":"key_1"}' })
    expect(await admin.findReplay("admin-key:adm_2", "again")).toBeNull()
    expect(await admin.deleteReplaysBefore(1_000, 10)).toBe(0)
    expect(await admin.findReplay("admin-key:adm_1", "again")).not.toBeNull()
    expect(await admin.deleteReplaysBefore(1_001, 10)).toBe(1)
    expect(await admin.findReplay("admin-key:adm_1", "again")).toBeNull()
  })

  test("a change has a replay that is deleted by its key, but not when the key was used anew; old ones go so many at a time", async () => {
    for (const [key, createdMs] of Object.entries({ one: 1_000, two: 1_001, three: 1_002 }))
      expect(await admin.apply(changeOf([], { replay: replayOf({ key, createdMs }) }))).toBe("applied")
    const actor = "admin-key:adm_1"
    const left = async () => {
      const found = await Promise.all(["one", "two", "three"].map((key) => admin.findReplay(actor, key)))
      return found.map((replay) => replay?.key ?? null)
    }
    await admin.forgetReplay({ actor, key: "three", createdMs: 1_001 })
    await admin.forgetReplay({ actor: "admin-key:adm_2", key: "three", createdMs: 1_002 })
    expect(await left()).toEqual(["one", "two", "three"])
    expect(await admin.deleteReplaysBefore(2_000, 1)).toBe(1)
    expect(await left()).toEqual([null, "two", "three"])
    await admin.forgetReplay({ actor, key: "three", createdMs: 1_002 })
    expect(await left()).toEqual([null, "two", null])
    expect(await admin.deleteReplaysBefore(1_001, 10)).toBe(0)
  })

  test.each<[AdminOutcome, Mutation]>([
    ["conflict", rename(9)],
    ["missing", { kind: "adminKey.revoke", id: "adm_9", revokedMs: 1 }],
    ["taken", { kind: "account.insert", account: accountDetailsOf({ id: "acc_3", externalId: "x" }) }],
    ["tooMuch", grantOf("acc_1", 1_000, 100)],
  ])("a change that ends with '%s' keeps nothing of what came before", async (outcome, last) => {
    await apply({ kind: "account.insert", account: accountDetailsOf({ id: "acc_2", externalId: "x" }) })
    const before = await everything()
    const mutations: readonly Mutation[] = [
      grant,
      rename(1),
      { kind: "key.rotate", id: "key_1", version: 2, secret: secretOf("h2"), othersUntilMs: 5_000 },
      { kind: "webhook.set", accountId: "acc_1", webhook },
      { kind: "adminKey.insert", adminKey: adminKeyOf(), hash: "a1" },
      { kind: "notice.insert", id: "msg_1", accountId: "acc_1", type: "key.created", data: "{}", nowMs: 1 },
      last,
    ]
    expect(await admin.apply(changeOf(mutations, { replay: replayOf() }))).toBe(outcome)
    expect(await everything()).toEqual(before)
    expect(await opened.store.charge([chargeOf({ credits: 11 })])).toEqual([{ charged: false }])
  })

  test("a change with a used Idempotency-Key is not made again", async () => {
    expect(await admin.apply(changeOf([grant], { replay: replayOf() }))).toBe("applied")
    const before = await everything()
    const again = replayOf({ payloadHash: "other", createdMs: 2_000 })
    expect(await admin.apply(changeOf([grant, rename(9)], { replay: again }))).toBe("replayed")
    expect(await everything()).toEqual(before)
    const others = replayOf({ actor: "admin-key:adm_2" })
    expect(await admin.apply(changeOf([grantOf("acc_1", 5, 100)], { replay: others }))).toBe("applied")
  })

  test("a change that several processes make with one Idempotency-Key is made once", async () => {
    const other = await openAgain()
    const outcomes = await Promise.all(
      [opened, other, opened, other].map((one) => one.admin.apply(changeOf([grant], { replay: replayOf() }))),
    )
    expect(outcomes.toSorted()).toEqual(["applied", "replayed", "replayed", "replayed"])
    expect(await admin.findAccount("acc_1")).toMatchObject({ bonus: 5 })
    expect(await admin.audit({}, firstPage)).toHaveLength(3)
  })

  test("a change fails as a whole when its audit record cannot be kept", async () => {
    const audit = auditOf()
    expect(await admin.apply(changeOf([], { audit }))).toBe("applied")
    const before = await everything()
    const failing = changeOf([grant, rename(1)], { audit, replay: replayOf() })
    await expect(admin.apply(failing)).rejects.toThrow(/audit/)
    expect(await everything()).toEqual(before)
    expect(await opened.store.charge([chargeOf({ credits: 11 })])).toEqual([{ charged: false }])
  })

  test("times and credits may be as large as numbers are exact", async () => {
    const large = 2 ** 53 - 1
    const account = accountDetailsOf({ id: "acc_2", createdMs: large, used: large, bonus: large - 1 })
    await apply({ kind: "account.insert", account })
    const grant = (credits: number) => apply(grantOf("acc_2", credits, large))
    expect([await grant(2), await grant(1)]).toEqual(["tooMuch", "applied"])
    expect(await admin.findAccount("acc_2")).toMatchObject({ createdMs: large, used: large, bonus: large })
  })
})
