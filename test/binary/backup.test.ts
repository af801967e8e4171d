/** Backups of a store under load, and restoring one, with the executable. */

import { expect, test } from "bun:test"
import { closeSync, openSync, readFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { tempDir } from "../support/temp.ts"
import { until } from "../support/until.ts"
import { chargedOf, seed } from "./accounts.ts"
import { startLoad, successes } from "./load.ts"
import { childrenOf, isAlive, run, runJson, serve } from "./support.ts"

const dir = tempDir()
const clients = 16

test("a backup under load is the store of one instant, and what is restored from it goes on", async () => {
  const { db, accounts } = await seed(dir, 3)
  const chargedIn = (file: string) => accounts.map(({ id }) => chargedOf(file, id))
  const workers = process.platform === "linux" ? ["--workers", "2"] : []
  const server = await serve(db, ...workers)
  const load = startLoad(
    server.url,
    accounts.map(({ key }) => key),
    { clients, calls: 1_000_000 },
  )
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
})

test.if(process.platform === "linux")(
  "a damaged header lets nothing be restored under servers and workers",
  async () => {
    const { db, accounts } = await seed(dir, 1)
    const backup = join(dir, "sound.db")
    await runJson("backup", backup, "--db", db)
    const alone = await serve(db)
    const workers = await serve(db, "--workers", "2")
    const damaged = Buffer.alloc(100, 0x5a)
    const descriptor = openSync(db, "r+")
    writeSync(descriptor, damaged, 0, damaged.length, 0)
    closeSync(descriptor)
    const refuse = async () => {
      const { code, err } = await run(["restore", backup, "--db", db])
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("is in use. Stop the server") })
      expect(readFileSync(db).subarray(0, 100)).toEqual(damaged)
    }
    await refuse()
    await alone.stop("SIGKILL")
    await refuse()
    const pids = childrenOf(workers.child.pid)
    await workers.stop("SIGKILL")
    // Workers end with their supervisor.
    await until(() => !pids.some(isAlive))
    expect((await runJson("restore", backup, "--db", db)).replaced).toStartWith(`${db}.replaced-`)
    const again = await serve(db)
    expect((await accounts[0]?.call(again.url))?.status).toBe(200)
    expect(await again.stop()).toBe(0)
  },
)
