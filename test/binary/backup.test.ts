/** Backups of a store under load, and the way back, on the executable. */

import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { join } from "node:path"
import { tempDir } from "../support/temp.ts"
import { startLoad, successes } from "./load.ts"
import { run, runJson, start } from "./support.ts"

const dir = tempDir()
const clients = 16

test("a backup under load is the store of one instant, and what is restored from it goes on", async () => {
  const db = join(dir, "live.db")
  const accounts: { id: string; key: string }[] = []
  for (const name of ["a", "b", "c"]) {
    const { id } = await runJson("account", "create", "--name", name, "--plan", "pro", "--db", db)
    accounts.push({ id, key: (await runJson("key", "create", "--account", id, "--db", db)).key })
  }
  const workers = process.platform === "linux" ? ["--workers", "2"] : []
  const server = await start(["serve", "--port", "0", "--db", db, ...workers])
  const keys = accounts.map(({ key }) => key)
  const load = startLoad(server.url, keys, { clients, calls: 1_000_000 })
  const backups: string[] = []
  for (let round = 1; round <= 5; round++) {
    await load.answered(round * 300)
    const file = join(dir, `backup-${round}.db`)
    const before = load.seen.map(successes)
    await runJson("backup", file, "--db", db)
    const after = load.seen.map(successes)
    const charged = chargedOf(file, accounts)
    for (const [index, credits] of charged.entries()) {
      expect(credits).toBeGreaterThanOrEqual(before[index] ?? Number.NaN)
      // What was charged and whose answer was still on its way.
      expect(credits).toBeLessThanOrEqual((after[index] ?? Number.NaN) + clients)
    }
    backups.push(file)
  }
  expect((await run(["restore", backups[0] ?? "", "--db", db])).err).toContain("is in use")
  expect(await server.stop()).toBe(0)
  await load.done

  const [backup = ""] = backups
  const credits = chargedOf(backup, accounts)
  const { replaced } = await runJson("restore", backup, "--db", db)
  expect(chargedOf(replaced, accounts)).not.toEqual(credits)
  const again = await start(["serve", "--port", "0", "--db", db])
  for (const [index, { id, key }] of accounts.entries()) {
    const answer = await fetch(`${again.url}/v1/bluetoothlookup?companyid=76`, {
      headers: { "x-api-key": key },
    })
    expect(answer.status).toBe(200)
    expect((await runJson("account", "show", id, "--db", db)).used).toBe((credits[index] ?? Number.NaN) + 1)
  }
  expect(await again.stop()).toBe(0)
}, 60_000)

/** Credits charged to each account, in a file that must be whole and in agreement with itself. */
function chargedOf(file: string, accounts: readonly { id: string }[]): number[] {
  const database = new Database(file, { readonly: true })
  try {
    expect(database.query("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }])
    expect(database.query("PRAGMA foreign_key_check").all()).toEqual([])
    return accounts.map(({ id }) => {
      const row = database
        .query<{ used: number; booked: number; calls: number }, [string]>(
          `SELECT used, coalesce(sum(credits), 0) AS booked, coalesce(sum(calls), 0) AS calls
           FROM ledger LEFT JOIN all_usage
             ON all_usage.account_id = ledger.account_id AND all_usage.period_start_ms = ledger.period_start_ms
           WHERE ledger.account_id = ?1`,
        )
        .get(id)
      expect(row?.booked).toBe(row?.used ?? Number.NaN)
      expect(row?.calls).toBe(row?.used ?? Number.NaN)
      return row?.used ?? Number.NaN
    })
  } finally {
    database.close()
  }
}
