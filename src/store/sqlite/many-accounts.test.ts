import { afterAll, expect, test } from "bun:test"
import { noWaitTimer } from "../../../test/support/timer.ts"
import type { KeyAccess } from "../store.ts"
import { createAccessCache } from "./access-cache.ts"
import { prepareLedger } from "./charge.ts"
import { openDatabase } from "./database-file.ts"

/** Accounts that call in turn. To read one anew costs more than the rest of its call's work in the database. */
const ids = Array.from({ length: 100_000 }, (_, index) => `acc_${index}`)
const database = openDatabase(":memory:")
afterAll(() => database.close())

test("the keys of 100,000 accounts that call in turn stay in memory", () => {
  let loads = 0
  const cache = createAccessCache(database, noWaitTimer, () => {
    loads++
    return {} as KeyAccess
  })
  for (const id of [...ids, ...ids]) cache.find(id)
  expect(loads).toBe(ids.length)
})

test("the balances of 100,000 accounts that call in turn stay in memory", () => {
  database.run("PRAGMA foreign_keys = OFF")
  database.run(
    `INSERT INTO ledger (account_id, period_start_ms, used, bonus)
       SELECT value, 1000, 0, 0 FROM json_each(?1)`,
    [JSON.stringify(ids)],
  )
  const ledger = prepareLedger(database)
  const readAll = () => ledger.transact(() => ids.map((id) => ledger.read(id)))
  const [first, second] = [readAll(), readAll()]
  expect(first).not.toContain(null)
  expect(first.filter((entry, index) => entry !== second[index])).toHaveLength(0)
})
