import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { SQL } from "bun"
import type { Finding, Goal } from "../../scripts/findings.ts"
import { createSecret, hashKey } from "../../src/accounts/key.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { startPostgres } from "../../test/support/postgres.ts"
import type { Case } from "../case.ts"
import { toFinding } from "../compare.ts"
import { runLoad } from "../load.ts"
import { lookUp } from "../loads.ts"
import { startServer, usageOf } from "../processes.ts"
import type { Workbench } from "../workbench.ts"

const durable = ["-c", "fsync=on", "-c", "full_page_writes=on", "-c", "synchronous_commit=on"]
/** Each commit takes 2 ms more. */
const slowCommits = ["-c", "commit_delay=2000", "-c", "commit_siblings=0"]

/** Limits that no call reaches, so that each call takes from its limit and is charged. */
const plan = `[plans.bench]
monthly_credits = 1000000000000
requests_per_minute = 1000000
graphql_apis = "unlimited"
premium = true
`

interface Setting {
  readonly accounts: number
  readonly callers: number
  readonly isSlow: boolean
  /** For the database's processor time a call, and the calls a second: this executable's over the other's. */
  readonly goals: { readonly time?: Goal; readonly calls?: Goal }
}

const settings: readonly Setting[] = [
  { accounts: 10_000, callers: 1, isSlow: false, goals: {} },
  { accounts: 10_000, callers: 32, isSlow: false, goals: { time: { atMost: 0.65 } } },
  { accounts: 10_000, callers: 128, isSlow: false, goals: { time: { atMost: 0.65 } } },
  { accounts: 41, callers: 64, isSlow: false, goals: {} },
  { accounts: 1, callers: 64, isSlow: false, goals: {} },
  { accounts: 10_000, callers: 16, isSlow: true, goals: { calls: { atLeast: 1 } } },
  { accounts: 10_000, callers: 64, isSlow: true, goals: {} },
]

export const postgresVersions: Case = {
  name: "postgres-versions",
  title: "Calls with PostgreSQL beside another executable, --against FILE",
  onRequest: true,
  async run(bench) {
    const { against, binary, directory } = bench
    if (against === undefined) throw new Error("Name the other executable with --against FILE.")
    const config = join(directory, "postgres-versions.toml")
    await Bun.write(config, plan)
    const findings: Finding[] = []
    for (const isSlow of [false, true]) {
      const server = await startPostgres([...durable, ...(isSlow ? slowCommits : [])])
      try {
        const subjects = await Promise.all(
          [binary, against].map(async (executable) => {
            const db = await server.createDatabase({ isEmpty: true })
            return { executable, db, config, keys: await fill(executable, db, config) }
          }),
        )
        for (const setting of settings.filter((one) => one.isSlow === isSlow)) {
          const rounds: [Measured, Measured][] = []
          for (let round = 1; round <= bench.rounds; round++) {
            bench.say(`${titleOf(setting)}: round ${round} of ${bench.rounds}`)
            const measured = subjects.map(
              (subject) => () => measure(subject, setting, server.pid ?? 0, bench),
            )
            const [ours, theirs] = measured as [() => Promise<Measured>, () => Promise<Measured>]
            // The first to run finds a server with other work in its buffers: they take turns at it.
            if (round % 2 === 1) rounds.push([await ours(), await theirs()])
            else {
              const second = await theirs()
              rounds.push([await ours(), second])
            }
          }
          findings.push(...findingsOf(setting, rounds))
        }
      } finally {
        await server.stop()
      }
    }
    return {
      rows: [],
      findings,
      notes: ["GET bluetoothlookup, with a limit per minute. Each round starts new instances."],
    }
  },
}

interface Subject {
  readonly executable: string
  readonly db: string
  readonly config: string
  readonly keys: readonly string[]
}

interface Measured {
  readonly callsPerSecond: number
  /** Processor time of the database. */
  readonly databaseMicroseconds: number
}

async function measure(
  { executable, db, config, keys }: Subject,
  { accounts, callers }: Setting,
  databasePid: number,
  { directory: parent, seconds }: Workbench,
): Promise<Measured> {
  const { url, stop } = await startServer([
    executable,
    "serve",
    "--port",
    "0",
    "--db",
    db,
    "--config",
    config,
    "--json",
  ])
  const directory = join(parent, "postgres-load")
  mkdirSync(directory, { recursive: true })
  const load = (seconds: number) =>
    runLoad(lookUp(keys.slice(0, accounts)), { url, connections: callers, seconds, directory })
  const databaseMs = () => usageOf(databasePid)?.cpuMs ?? Number.NaN
  try {
    // Reads the keys into the instance's memory.
    await load(2)
    const before = databaseMs()
    const result = await load(seconds)
    return {
      callsPerSecond: result.requests / result.seconds,
      databaseMicroseconds: ((databaseMs() - before) * 1_000) / result.requests,
    }
  } finally {
    await stop()
  }
}

/** Makes the tables by the executable, and accounts in them by columns that every version has. Returns a key of each account. */
async function fill(executable: string, db: string, config: string): Promise<string[]> {
  const argv = ["account", "create", "--name", "bench", "--plan", "bench", "--db", db, "--config", config]
  const child = Bun.spawn([executable, ...argv], { stdout: "ignore", stderr: "inherit" })
  if ((await child.exited) !== 0) throw new Error(`${executable} account create failed`)
  const keys = Array.from({ length: Math.max(...settings.map(({ accounts }) => accounts)) }, () =>
    createSecret("key", systemRandom),
  )
  const hashes = keys.map(hashKey).join(",")
  const sql = new SQL(db, { max: 1 })
  const nowMs = Date.now()
  const numbered = "unnest(string_to_array($1, ',')) WITH ORDINALITY AS x (hash, n)"
  await sql.unsafe(
    `INSERT INTO accounts (id, name, plan, created_ms) SELECT 'acc_bench' || n, 'bench', 'bench', ${nowMs} FROM ${numbered}`,
    [hashes],
  )
  await sql.unsafe(
    `INSERT INTO ledger (account_id, period_start_ms, used, bonus) SELECT 'acc_bench' || n, ${nowMs}, 0, 0 FROM ${numbered}`,
    [hashes],
  )
  await sql.unsafe(
    `INSERT INTO keys (id, account_id, name, prefix, created_ms, block_apis)
      SELECT 'key_bench' || n, 'acc_bench' || n, 'bench', 'pk-bench', ${nowMs}, '[]' FROM ${numbered}`,
    [hashes],
  )
  await sql.unsafe(
    `INSERT INTO secrets (hash, key_id, created_ms) SELECT hash, 'key_bench' || n, ${nowMs} FROM ${numbered}`,
    [hashes],
  )
  await sql.unsafe("VACUUM ANALYZE")
  await sql.close()
  return keys
}

function titleOf({ accounts, callers, isSlow }: Setting): string {
  const of = accounts === 1 ? "1 account" : `${accounts.toLocaleString("en")} accounts`
  return `${callers} callers, ${of}${isSlow ? ", commits of 2 ms" : ""}`
}

function findingsOf(setting: Setting, rounds: readonly (readonly [Measured, Measured])[]): Finding[] {
  const title = titleOf(setting)
  const figure = (what: string, pick: (one: Measured) => number, goal: Goal | null) => [
    toFinding(
      `${title}: ${what}, this`,
      rounds.map(([ours]) => pick(ours)),
      null,
    ),
    toFinding(
      `${title}: ${what}, other`,
      rounds.map(([_, theirs]) => pick(theirs)),
      null,
    ),
    toFinding(
      `${title}: ${what}, this ÷ other`,
      rounds.map(([ours, theirs]) => pick(ours) / pick(theirs)),
      goal,
    ),
  ]
  return [
    ...figure(
      "database µs a call",
      ({ databaseMicroseconds }) => databaseMicroseconds,
      setting.goals.time ?? null,
    ),
    ...figure("calls/s", ({ callsPerSecond }) => callsPerSecond, setting.goals.calls ?? null),
  ]
}
