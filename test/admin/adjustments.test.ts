/** Adjustments of credits on both stores: up and down, once for a reference, undone once, and debt where it is allowed. */
import { beforeEach, describe, expect, test } from "bun:test"
import { maxCredits } from "../../src/accounts/plan.ts"
import { closeAccount } from "../../src/admin/accounts/change-account.ts"
import { createAccount } from "../../src/admin/accounts/create-account.ts"
import { createAdministration } from "../../src/admin/administration.ts"
import { adjustCredits, listAdjustments, undoAdjustment } from "../../src/admin/credits/adjust-credits.ts"
import { grantCredits } from "../../src/admin/credits/change-credits.ts"
import { customerPermissions } from "../../src/admin/permission.ts"
import {
  actorOf,
  openAdministration,
  type TestAdministration,
  type Values,
} from "../support/administration.ts"
import { useOpenStores, useStoreKindsInTurn } from "../support/any-store.ts"
import { chargeOf } from "../support/store.ts"

describe.each(useStoreKindsInTurn(1))("$name", ({ create }) => {
  const openStore = useOpenStores()
  let admin: TestAdministration
  let id: string

  beforeEach(async () => {
    admin = openAdministration(await openStore(await create()))
    // The plan free begins with 500 credits.
    id = String((await admin.run(createAccount, { name: "Ann", plan: "free" })).id)
    admin.clock.advance(1)
  })
  const adjust = (credits: number, more: Values = {}) =>
    admin.run(adjustCredits, { id, credits, reason: "Why", ...more })
  const refusal = (credits: unknown, more: Values = {}) =>
    admin.refusal(adjustCredits, { id, credits, reason: "Why", ...more })
  const bonus = async () => {
    const found = await admin.parts.admin.findAccount(id)
    return [found?.bonus, found?.debt]
  }
  const entries = async (values: Values = {}) =>
    (await admin.run(listAdjustments, { id, ...values })).data as Values[]

  test("credits go up and down to zero, with a list of why, newest first", async () => {
    expect(await adjust(100, { reference: "pay_1" })).toMatchObject({
      account: id,
      kind: "adjustment",
      credits: 100,
      reference: "pay_1",
      made_by: "ci",
    })
    admin.clock.advance(1)
    await admin.run(grantCredits, { id, credits: 7 })
    admin.clock.advance(1)
    await adjust(-607)
    expect(await bonus()).toEqual([0, 0])
    const found = await entries()
    expect(found.map(({ kind, credits, reason }) => [kind, credits, reason])).toEqual([
      ["adjustment", -607, "Why"],
      ["grant", 7, "Granted"],
      ["adjustment", 100, "Why"],
      ["sign_up", 500, "Sign-up bonus"],
    ])
    expect((await entries({ limit: 1 })).map(({ credits }) => credits)).toEqual([-607])
  })

  test("what is wrong is refused by the name of its parameter, and changes nothing", async () => {
    const refused = async (credits: unknown, more?: Values) => {
      const { code, message, parameter } = await refusal(credits, more)
      return [code, parameter, message]
    }
    expect(await refused(0)).toEqual(["invalid", "credits", "The 'credits' parameter must not be 0."])
    for (const wrong of [1.5, maxCredits + 1, -maxCredits - 1, "many"])
      expect((await refused(wrong)).slice(0, 2)).toEqual(["invalid", "credits"])
    expect((await refused(5, { reason: "" })).slice(0, 2)).toEqual(["invalid", "reason"])
    expect((await refused(5, { reason: "a\u0007b" })).slice(0, 2)).toEqual(["invalid", "reason"])
    expect((await refused(5, { reference: "a\nb" })).slice(0, 2)).toEqual(["invalid", "reference"])
    expect(await refused(-501)).toEqual([
      "conflict",
      "credits",
      `Account '${id}' has 500 bonus credits; take 500 at most. A service with --allow-debt lets an account owe credits.`,
    ])
    expect(await refused(maxCredits)).toEqual([
      "conflict",
      "credits",
      `The bonus of an account can be ${maxCredits} credits at most; '${id}' has 500: add ${maxCredits - 500} or less.`,
    ])
    expect(await bonus()).toEqual([500, 0])
    await adjust(-500)
    expect((await refused(-1))[2]).toBe(
      `Account '${id}' has 0 bonus credits; there are none to take. A service with --allow-debt lets an account owe credits.`,
    )
    await admin.run(closeAccount, { id })
    expect((await refused(5))[0]).toBe("conflict")
    expect(await entries()).toHaveLength(2)
  })

  test("the same reference and credits are done once, also at the same time; other credits are refused", async () => {
    const answers = await Promise.all([1, 2, 3].map(() => adjust(-20, { reference: "refund 7" })))
    expect(new Set(answers.map((answer) => answer.id)).size).toBe(1)
    expect(await bonus()).toEqual([480, 0])
    const records = (await admin.audit()).filter(({ operation }) => operation === "credits.adjust")
    const named = records.map(({ accountId, after }) => [accountId, JSON.parse(after ?? "").account])
    expect(named).toEqual([[id, id]])
    const { code, parameter } = await refusal(-21, { reference: "refund 7" })
    expect([code, parameter]).toEqual(["conflict", "reference"])
    const other = String((await admin.run(createAccount, { name: "Bob" })).id)
    await adjust(-20, { id: other, reference: "refund 7" })
    expect(await bonus()).toEqual([480, 0])
  })

  test("an adjustment is undone once, by an entry that names it", async () => {
    const { id: entry } = await adjust(50)
    const undone = await Promise.allSettled([1, 2].map(() => admin.run(undoAdjustment, { id: entry })))
    expect(undone.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"])
    expect(await bonus()).toEqual([500, 0])
    const [undo, first] = (await entries()).filter(({ kind }) => kind !== "sign_up").sort(byKind)
    expect(undo).toMatchObject({ kind: "undo", credits: -50, undoes: entry, reason: "Undo: Why" })
    expect(first).toMatchObject({ id: entry, undone_by: undo?.id })
    const again = await admin.refusal(undoAdjustment, { id: entry })
    expect([again.code, again.message]).toEqual(["conflict", expect.stringContaining("was undone by")])
    const ofUndo = await admin.refusal(undoAdjustment, { id: undo?.id })
    expect([ofUndo.code, ofUndo.message]).toEqual(["conflict", expect.stringContaining("adjust the credits")])
    expect((await admin.refusal(undoAdjustment, { id: "adj_none" })).code).toBe("not-found")
  })

  test("a mistaken grant is taken back, unless its credits were spent", async () => {
    await admin.run(grantCredits, { id, credits: 300 })
    const grant = (await entries()).find(({ kind }) => kind === "grant")
    const spent = chargeOf({ accountId: id, allowance: 0, credits: 700 })
    expect(await admin.opened.store.charge([spent])).toMatchObject([{ charged: true, bonus: 100 }])
    expect((await admin.refusal(undoAdjustment, { id: grant?.id })).code).toBe("conflict")
    await adjust(200)
    await admin.run(undoAdjustment, { id: grant?.id })
    expect(await bonus()).toEqual([0, 0])
  })

  test("with debt allowed the bonus goes below zero, calls see none, and what is added pays the debt first", async () => {
    const owing = createAdministration({ ...admin.parts, mayOwe: true })
    const take = (credits: number) =>
      owing.run(adjustCredits, { kind: "typed", values: { id, credits, reason: "Chargeback" } }, actorOf())
    await take(-800)
    expect(await bonus()).toEqual([0, 300])
    expect((await admin.refusal(adjustCredits, { id, credits: -1, reason: "Why" })).code).toBe("conflict")
    const charge = (credits: number) =>
      admin.opened.store.charge([chargeOf({ accountId: id, allowance: 10, credits })])
    expect(await charge(10)).toMatchObject([{ charged: true, used: 10, bonus: 0 }])
    expect(await charge(1)).toMatchObject([{ charged: false }])
    await adjust(100)
    expect(await bonus()).toEqual([0, 200])
    await adjust(250)
    expect(await bonus()).toEqual([50, 0])
    expect(await charge(50)).toMatchObject([{ charged: true, bonus: 0 }])
    await expect(take(-maxCredits)).resolves.toBeDefined()
    await expect(take(-1)).rejects.toThrow("can owe")
  })

  test("a customer sees their own entries without who made them, and cannot adjust", async () => {
    await adjust(5)
    const other = String((await admin.run(createAccount, { name: "Bob" })).id)
    const as = actorOf({ id: "portal:p_1", account: id, permissions: customerPermissions })
    const { data } = await admin.run(listAdjustments, {}, { as })
    expect(data).toMatchObject([{ credits: 5 }, { credits: 500 }])
    expect(JSON.stringify(data)).not.toContain("made_by")
    expect((await admin.refusal(listAdjustments, { id: other }, { as })).code).toBe("not-found")
    const own = await admin.refusal(adjustCredits, { id, credits: 5, reason: "x" }, { as })
    expect(own.code).toBe("forbidden")
    const { data: all } = await admin.run(listAdjustments, { id })
    expect((await admin.refusal(undoAdjustment, { id: (all as Values[])[0]?.id }, { as })).code).toBe(
      "forbidden",
    )
  })
})

const byKind = (a: Values, b: Values): number => (String(b.kind) < String(a.kind) ? -1 : 1)
