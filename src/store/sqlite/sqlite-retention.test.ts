import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { statSync } from "node:fs"
import { join } from "node:path"
import { tempDir } from "../../../test/support/temp.ts"
import { noWaitTimer } from "../../../test/support/timer.ts"
import { createCleaner } from "../../retention/cleaner.ts"
import { openDatabase } from "./database-file.ts"
import { createSqliteStores } from "./open-sqlite.ts"
import { createWrite } from "./read-write.ts"
import { prepareRetention } from "./sqlite-retention.ts"
import { createRun } from "./statement.ts"

const dir = tempDir()
const hourMs = 3_600_000
const maxLogBytes = 1_000_000

test("deletes no more while another process keeps the log from being emptied, and goes on afterwards", async () => {
  const file = join(dir, "log.db")
  const database = openDatabase(file)
  const { store, history, requests } = createSqliteStores(database, { timer: noWaitTimer })
  database.run("PRAGMA foreign_keys = OFF")
  const numbers = "WITH RECURSIVE n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 2999)"
  database.run(
    `INSERT INTO ledger (account_id, period_start_ms, used, bonus) ${numbers} SELECT printf('acc_%016d', n), 0, 0, 0 FROM n`,
  )
  // Each account fills a page, so each deleted row adds a page to the log.
  database.run(
    `INSERT INTO history_credits (at_ms, account_id, calls, credits) ${numbers}, h (h) AS (SELECT 0 UNION ALL SELECT h + 1 FROM h WHERE h < 29)
     SELECT h * ${hourMs}, printf('acc_%016d', n), 1, 1 FROM n CROSS JOIN h`,
  )
  database.run("PRAGMA wal_checkpoint(TRUNCATE)")
  database.run("PRAGMA wal_autocheckpoint = 500")
  const read = createRun(database, (work) => work())
  const write = createWrite(database, noWaitTimer)
  const retention = prepareRetention(database, { read, write, maxLogBytes })
  const reader = new Database(file)
  reader.run("BEGIN")
  reader.query("SELECT count(*) FROM ledger").get()

  const logged: string[] = []
  let waits = 0
  let mostBytes = 0
  const count = () =>
    database.query<{ rows: number }, []>("SELECT count(*) AS rows FROM history_credits").get()?.rows
  const cleaner = createCleaner({
    store: { history, requests, retention },
    kept: () => ({ history: 1, keepNotices: 90, keepUsage: 400, keepRequests: 0 }),
    clock: { now: () => Date.parse("2027-01-01"), monotonicMs: () => 0 },
    timer: {
      ...noWaitTimer,
      after(delayMs, run) {
        // The only pause of a clock that stands still is that for the log.
        if (++waits === 3) {
          expect([delayMs, (count() ?? 0) > 30_000]).toEqual([1_000, true])
          reader.run("COMMIT")
          reader.close()
        }
        return noWaitTimer.after(delayMs, run)
      },
      turn() {
        mostBytes = Math.max(mostBytes, statSync(`${file}-wal`).size)
        return noWaitTimer.turn()
      },
    },
    log: { warn: (message) => logged.push(message), info() {} },
  })
  await cleaner.run()
  expect([waits >= 3, count(), logged]).toEqual([true, 0, []])
  // A step may pass the limit.
  expect(mostBytes).toBeLessThan(2 * maxLogBytes)
  await store.close()
})
