import type { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import type { ChangingStore } from "../../../test/support/changes.ts"
import { accountOf, chargeOf, openTestStore, useDatabases } from "../../../test/support/store.ts"
import { noWaitTimer } from "../../../test/support/timer.ts"
import { prepareCharges, prepareLedger } from "./charge.ts"
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
  const wanted = ["1000 80 80", "1000 95 95", "2000 80 100", "2000 95 100"]
  expect(raised.map((one) => one.join(" ")).sort()).toEqual(wanted)
})

test("an account is charged for every call of a turn, however few accounts are kept in memory", async () => {
  const database = open()
  const store = await openStore(database)
  const charges = prepareCharges(database, prepareLedger(database, 1), notices, () => {})
  const batch = ["acc_1", "acc_2", "acc_1", "acc_2"].map((accountId) => chargeOf({ accountId }))
  for (const turn of [1, 2]) {
    expect(charges(batch).at(-1)).toMatchObject({ used: 2 * turn })
    expect(await store.findAccount("acc_1")).toMatchObject({ used: 2 * turn })
  }
})
