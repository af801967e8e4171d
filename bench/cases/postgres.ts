import { join } from "node:path"
import type { Finding, Goal } from "../../scripts/findings.ts"
import { systemClock } from "../../src/ports/clock.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { keepAliveTimer } from "../../src/ports/timer.ts"
import { openStore } from "../../src/store/open.ts"
import { changesOf } from "../../test/support/changes.ts"
import { startPostgres } from "../../test/support/postgres.ts"
import type { Case } from "../case.ts"
import type { Workbench } from "../workbench.ts"

/** A disk that is as slow as one over a network: each commit takes 2 ms more. */
const slowCommits = ["-c", "commit_delay=2000", "-c", "commit_siblings=0"]
const durable = ["-c", "fsync=on", "-c", "full_page_writes=on", "-c", "synchronous_commit=on"]
const manyAccounts = 10_000

/** The charges, and by how many processes at once. */
interface Setting {
  readonly title: string
  readonly accounts: number
  /** So many of 100 charges go to one of the accounts. */
  readonly hot: number
  readonly processes: number
  readonly overNaive: Goal | null
  readonly overSqlite: Goal | null
}

const many = { title: "10,000 accounts", accounts: manyAccounts, hot: 0, processes: 1 }
const one = { title: "one account", accounts: 1, hot: 0, processes: 1 }
const half = { title: "half on one of 10,000 accounts", accounts: manyAccounts, hot: 50, processes: 1 }
const noGoal = { overNaive: null, overSqlite: null }
const onFastDisk: readonly Setting[] = [
  { ...many, overNaive: { atLeast: 2 }, overSqlite: { atLeast: 0.75 } },
  { ...one, overNaive: { atLeast: 8 }, overSqlite: { atLeast: 0.6 } },
  { ...half, ...noGoal },
  { ...many, title: "10,000 accounts, 4 processes", processes: 4, ...noGoal },
  { ...one, title: "one account, 4 processes", processes: 4, ...noGoal },
]
const onSlowDisk: readonly Setting[] = [
  { ...many, title: "10,000 accounts, commits of 2 ms", overNaive: { atLeast: 3.5 }, overSqlite: null },
  { ...half, title: "half on one account, commits of 2 ms", ...noGoal },
]

export const postgres: Case = {
  name: "postgres",
  title: "charges a second, PostgreSQL beside SQLite and beside one UPDATE per charge",
  onRequest: true,
  async run(bench) {
    const file = join(bench.directory, "charges.db")
    await fill(file)
    return {
      rows: [],
      findings: [
        ...(await compareOn([], onFastDisk, file, bench)),
        ...(await compareOn(slowCommits, onSlowDisk, null, bench)),
      ],
      notes: [
        "Each process has 64 callers, beside the database on the same machine. The naive one has 16 connections.",
        "A charge in a data file is on the disk a tenth of a second after its answer, in PostgreSQL before it.",
      ],
    }
  },
}

async function compareOn(
  flags: readonly string[],
  settings: readonly Setting[],
  file: string | null,
  bench: Workbench,
): Promise<Finding[]> {
  const server = await startPostgres([...durable, ...flags])
  try {
    const db = await server.createDatabase()
    await fill(db)
    const findings: Finding[] = []
    for (const setting of settings) findings.push(...(await compareStores(setting, db, file, bench)))
    return findings
  } finally {
    await server.stop()
  }
}

async function compareStores(setting: Setting, db: string, file: string | null, bench: Workbench) {
  const { title, overNaive, overSqlite } = setting
  const naive: number[] = []
  const store: number[] = []
  const sqlite: number[] = []
  for (let round = 0; round < bench.rounds; round++) {
    bench.say(`round ${round + 1}: ${title}`)
    naive.push(await charge("naive", db, setting, bench))
    store.push(await charge("store", db, setting, bench))
    if (file !== null) sqlite.push(await charge("store", file, setting, bench))
  }
  return [
    rate(`${title}: naive, charges/s`, naive),
    rate(`${title}: PostgreSQL, charges/s`, store),
    ratio(`${title}: PostgreSQL ÷ naive`, store, naive, overNaive),
    ...(file === null
      ? []
      : [
          rate(`${title}: SQLite, charges/s`, sqlite),
          ratio(`${title}: PostgreSQL ÷ SQLite`, store, sqlite, overSqlite),
        ]),
  ]
}

/** Runs chargers at the same time, and returns their charges a second. */
async function charge(kind: string, db: string, { accounts, hot, processes }: Setting, bench: Workbench) {
  const script = join(import.meta.dir, "../servers/charger.ts")
  const command = [process.execPath, script, kind, db, String(accounts), String(hot), String(bench.seconds)]
  const children = Array.from({ length: processes }, () => Bun.spawn(command, { stderr: "inherit" }))
  const rates = await Promise.all(
    children.map(async (child) => {
      const [printed, code] = await Promise.all([child.stdout.text(), child.exited])
      if (code !== 0) throw new Error(`the charger '${kind}' ended with ${code}`)
      return Number(printed)
    }),
  )
  return rates.reduce((sum, each) => sum + each, 0)
}

async function fill(db: string): Promise<void> {
  const { store, admin } = await openStore(db, {
    timer: keepAliveTimer,
    clock: systemClock,
    random: systemRandom,
  })
  const { createAccount } = changesOf(admin)
  const times = { createdMs: 1_000, closedMs: null, periodStartMs: 1_000 }
  for (let index = 0; index < manyAccounts; index++) {
    const id = `acc_${index}`
    await createAccount({ id, name: "bench", plan: "mega", ...times, used: 0, bonus: 0 })
  }
  await store.close()
}

function rate(what: string, values: readonly number[]): Finding {
  return { what, value: Math.round(median(values)), range: rangeOf(values.map(Math.round)), goal: null }
}

function ratio(what: string, values: readonly number[], base: readonly number[], goal: Goal | null): Finding {
  const ratios = values.map((value, round) => value / (base[round] ?? Number.NaN))
  return { what, value: median(ratios), range: rangeOf(ratios), goal }
}

function rangeOf(values: readonly number[]): [number, number] {
  return [Math.min(...values), Math.max(...values)]
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}
