/** Charging under races and crashes, on the executable. */

import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { tempDir } from "../support/temp.ts"
import { chargedOf, type SeededAccount, seed, seedOne } from "./accounts.ts"
import { type Load, startLoad, successes } from "./load.ts"
import { childrenOf, runJson, serve, start } from "./support.ts"

const dir = tempDir()
const linux = process.platform === "linux"
const clients = 16
/** `bun run exactness --only charge-kills-file` sets a higher number. */
const kills = Number(process.env.PENKNIFE_TEST_ROUNDS ?? 6)
/** For a busy machine. */
const timeoutMs = 300_000 + kills * 10_000

test.each(linux ? [1, 2] : [1])(
  "64 clients race 3,000 calls against 1,000 credits in %d processes: exactly 1,000 succeed",
  async (workers) => {
    const settings = join(dir, `race-${workers}.toml`)
    writeFileSync(settings, "[plans.thousand]\nmonthly_credits = 1000\n")
    const { db, id, key } = await seedOne(dir)
    await runJson("account", "set-plan", id, "thousand", "--db", db, "--config", settings)
    const argv = ["serve", "--port", "0", "--db", db, "--config", settings, "--workers", String(workers)]
    const server = await start(argv)
    const load = startLoad(server.url, [key], { clients: 64, calls: 3_000 })
    await load.done
    const exitCode = await server.stop()
    const { used, remaining } = await runJson("account", "show", id, "--db", db, "--config", settings)
    const [seen] = load.seen
    // In one comparison, so that a failure shows answers, lost calls and charges together.
    expect({
      statuses: Object.fromEntries(seen?.statuses ?? []),
      lost: Object.fromEntries(seen?.lost ?? []),
      ...{ used, remaining, usage: chargedOf(db, id), serving: load.processes.size, exitCode },
      errors: (await server.stderr).split("\n").filter((line) => line.includes('"level":"error"')),
    }).toEqual({
      ...{ statuses: { 200: 1_000, 429: 2_000 }, lost: {} },
      ...{ used: 1_000, remaining: 0, usage: 1_000, serving: workers, exitCode: 0 },
      errors: [],
    })
  },
)

test(
  `kill -9 at any moment, ${kills} times in a row: what clients saw is charged, and hardly more`,
  async () => {
    const { db, accounts } = await seed(dir, 3)
    const random = createRandom()
    const paid = new Map<string, number>()
    for (let round = 0; round < kills; round++) {
      const server = await serve(db)
      const load = startLoad(server.url, keysOf(accounts), { clients, calls: 1_000_000 })
      await load.answered(1 + random(400))
      const underWay = load.seen.map((seen) => seen.underWay)
      server.child.kill("SIGKILL")
      await Promise.all([load.done, server.child.exited])
      requireBounds(db, accounts, load, underWay, paid)
    }
  },
  timeoutMs,
)

/** Which processes of a service with two workers are killed. */
const victims: readonly [string, (supervisor: number, workers: readonly number[]) => readonly number[]][] = [
  ["a worker", (_, workers) => workers.slice(0, 1)],
  ["both workers", (_, workers) => workers],
  ["the supervisor", (supervisor) => [supervisor]],
  ["all of it", (supervisor, workers) => [supervisor, ...workers]],
]

test.if(linux).each(victims)(
  "two workers under load, kill -9 of %s: what clients saw is charged, and hardly more",
  async (_, choose) => {
    const { db, accounts } = await seed(dir, 3)
    const random = createRandom()
    const paid = new Map<string, number>()
    for (let round = 0; round < Math.ceil(kills / 6); round++) {
      const server = await serve(db, "--workers", "2")
      const workers = childrenOf(server.event.pid)
      expect(workers).toHaveLength(2)
      const load = startLoad(server.url, keysOf(accounts), { clients, calls: 1_000_000 })
      await load.answered(1 + random(400))
      const underWay = load.seen.map((seen) => seen.underWay)
      for (const pid of choose(server.event.pid, workers)) process.kill(pid, "SIGKILL")
      // The processes that are left go on for a while.
      await Promise.race([load.done, load.answered(load.total() + 50)])
      load.stop()
      server.child.kill("SIGTERM")
      // Workers whose supervisor was killed stop by themselves; the last of them closes stderr.
      await Promise.all([load.done, server.child.exited, server.stderr])
      requireBounds(db, accounts, load, underWay, paid)
    }
  },
  timeoutMs,
)

/** Successes seen ≤ charged ≤ successes and calls in progress at the kill, for each account. */
function requireBounds(
  db: string,
  accounts: readonly SeededAccount[],
  load: Load,
  underWay: readonly number[],
  paid: Map<string, number>,
): void {
  for (const [index, { id }] of accounts.entries()) {
    const seen = load.seen[index]
    if (!seen) throw new Error("one record per account")
    const charged = chargedOf(db, id) - (paid.get(id) ?? 0)
    expect(charged).toBeGreaterThanOrEqual(successes(seen))
    expect(charged).toBeLessThanOrEqual(successes(seen) + (underWay[index] ?? 0))
    expect([...seen.statuses.keys()]).toEqual([200])
    paid.set(id, (paid.get(id) ?? 0) + charged)
  }
}

const keysOf = (accounts: readonly SeededAccount[]): readonly string[] => accounts.map(({ key }) => key)

/** A fixed seed, so that a failure can be repeated. */
function createRandom(): (below: number) => number {
  let state = 20250101
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}
