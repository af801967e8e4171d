import { join } from "node:path"
import { systemClock } from "../../src/ports/clock.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { keepAliveTimer } from "../../src/ports/timer.ts"
import { openStore } from "../../src/store/open.ts"
import { startPostgres } from "../../test/support/postgres.ts"
import type { Case, Finding, Goal } from "../case.ts"
import type { Workbench } from "../workbench.ts"

/** A disk that is as slow as one over a network: each commit takes 2 ms more. */
const slowCommits = ["-c", "commit_delay=2000", "-c", "commit_siblings=0"]
const durable = ["-c", "fsync=on", "-c", "full_page_writes=on", "-c", "synchronous_commit=on"]

export const postgres: Case = {
  name: "postgres",
  title: "charges a second, PostgreSQL beside SQLite and beside one UPDATE per charge",
  onRequest: true,
  async run(bench) {
    const findings: Finding[] = []
    const fast = await startPostgres(durable)
    try {
      findings.push(...(await compareStores(bench, await fast.createDatabase(), 10_000, 2, 0.75)))
      findings.push(...(await compareStores(bench, await fast.createDatabase(), 1, 8, 0.6)))
    } finally {
      await fast.stop()
    }
    const slow = await startPostgres([...durable, ...slowCommits])
    try {
      const db = await slow.createDatabase()
      await fill(db, 10_000)
      const [naive, store] = await rounds(
        bench,
        [
          ["naive", db],
          ["store", db],
        ],
        10_000,
      )
      findings.push(
        ratio("10,000 accounts, commits of 2 ms: PostgreSQL ÷ naive", store ?? [], naive ?? [], {
          atLeast: 3.5,
        }),
      )
    } finally {
      await slow.stop()
    }
    return {
      rows: [],
      findings,
      notes: ["One process each, 64 charges in flight, beside the database on the same machine."],
    }
  },
}

async function compareStores(
  bench: Workbench,
  db: string,
  accounts: number,
  overNaive: number,
  overSqlite: number,
) {
  const file = join(bench.directory, `charges-${accounts}.db`)
  await fill(db, accounts)
  await fill(file, accounts)
  const [naive = [], store = [], sqlite = []] = await rounds(
    bench,
    [
      ["naive", db],
      ["store", db],
      ["store", file],
    ],
    accounts,
  )
  const title = `${accounts.toLocaleString("en")} ${accounts === 1 ? "account" : "accounts"}`
  return [
    rate(`${title}: naive, charges/s`, naive),
    rate(`${title}: PostgreSQL, charges/s`, store),
    rate(`${title}: SQLite, charges/s`, sqlite),
    ratio(`${title}: PostgreSQL ÷ naive`, store, naive, { atLeast: overNaive }),
    ratio(`${title}: PostgreSQL ÷ SQLite`, store, sqlite, { atLeast: overSqlite }),
  ]
}

/** Runs the chargers in turn, and gives the charges a second of each round. */
async function rounds(
  bench: Workbench,
  chargers: readonly (readonly [kind: string, db: string])[],
  accounts: number,
) {
  const rates = chargers.map((): number[] => [])
  for (let round = 0; round < bench.rounds; round++) {
    for (const [index, [kind, db]] of chargers.entries()) {
      bench.say(`round ${round + 1}: ${kind} on ${accounts} accounts`)
      const script = join(import.meta.dir, "../servers/charger.ts")
      const command = [process.execPath, script, kind, db, String(accounts), String(bench.seconds)]
      const child = Bun.spawn(command, { stdout: "pipe", stderr: "inherit" })
      const [printed, code] = await Promise.all([child.stdout.text(), child.exited])
      if (code !== 0) throw new Error(`the charger '${kind}' ended with ${code}`)
      rates[index]?.push(Number(printed))
    }
  }
  return rates
}

async function fill(db: string, accounts: number): Promise<void> {
  const { store } = await openStore(db, { timer: keepAliveTimer, clock: systemClock, random: systemRandom })
  for (let index = 0; index < accounts; index++) {
    const times = { createdMs: 1_000, closedMs: null, periodStartMs: 1_000 }
    await store.createAccount({
      id: `acc_${index}`,
      name: "bench",
      plan: "mega",
      ...times,
      used: 0,
      bonus: 0,
    })
  }
  await store.close()
}

function rate(what: string, values: readonly number[]): Finding {
  return { what, value: Math.round(median(values)), range: rangeOf(values.map(Math.round)), goal: null }
}

function ratio(what: string, values: readonly number[], base: readonly number[], goal: Goal): Finding {
  const ratios = values.map((value, round) => value / (base[round] ?? Number.NaN))
  return { what, value: median(ratios), range: rangeOf(ratios), goal }
}

function rangeOf(values: readonly number[]): [number, number] {
  return [Math.min(...values), Math.max(...values)]
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}
