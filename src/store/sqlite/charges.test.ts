import type { Database } from "bun:sqlite"
import { afterAll, expect, test } from "bun:test"
import { join } from "node:path"
import fc from "fast-check"
import { tempDir } from "../../../test/support/temp.ts"
import { noWaitTimer } from "../../../test/support/timer.ts"
import type { AccountRecord, Charge, ChargeOutcome, Store, UsageRow } from "../store.ts"
import { prepareCharges } from "./charges.ts"
import { prepareLedger } from "./ledger.ts"
import { openDatabase } from "./open.ts"
import { prepareOutbox } from "./outbox.ts"
import { createSqliteStore } from "./sqlite-store.ts"

const dir = tempDir()
let files = 0
const opened: Database[] = []
afterAll(() => {
  for (const database of opened) database.close()
})

function open(file = join(dir, `charges-${files++}.db`)): Database {
  const database = openDatabase(file)
  opened.push(database)
  return database
}

const rules = { thresholds: [80, 95], now: () => 5_000, onRaised: () => {} }
const ids = ["acc_1", "acc_2", "acc_3"]
const account = (id: string): AccountRecord => ({
  id,
  name: id,
  plan: "free",
  createdMs: 0,
  closedMs: id === "acc_3" ? 1 : null,
  periodStartMs: 1_000,
  used: 0,
  bonus: 15,
})

async function openStore(database: Database): Promise<Store> {
  const store = createSqliteStore(database, { timer: noWaitTimer, notices: rules })
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

test("charges come out the same in one transaction or each in its own, whichever process takes them", async () => {
  await fc.assert(
    fc.asyncProperty(batches, async (turns) => {
      const [whole, single] = [open(), open()]
      const [together, first] = [await openStore(whole), await openStore(single)]
      const alone = [first, createSqliteStore(open(single.filename), { timer: noWaitTimer, notices: rules })]
      let count = 0
      for (const charges of turns) {
        const outcomes: ChargeOutcome[] = []
        for (const one of charges) outcomes.push(...((await alone[count++ % 2]?.charge([one])) ?? []))
        expect(await together.charge(charges)).toEqual(outcomes)
      }
      for (const id of ids) {
        expect(await together.findAccount(id)).toEqual(await first.findAccount(id))
        expect(await together.usage(id, "")).toEqual(await first.usage(id, ""))
      }
      const notices = async (database: Database) => prepareOutbox(database, noWaitTimer).list()
      expect(await notices(whole)).toEqual(await notices(single))
    }),
    { seed: 20250101, numRuns: 60 },
  )
}, 60_000)

test("what was charged is what is booked, by month, API and day, and nothing is spent that was not there", async () => {
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
          const credits = items.reduce((sum, one) => sum + one.credits, 0)
          spent.set(accountId, (spent.get(accountId) ?? 0) + credits)
        }
      }
      for (const id of ids) {
        const all: UsageRow[] = []
        for (const periodStartMs of [1_000, 2_000, 3_000]) {
          const rows = months.get(`${id} ${periodStartMs}`) ?? []
          expect(await store.monthUsage(id, periodStartMs)).toEqual(summed(rows))
          all.push(...rows)
        }
        expect(await store.usage(id, "")).toEqual(summed(all))
        expect(sumOf(all)).toBe(spent.get(id) ?? 0)
        const { used, bonus, periodStartMs } = (await store.findAccount(id)) ?? account("missing")
        const inMonth = sumOf(months.get(`${id} ${periodStartMs}`) ?? [])
        // What the month did not pay for, the bonus did, and some of that in earlier months.
        expect(inMonth - used).toBeLessThanOrEqual(15 - bonus)
        expect(used).toBeLessThanOrEqual(inMonth)
      }
    }),
    { seed: 20250102, numRuns: 60 },
  )
}, 60_000)

test.each(["constructor", "toString", "__proto__"])("usage of an API called %s is booked", async (api) => {
  const store = await openStore(open())
  const one = { accountId: "acc_1", items: [{ api, calls: 1, credits: 2 }], allowance: 100, periodStartMs: 0 }
  await store.charge([{ ...one, day: "2025-01-01" }])
  await store.charge([{ ...one, day: "2025-01-02" }])
  expect(await store.usage("acc_1", "")).toEqual([
    { day: "2025-01-02", api, calls: 1, credits: 2 },
    { day: "2025-01-01", api, calls: 1, credits: 2 },
  ])
})

test("the ledger is marked with what a month's notices have told of, and unmarked when the month is over", async () => {
  const database = open()
  const store = await openStore(database)
  const marked = () => database.query("SELECT notified FROM ledger WHERE account_id = 'acc_1'").get()
  const spend = (credits: number, periodStartMs = 1_000) => {
    const items = [{ api: "hmac", calls: 1, credits }]
    return store.charge([{ accountId: "acc_1", items, allowance: 100, periodStartMs, day: "2025-01-01" }])
  }
  await spend(79)
  expect(marked()).toEqual({ notified: 0 })
  await spend(1)
  expect(marked()).toEqual({ notified: 80 })
  await spend(15)
  expect(marked()).toEqual({ notified: 95 })
  await spend(1, 2_000)
  expect(marked()).toEqual({ notified: 0 })
  await spend(99, 2_000)
  expect(marked()).toEqual({ notified: 95 })
  const told = (await prepareOutbox(database, noWaitTimer).list()).map((one) => [
    one.periodStartMs,
    one.threshold,
    one.used,
  ])
  expect(told.sort()).toEqual([
    [1_000, 80, 80],
    [1_000, 95, 95],
    [2_000, 80, 100],
    [2_000, 95, 100],
  ])
})

test("an account is charged for every call of a turn, however few accounts are kept in memory", async () => {
  const database = open()
  const store = await openStore(database)
  const charges = prepareCharges(database, prepareLedger(database, 1), rules)
  const of = (accountId: string): Charge => {
    const items = [{ api: "hmac", calls: 1, credits: 1 }]
    return { accountId, items, allowance: 100, periodStartMs: 1_000, day: "2025-01-01" }
  }
  for (const turn of [1, 2]) {
    const outcomes = charges([of("acc_1"), of("acc_2"), of("acc_1"), of("acc_2")])
    expect(outcomes.at(-1)).toMatchObject({ used: 2 * turn })
    expect(await store.findAccount("acc_1")).toMatchObject({ used: 2 * turn })
  }
})

test("a transaction that fails leaves neither a charge nor a mark nor usage", async () => {
  const database = open()
  const store = await openStore(database)
  const items = [{ api: "hmac", calls: 1, credits: 90 }]
  const one: Charge = { accountId: "acc_1", items, allowance: 100, periodStartMs: 1_000, day: "2025-01-01" }
  // The second row of the turn cannot be written.
  database.run(
    "CREATE TRIGGER t BEFORE UPDATE ON ledger WHEN OLD.account_id = 'acc_2' BEGIN SELECT raise(ABORT, 'no'); END",
  )
  await expect(store.charge([one, { ...one, accountId: "acc_2" }])).rejects.toThrow("no")
  expect(await store.findAccount("acc_1")).toEqual(account("acc_1"))
  expect(await store.usage("acc_1", "")).toEqual([])
  expect(await prepareOutbox(database, noWaitTimer).list()).toEqual([])
  database.run("DROP TRIGGER t")
  expect(await store.charge([one, { ...one, accountId: "acc_2" }])).toMatchObject([
    { used: 90 },
    { used: 90 },
  ])
})

function sumOf(rows: readonly UsageRow[]): number {
  return rows.reduce((sum, { credits }) => sum + credits, 0)
}

/** One row a day and API, newest day first. */
function summed(rows: readonly UsageRow[]): UsageRow[] {
  const sums = new Map<string, UsageRow>()
  for (const { day, api, calls, credits } of rows) {
    const sum = sums.get(`${day} ${api}`) ?? { day, api, calls: 0, credits: 0 }
    sums.set(`${day} ${api}`, { ...sum, calls: sum.calls + calls, credits: sum.credits + credits })
  }
  return [...sums.values()].sort((a, b) => b.day.localeCompare(a.day) || a.api.localeCompare(b.api))
}
