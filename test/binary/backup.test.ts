/** Backups of a store under load, and restoring one, with the executable. */

import { expect, test } from "bun:test"
import { join } from "node:path"
import { tempDir } from "../support/temp.ts"
import { chargedOf, seed } from "./accounts.ts"
import { startLoad, successes } from "./load.ts"
import { run, runJson, serve } from "./support.ts"

const dir = tempDir()
const clients = 16

test("a backup under load is the store of one instant, and what is restored from it goes on", async () => {
  const { db, accounts } = await seed(dir, 3)
  const chargedIn = (file: string) => accounts.map(({ id }) => chargedOf(file, id))
  const workers = process.platform === "linux" ? ["--workers", "2"] : []
  const server = await serve(db, ...workers)
  const keys = accounts.map(({ key }) => key)
  const load = startLoad(server.url, keys, { clients, calls: 1_000_000 })
  const backups: string[] = []
  for (let round = 1; round <= 5; round++) {
    await load.answered(round * 300)
    const file = join(dir, `backup-${round}.db`)
    const before = load.seen.map(successes)
    await runJson("backup", file, "--db", db)
    const after = load.seen.map(successes)
    const charged = chargedIn(file)
    for (const [index, credits] of charged.entries()) {
      expect(credits).toBeGreaterThanOrEqual(before[index] ?? Number.NaN)
      // A charged call may not be answered yet.
      expect(credits).toBeLessThanOrEqual((after[index] ?? Number.NaN) + clients)
    }
    backups.push(file)
  }
  expect((await run(["restore", backups[0] ?? "", "--db", db])).err).toContain("is in use")
  expect(await server.stop()).toBe(0)
  await load.done

  const [backup = ""] = backups
  const credits = chargedIn(backup)
  const { replaced } = await runJson("restore", backup, "--db", db)
  expect(chargedIn(replaced)).not.toEqual(credits)
  const again = await serve(db)
  for (const [index, { call, used }] of accounts.entries()) {
    expect((await call(again.url)).status).toBe(200)
    expect(await used()).toBe((credits[index] ?? Number.NaN) + 1)
  }
  expect(await again.stop()).toBe(0)
}, 60_000)
