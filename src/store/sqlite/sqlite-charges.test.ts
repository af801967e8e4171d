import type { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import fc from "fast-check"
import type { ChangingStore } from "../../../test/support/changes.ts"
import { accountOf, chargeOf, openTestStore, useDatabases } from "../../../test/support/store.ts"
import { noWaitTimer } from "../../../test/support/timer.ts"
import type { Charge, ChargeOutcome, UsageRow } from "../store.ts"
import { prepareLedger } from "./ledger.ts"
import { prepareCharges } from "./sqlite-charges.ts"
import { prepareOutbox } from "./sqlite-outbox.ts"

const open = useDatabases()
const notices = { thresholds: [80, 95], now: () => 5_000, onRaised: () => {} }
const storeOn = (database: Database) => openTestStore(database, { timer: noWaitTimer, notices })
const noticesOf = (database: Database) => prepareOutbox(database, noWaitTimer).list()

const ids = ["acc_1", "acc_2", "acc_3"]
const account = (id: string) => accountOf({ id, closedMs: id === "acc_3" ? 1 : null, bonus: 15 })

/** A store with two open accounts and a closed one. */
async function openStore(database: Database): Promise<ChangingStore> {
  const store = storeOn(database)
  for (const id of ids) await store.createAccount(account(id))
  return store
}

const item = fc.record({
  api: fc.constantFrom("hmac", "spfvalidator", "linesorter"),
  calls: fc.integer({ min: 1, max: 3 }),
  credits: fc.integer({ min: 0, max: 9 }),
})
const charge: fc.Arbitrary<Charge> = fc.record({
  accountId: fc.constantFrom(...ids, "acc_unknown"),
  items: fc.array(item, { minLength: 1, maxLength: 2 }),
  allowance: fc.constantFrom(20, 20, 20, 60, null),
  periodStartMs: fc.constantFrom(0, 1_000, 1_000, 1_000, 2_000, 3_000),
  day: fc.constantFrom("2025-01-01", "2025-01-01", "2025-01-02"),
})
const batches = fc.array(fc.array(charge, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 6 })

test("charges have the same outcomes in one transaction or several, by one process or two", async () => {
  await fc.assert(
    fc.asyncProperty(batches, async (turns) => {
      const [whole, single] = [open(), open()]
      const [together, first] = [await openStore(whole), await openStore(single)]
      const alone = [first, storeOn(open(single.filename))]
      let count = 0
      for (const charges of turns) {
        const outcomes: ChargeOutcome[] = []
        for (const one of charges) outcomes.push(...((await alone[count++ % 2]?.charge([one])) ?? []))
        expect(await together.charge(charges)).toEqual(outcomes)
      }
      for (const id of ids) {
        expect(await together.findAccount(id)).toEqual(await first.findAccount(id))
        expect(await together.usage(id)).toEqual(await first.usage(id))
      }
      expect(await noticesOf(whole)).toEqual(await noticesOf(single))
    }),
    { numRuns: 40 },
  )
})

test("every charge is recorded by month, API and day, and no credit is spent twice", async () => {
  await fc.assert(
    fc.asyncProperty(batches, async (turns) => {
      const store = await openStore(open())
      const months = new Map<string, UsageRow[]>()
      const spent = new Map<string, number>()
      for (const charges of turns) {
        for (const [index, outcome] of (await store.charge(charges)).entries()) {
          const { accountId, items, day } = charges[index] as Charge
          if (!outcome.charged) continue
          expect(accountId === "acc_1" || accountId === "acc_2").toBe(true)
          expect(outcome.bonus).toBeGreaterThanOrEqual(0)
          const month = `${accountId} ${outcome.periodStartMs}`
          months.set(month, [...(months.get(month) ?? []), ...items.map((one) => ({ ...one, day }))])
          spent.set(accountId, (spent.get(accountId) ?? 0) + sumOf(items))
        }
      }
      for (const id of ids) {
        const all: UsageRow[] = []
        for (const periodStartMs of [1_000, 2_000, 3_000]) {
          const rows = months.get(`${id} ${periodStartMs}`) ?? []
          expect(await store.monthUsage(id, periodStartMs)).toEqual(summed(rows))
          all.push(...rows)
        }
        expect(await store.usage(id)).toEqual(summed(all))
        expect(sumOf(all)).toBe(spent.get(id) ?? 0)
        const { used, bonus, periodStartMs } = (await store.findAccount(id)) ?? account("missing")
        const inMonth = sumOf(months.get(`${id} ${periodStartMs}`) ?? [])
        // The bonus paid what the month did not, and perhaps some of earlier months.
        expect(inMonth - used).toBeLessThanOrEqual(15 - bonus)
        expect(used).toBeLessThanOrEqual(inMonth)
      }
    }),
    { numRuns: 40 },
  )
})

test.each(["constructor", "toString", "__proto__"])("usage of an API called %s is recorded", async (api) => {
  const store = await openStore(open())
  const items = [{ api, calls: 1, credits: 2 }]
  const days = ["2025-01-01", "2025-01-02"]
  for (const day of days) await store.charge([chargeOf({ items, day })])
  const rows = days.map((day) => ({ day, api, calls: 1, credits: 2 }))
  expect(await store.usage("acc_1")).toEqual(rows.reverse())
})

test("the ledger is marked with the highest threshold of the month, and unmarked in a new month", async () => {
  const database = open()
  const store = await openStore(database)
  const marked = () => database.query("SELECT notified FROM ledger WHERE account_id = 'acc_1'").get()
  for (const [credits, periodStartMs, notified] of [
    [79, 1_000, 0],
    [1, 1_000, 80],
    [15, 1_000, 95],
    [1, 2_000, 0],
    [99, 2_000, 95],
  ] as const) {
    await store.charge([chargeOf({ credits, allowance: 100, periodStartMs })])
    expect(marked()).toEqual({ notified })
  }
  const raised = (await noticesOf(database)).map((one) => [one.periodStartMs, one.threshold, one.used])
  expect(raised.sort()).toEqual([
    [1_000, 80, 80],
    [1_000, 95, 95],
    [2_000, 80, 100],
    [2_000, 95, 100],
  ])
})

test("an account is charged for every call of a turn, however few accounts are kept in memory", async () => {
  const database = open()
  const store = await openStore(database)
  const charges = prepareCharges(database, prepareLedger(database, 1), notices)
  const batch = ["acc_1", "acc_2", "acc_1", "acc_2"].map((accountId) => chargeOf({ accountId }))
  for (const turn of [1, 2]) {
    expect(charges(batch).at(-1)).toMatchObject({ used: 2 * turn })
    expect(await store.findAccount("acc_1")).toMatchObject({ used: 2 * turn })
  }
})

test("a transaction that fails leaves no charge, no mark, no notice and no usage", async () => {
  const database = open()
  const store = await openStore(database)
  const both = ["acc_1", "acc_2"].map((accountId) => chargeOf({ accountId, credits: 90, allowance: 100 }))
  // The second row of the turn cannot be written.
  database.run(
    "CREATE TRIGGER t BEFORE UPDATE ON ledger WHEN OLD.account_id = 'acc_2' BEGIN SELECT raise(ABORT, 'no'); END",
  )
  await expect(store.charge(both)).rejects.toThrow("no")
  expect(await store.findAccount("acc_1")).toEqual(account("acc_1"))
  expect(await store.usage("acc_1")).toEqual([])
  expect(await noticesOf(database)).toEqual([])
  database.run("DROP TRIGGER t")
  expect(await store.charge(both)).toMatchObject([{ used: 90 }, { used: 90 }])
})

function sumOf(rows: readonly { readonly credits: number }[]): number {
  return rows.reduce((sum, { credits }) => sum + credits, 0)
}

/** One row per day and API, newest day first. */
function summed(rows: readonly UsageRow[]): UsageRow[] {
  const sums = new Map<string, UsageRow>()
  for (const { day, api, calls, credits } of rows) {
    const sum = sums.get(`${day} ${api}`) ?? { day, api, calls: 0, credits: 0 }
    sums.set(`${day} ${api}`, { ...sum, calls: sum.calls + calls, credits: sum.credits + credits })
  }
  return [...sums.values()].sort((a, b) => b.day.localeCompare(a.day) || a.api.localeCompare(b.api))
}
