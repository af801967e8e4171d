/** Statements on both stores: what they say, that a past one never changes, and who may read them. */
import { beforeEach, describe, expect, test } from "bun:test"
import { closeAccount, reopenAccount, updateAccount } from "../../src/admin/accounts/change-account.ts"
import { createAccount } from "../../src/admin/accounts/create-account.ts"
import { adjustCredits, undoAdjustment } from "../../src/admin/credits/adjust-credits.ts"
import { grantCredits, renewCredits } from "../../src/admin/credits/change-credits.ts"
import { updateKey } from "../../src/admin/keys/change-key.ts"
import { createApiKey } from "../../src/admin/keys/issue-key.ts"
import { customerPermissions } from "../../src/admin/permission.ts"
import { readStatements } from "../../src/admin/statements/make-statement.ts"
import { requireMonth } from "../../src/admin/statements/month.ts"
import { recordTerms } from "../../src/admin/statements/plan-terms.ts"
import {
  listAllMonths,
  listStatementMonths,
  listStatements,
  showStatement,
} from "../../src/admin/statements/statement.ts"
import { toRow } from "../../src/admin/statements/statement-schema.ts"
import { loadConfig } from "../../src/config/load.ts"
import {
  actorOf,
  openAdministration,
  type TestAdministration,
  type Values,
} from "../support/administration.ts"
import { type AnyTestStore, useOpenStores, useStoreKindsInTurn } from "../support/any-store.ts"
import { chargeOf } from "../support/store.ts"

describe.each(useStoreKindsInTurn(0))("$name", ({ create }) => {
  const openStore = useOpenStores()
  let opened: AnyTestStore
  let admin: TestAdministration
  let id: string
  let keyId: string

  beforeEach(async () => {
    opened = await openStore(await create())
    admin = openAdministration(opened)
    admin.clock.set("2025-01-10T12:00:00Z")
    id = String((await admin.run(createAccount, { name: "Ann", plan: "free", external_id: "c-1" })).id)
    keyId = String((await admin.run(createApiKey, { account: id, name: "ci" })).id)
  })
  const show = (month: string, values: Values = {}) => admin.run(showStatement, { id, month, ...values })
  const linesOf = ({ data }: Values) => data as Values[]
  const finality = (answer: Values) => linesOf(answer).map(({ month, final }) => `${month} ${final}`)
  const untilMarch = ["2025-03 false", "2025-02 true", "2025-01 true"]
  const charge = async (day: string, api: string, credits: number) => {
    const items = [{ api, calls: 1, credits }]
    const given = chargeOf({ accountId: id, keyId, items, day, allowance: 1_000, periodStartMs: startMs() })
    expect(await opened.store.charge([given])).toMatchObject([{ charged: true }])
  }
  const startMs = () => Date.parse("2025-01-10T12:00:00Z")
  /** The statement that a service with these settings of its plans makes. */
  const makeStatement = async (month: string, given: object) => {
    const account = await opened.admin.findAccount(id)
    const parts = { admin: opened.admin, clock: admin.clock, plans: plansOf(given) }
    const [statement] = await readStatements(account ? [account] : [], requireMonth(month), parts)
    if (!statement) throw new Error("the account must have a statement")
    return statement
  }
  const plansOf = (plans: object) =>
    loadConfig({ flags: {}, env: {}, file: { name: "p.toml", values: { plans } } }).plans

  /** A month with everything in it: three plans, a refund that is undone, a month that is started again. */
  async function fillJanuary(): Promise<void> {
    await charge("2025-01-11", "hmac", 3)
    await charge("2025-01-31", "hmac", 4)
    await charge("2025-01-31", "spfvalidator", 5)
    for (const [day, plan] of Object.entries({ "12": "pro", "13": "starter", "14": "free" })) {
      admin.clock.set(`2025-01-${day}T00:00:00Z`)
      await admin.run(updateAccount, { id, plan })
    }
    await admin.run(grantCredits, { id, credits: 100 })
    admin.clock.advance(1)
    const refund = { credits: -30, reason: "Refund", reference: "r-1" }
    const { id: taken } = await admin.run(adjustCredits, { id, ...refund })
    admin.clock.advance(1)
    await admin.run(undoAdjustment, { id: taken })
    admin.clock.set("2025-01-20T00:00:00Z")
    await admin.run(renewCredits, { id, anyway: true })
  }

  test("has the plan and its moves, renewals, each adjustment, and what was used by key and API", async () => {
    await fillJanuary()
    await charge("2025-02-01", "hmac", 1)
    admin.clock.set("2025-02-01T00:05:00Z")
    const { data, ...head } = await show("2025-01")
    expect(head).toEqual({
      account: id,
      name: "Ann",
      external_id: "c-1",
      month: "2025-01",
      from: "2025-01-01T00:00:00.000Z",
      to: "2025-02-01T00:00:00.000Z",
      final: false,
      plan: "free",
      price: null,
      granted: 600,
      adjusted: 0,
      used: 12,
      calls: 3,
      has_more: false,
      next: null,
    })
    const told = (data as Values[]).map(({ line, plan, api, key_name, credits, at, reason }) => [
      ...[line, plan ?? api, credits],
      ...[String(at ?? "").slice(0, 10), key_name ?? reason],
    ])
    expect(told).toEqual([
      ["renewal", "free", 1_000, "2025-01-10", null],
      ["sign_up", null, 500, "2025-01-10", "Sign-up bonus"],
      ["plan_change", "pro", null, "2025-01-12", null],
      ["plan_change", "starter", null, "2025-01-13", null],
      ["plan_change", "free", null, "2025-01-14", null],
      ["grant", null, 100, "2025-01-14", "Granted"],
      ["adjustment", null, -30, "2025-01-14", "Refund"],
      ["undo", null, 30, "2025-01-14", "Undo: Refund"],
      ["renewal", "free", 1_000, "2025-01-20", null],
      ["usage", "hmac", 7, "", "ci"],
      ["usage", "spfvalidator", 5, "", "ci"],
    ])
    expect(linesOf(await show("2025-02")).map(({ line, credits }) => [line, credits])).toEqual([["usage", 1]])
  })

  test("a credit month begins on the plan that the account had before a move at the same moment", async () => {
    const moveTo = (plan: string) => admin.run(updateAccount, { id, plan })
    const months = (month: string) =>
      show(month).then((shown) => linesOf(shown).map(({ line, plan, credits }) => [line, plan, credits]))
    await moveTo("starter")
    admin.clock.set("2025-02-10T12:00:00Z")
    await moveTo("pro")
    expect(await months("2025-01")).toEqual([
      ["renewal", "free", 1_000],
      ["plan_change", "starter", null],
      ["sign_up", null, 500],
    ])
    expect(await months("2025-02")).toEqual([
      ["renewal", "starter", 200_000],
      ["plan_change", "pro", null],
    ])
  })

  test("each line is a row for an invoice, and the columns add up to the sums", async () => {
    await fillJanuary()
    admin.clock.set("2025-02-03T00:00:00Z")
    await admin.run(updateAccount, { id, plan: "pro" })
    admin.clock.set("2025-03-13T00:00:00Z")
    const plans = { pro: { price: "€29 a month" } }
    const rowsOf = async (month: string) => {
      const statement = await makeStatement(month, plans)
      return { statement, rows: statement.lines.map((line) => toRow(statement, line)) }
    }
    const { statement, rows } = await rowsOf("2025-01")
    for (const row of rows)
      expect(row).toMatchObject({
        ...{ account: id, name: "Ann", month: "2025-01", final: true },
        ...{ month_plan: "free", month_price: null },
      })
    for (const column of ["granted", "adjusted", "used"] as const) {
      const sum = rows.reduce((sum, row) => sum + (row[column] ?? 0), 0)
      expect([column, sum]).toEqual([column, statement[column]])
    }
    expect(rows.filter(({ line }) => line === "plan_change")).toMatchObject([
      {
        ...{ previous_plan: "free", previous_monthly_credits: 1_000, credits: null },
        ...{
          plan: "pro",
          price: "€29 a month",
          monthly_credits: plansOf(plans).get("pro")?.monthlyCredits ?? 0,
        },
      },
      { previous_plan: "pro", plan: "starter", price: null },
      { previous_plan: "starter", plan: "free", monthly_credits: 1_000 },
    ])
    const march = await rowsOf("2025-03")
    expect(march.rows).toMatchObject([
      { line: "renewal", plan: "pro", price: "€29 a month", month_plan: "pro", month_price: "€29 a month" },
    ])
  })

  test("of a month that is over stays the same bytes, whatever happens later", async () => {
    await fillJanuary()
    admin.clock.set("2025-02-01T00:09:59Z")
    expect((await show("2025-01")).final).toBe(false)
    admin.clock.set("2025-02-01T00:10:00Z")
    const before = JSON.stringify(await show("2025-01"))
    expect(before).toContain('"final":true')
    await admin.run(updateAccount, { id, name: "Bob", plan: "pro", external_id: "other" })
    await admin.run(updateAccount, { id, name: "Cem", external_id: null })
    await admin.run(grantCredits, { id, credits: 1 })
    await charge("2025-02-01", "hmac", 9)
    await admin.run(closeAccount, { id })
    await admin.run(reopenAccount, { id, plan: "starter" })
    expect(JSON.stringify(await show("2025-01"))).toBe(before)
    admin.clock.set("2027-01-01T00:00:00Z")
    await opened.retention.setAuditFromMs(admin.clock.now())
    // The records of the sign-up, the adjustments and the key; the others tell what the account was.
    expect(await opened.retention.deleteAudit(100)).toBeGreaterThan(4)
    await opened.retention.setMonthsUntil("2026-01-01")
    for (let place: string | null = ""; place !== null; )
      place = (await opened.retention.foldUsage("2026-01-01", place, 100)).next
    expect(JSON.stringify(await show("2025-01"))).toBe(before)
    expect(await show("2025-02")).toMatchObject({ name: "Cem", external_id: null, plan: "starter", used: 9 })
    // Only the name of a key is the present one.
    await admin.run(updateKey, { id: keyId, name: "renamed" })
    const renamed = before.replaceAll('"key_name":"ci"', '"key_name":"renamed"')
    expect(JSON.stringify(await show("2025-01"))).toBe(renamed)
  })

  test("has the price and the credits that its plans had at the end of the month, and the first known before", async () => {
    const freeFor = (price: string | undefined, monthly_credits: number) => {
      return { free: { ...(price && { price }), monthly_credits } }
    }
    const terms = async () => (await opened.admin.planTerms()).filter(({ plan }) => plan === "free")
    const record = async (day: string, ...plan: Parameters<typeof freeFor>) => {
      admin.clock.set(`${day}T00:00:00Z`)
      await recordTerms({ admin: opened.admin, clock: admin.clock, plans: plansOf(freeFor(...plan)) })
    }
    const read = async (month: string, ...plan: Parameters<typeof freeFor>) => {
      const { price, lines } = await makeStatement(month, freeFor(...plan))
      return [price, lines[0]?.price, lines[0]?.monthly_credits, lines[0]?.credits]
    }
    await record("2025-02-03", "€1", 100)
    await record("2025-02-20", "€2", 200)
    await record("2025-02-20", "€2", 200)
    await record("2025-03-01", "€3", 300)
    await record("2025-03-15", undefined, 400)
    expect((await terms()).map(({ price }) => price)).toEqual(["€1", "€2", "€3", null])
    admin.clock.set("2025-03-20T00:00:00Z")
    expect(await read("2025-01", "€9", 9)).toEqual(["€1", "€1", 100, 100])
    expect(await read("2025-02", "€9", 9)).toEqual(["€2", "€2", 200, 200])
    // A month that is not over has the present ones, whatever was recorded.
    expect(await read("2025-03", "€9", 9)).toEqual(["€9", "€9", 9, 9])
    admin.clock.set("2025-04-02T00:00:00Z")
    expect(await read("2025-03", "€9", 9)).toEqual([null, null, 400, 400])
  })

  test("of the present month has the last known terms of a plan that is configured no more: no limit would be wrong", async () => {
    const plansOf = (team: object) =>
      loadConfig({ flags: {}, env: {}, file: { name: "p.toml", values: { plans: team } } }).plans
    const team = plansOf({ team: { price: "€5", monthly_credits: 70 } })
    await recordTerms({ admin: opened.admin, clock: admin.clock, plans: team })
    await opened.store.updateAccount(id, { plan: "team" })
    const account = await opened.admin.findAccount(id)
    if (!account) throw new Error("the account must be there")
    const parts = { admin: opened.admin, clock: admin.clock, plans: plansOf({}) }
    const [statement] = await readStatements([account], requireMonth("2025-01"), parts)
    const [renewal] = statement?.lines ?? []
    expect([statement?.final, statement?.price]).toEqual([false, "€5"])
    expect(renewal).toMatchObject({ plan: "team", price: "€5", monthly_credits: 70, credits: 70 })
  })

  test("of a month in which the account was closed has no renewals, also when it is opened again later", async () => {
    const renewals = async (month: string) =>
      linesOf(await show(month)).filter(({ line }) => line === "renewal").length
    admin.clock.set("2025-02-05T00:00:00Z")
    await admin.run(closeAccount, { id })
    const months = () => Promise.all(["2025-01", "2025-02", "2025-03"].map(renewals))
    admin.clock.set("2025-04-05T00:00:00Z")
    expect(await months()).toEqual([1, 0, 0])
    await admin.run(reopenAccount, { id })
    admin.clock.set("2025-05-05T00:00:00Z")
    expect([...(await months()), await renewals("2025-04")]).toEqual([1, 0, 0, 1])
  })

  test("comes in pages; a wrong month is refused; the months are listed", async () => {
    await fillJanuary()
    const first = await show("2025-01", { limit: 4 })
    const second = await show("2025-01", { limit: 1_000, after: first.next })
    expect([...linesOf(first), ...linesOf(second)]).toEqual(linesOf(await show("2025-01")))
    expect([first.has_more, second.has_more]).toEqual([true, false])
    for (const month of ["2025-1", "2025-13", "january", "", "2025-01-01"]) {
      const { code, parameter } = await admin.refusal(showStatement, { id, month })
      expect([month, code, parameter]).toEqual([month, "invalid", "month"])
    }
    for (const month of ["2024-12", "2025-02"]) {
      const { code, message } = await admin.refusal(showStatement, { id, month })
      expect([code, message]).toEqual(["invalid", expect.stringContaining("from 2025-01 to 2025-01")])
    }
    admin.clock.set("2025-03-02T00:00:00Z")
    expect(finality(await admin.run(listStatementMonths, { id }))).toEqual(untilMarch)
  })

  test("of all accounts are listed by month, without accounts that came later", async () => {
    await fillJanuary()
    admin.clock.set("2025-02-02T00:00:00Z")
    await admin.run(createAccount, { name: "Later" })
    const listed = await admin.run(listStatements, { month: "2025-01" })
    expect(linesOf(listed)).toMatchObject([{ account: id, used: 12, granted: 600, final: true }])
    const february = await admin.run(listStatements, { month: "2025-02", total: true, limit: 1 })
    expect(linesOf(february).map(({ name }) => name)).toEqual(["Later"])
    expect(february.total).toEqual({ count: 2, is_exact: true })
    const rest = await admin.run(listStatements, { month: "2025-02", after: february.next })
    expect([linesOf(rest).map(({ name }) => name), rest.has_more]).toEqual([["Ann"], false])
    const totals = await Promise.all(
      ["2024-12", "2025-01", "2025-03"].map((month) => admin.run(listStatements, { month, total: true })),
    )
    const counts = totals.map((answer) => `${linesOf(answer).length} ${(answer.total as Values).count}`)
    expect(counts).toEqual(["0 0", "1 1", "0 0"])
  })

  test("of the service are for the months since its first account", async () => {
    admin.clock.set("2025-03-02T00:00:00Z")
    await admin.run(createAccount, { name: "Later" })
    expect(finality(await admin.run(listAllMonths, {}))).toEqual(untilMarch)
  })

  test("a customer reads their own, without what is for operators, and no other's", async () => {
    await fillJanuary()
    const other = String((await admin.run(createAccount, { name: "Bob" })).id)
    const as = actorOf({ id: "portal:p_1", account: id, permissions: customerPermissions })
    const own = await admin.run(showStatement, { month: "2025-01" }, { as })
    expect(own).toMatchObject({ account: id, used: 12 })
    expect(own).not.toHaveProperty("external_id")
    expect(linesOf(await admin.run(listStatementMonths, {}, { as }))).toHaveLength(1)
    for (const operation of [showStatement, listStatementMonths]) {
      const values = { id: other, ...(operation === showStatement && { month: "2025-01" }) }
      expect((await admin.refusal(operation, values, { as })).code).toBe("not-found")
    }
    expect((await admin.refusal(listStatements, { month: "2025-01" }, { as })).code).toBe("forbidden")
  })
})
