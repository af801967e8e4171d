/** Promises of every kind of store about what statements are made from, for many accounts at once. */
import { beforeEach, describe, expect, test } from "bun:test"
import type { Mutation } from "../../src/store/admin-store.ts"
import { auditOf, changeOf } from "../support/admin-store.ts"
import { type AnyTestStore, runSql, useOpenStores, useStoreKinds } from "../support/any-store.ts"
import { accountOf, chargeOf } from "../support/store.ts"

const ids = ["acc_1", "acc_2", "acc_3"]
const page = { limit: 1_000, after: null }

describe.each(useStoreKinds())("$name", ({ create }) => {
  const openStore = useOpenStores()
  let db: string
  let opened: AnyTestStore

  beforeEach(async () => {
    db = await create()
    opened = await openStore(db)
    for (const id of ids) await opened.store.createAccount(accountOf({ id }))
  })

  const record = (targetId: string, ...times: readonly number[]) =>
    opened.admin.apply(changeOf([], { auditParts: times.map((atMs) => auditOf({ targetId, atMs })) }))
  const adjust = async (accountId: string, ...times: readonly number[]) => {
    const mutations = times.map((atMs): Mutation => {
      const entry = { id: `adj_${accountId}_${atMs}`, accountId, atMs, kind: "grant", credits: 1 } as const
      const more = { reason: "Granted", reference: null, undoes: null, madeBy: "ci" }
      const limits = { maxBonus: 100, mayOwe: false }
      return { kind: "account.adjust", id: accountId, entry: { ...entry, ...more }, ...limits }
    })
    expect(await opened.admin.apply(changeOf(mutations, { audit: auditOf({ atMs: 1 }) }))).toBe("applied")
  }

  test("rows are only added", async () => {
    await adjust("acc_1", 5)
    const terms = { plan: "pro", fromMs: 1, price: "€9", monthlyCredits: null }
    await opened.admin.addPlanTerms(terms)
    await opened.admin.addPlanTerms({ ...terms, price: "€8" })
    await opened.admin.addPlanTerms({ ...terms, plan: "free", fromMs: 0, price: null, monthlyCredits: 5 })
    const free = { plan: "free", fromMs: 0, price: null, monthlyCredits: 5 }
    expect(await opened.admin.planTerms()).toEqual([free, terms])
    for (const [table, column] of Object.entries({ adjustments: "credits", plan_terms: "price" }))
      for (const change of [`UPDATE ${table} SET ${column} = 6`, `DELETE FROM ${table}`])
        await expect(runSql(db, change)).rejects.toThrow(/cannot be (changed|deleted)/)
  })

  test("records, adjustments and usage of several accounts are those of each of them", async () => {
    for (const [index, id] of ids.entries()) {
      await record(id, 900, 1_100 + index, 1_300)
      await adjust(id, 900, 1_200 - index, 1_400)
      for (const day of ["2025-01-02", "2025-01-03"])
        await opened.store.charge(["key_1", "key_2"].map((keyId) => chargeOf({ accountId: id, keyId, day })))
    }
    const { admin } = opened
    const two = ["acc_3", "acc_1"]
    const records = await admin.audit({ targetIds: two, fromMs: 1_000 }, page)
    expect(records.map(({ targetId, atMs }) => [targetId, atMs])).toEqual([
      ["acc_3", 1_300],
      ["acc_1", 1_300],
      ["acc_3", 1_102],
      ["acc_1", 1_100],
    ])
    const entries = await admin.adjustments({ accountIds: two, fromMs: 1_000 }, page)
    expect(entries.map(({ accountId, atMs }) => [accountId, atMs])).toEqual([
      ["acc_3", 1_400],
      ["acc_1", 1_400],
      ["acc_1", 1_200],
      ["acc_3", 1_198],
    ])
    const last = entries[1]
    const after = last && [last.atMs, last.id]
    const one = { limit: 1, after: after ?? null }
    expect(await admin.adjustments({ accountIds: two }, one)).toEqual(entries.slice(2, 3))
    const query = { fromDay: "2025-01-01", toDay: "2025-01-31", by: ["account", "key", "api"] as const }
    const usageOf = async (accountIds: readonly string[]) =>
      (await admin.usage({ ...query, accountIds }, page)).sums
    const each = [...(await usageOf(["acc_1"])), ...(await usageOf(["acc_3"]))]
    expect(each).toHaveLength(4)
    expect(await usageOf(two)).toEqual(each)
    const first = await admin.usage({ ...query, accountIds: two }, { limit: 3, after: null })
    const rest = await admin.usage({ ...query, accountIds: two }, { limit: 3, after: first.next })
    expect([...first.sums, ...rest.sums, rest.next]).toEqual([...each, null])
  })
})
