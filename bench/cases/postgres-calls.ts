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
/** The instances beside each other have so many accounts. */
const fewAccounts = 1_000
/** A call must cost the database about the same with many accounts as with few. */
const accountCounts = [41, 10_000, 100_000]
const mostOverFewest: Goal = { atMost: 1.3 }

interface Target {
  readonly title: string
  readonly db: string
  readonly keys: readonly string[]
  readonly instances: number
  /** The database's first process; null for a data file. */
  readonly databasePid: number | null
}

export const postgresCalls: Case = {
  name: "postgres-calls",
  title: "whole metered calls over HTTP, of instances beside PostgreSQL and of one with a data file",
  onRequest: true,
  async run(bench) {
    const server = await startPostgres(durable)
    try {
      const { file, keys: fileKeys } = await bench.store(fewAccounts, 1)
      const databasePid = server.pid
      const common = { instances: 1, databasePid }
      const db = await server.createDatabase()
      const keys = await addAccounts(db, fewAccounts, "enterprise")
      const targets: Target[] = [
        { title: "data file", db: file, keys: fileKeys, instances: 1, databasePid: null },
        { title: "PostgreSQL, 1 instance", db, keys, ...common },
        { title: "PostgreSQL, 2 instances", db, keys, ...common, instances: 2 },
      ]
      const sizes: Target[] = []
      for (const count of accountCounts) {
        const db = await server.createDatabase()
        // Keys are random, so that in the order of their texts calls do not follow the order of the rows.
        const keys = (await addAccounts(db, count, "enterprise")).sort()
        sizes.push({ title: `PostgreSQL, ${count.toLocaleString("en")} accounts`, db, keys, ...common })
      }
      const measured = new Map<Target, Measured[]>([...targets, ...sizes].map((target) => [target, []]))
      for (let round = 0; round < bench.rounds; round++)
        for (const [target, rounds] of measured) {
          bench.say(`round ${round + 1}: ${target.title}`)
          rounds.push(await measure(target, bench))
        }
      const databaseTimes = ([target]: readonly Target[]) =>
        (target && measured.get(target))?.map(({ databaseMicroseconds }) => databaseMicroseconds) ?? []
      const fewest = databaseTimes(sizes)
      const most = databaseTimes(sizes.slice(-1))
      return {
        rows: [],
        findings: [
          ...[...measured].flatMap(([{ title }, rounds]) => findingsOf(title, rounds)),
          toFinding(
            `database's processor µs a call, ${accountCounts.at(-1)} accounts ÷ ${accountCounts[0]}`,
            most.map((value, round) => value / (fewest[round] ?? Number.NaN)),
            mostOverFewest,
          ),
        ],
        notes: [
          `GET bluetoothlookup with the keys of ${fewAccounts} accounts in turn where no other number is named.`,
          "Each key was called once before.",
        ],
      }
    } finally {
      await server.stop()
    }
  },
}

interface Measured {
  readonly callsPerSecond: number
  readonly instanceMicroseconds: number
  readonly databaseMicroseconds: number
}

/** Starts the instances, calls with each key, and then loads all of them at once. */
async function measure({ db, keys, instances, databasePid }: Target, bench: Workbench): Promise<Measured> {
  const command = [bench.binary, "serve", "--port", "0", "--db", db, "--json"]
  const servers = await Promise.all(Array.from({ length: instances }, () => startServer(command)))
  const load = (seconds: number, chosen = keys) =>
    Promise.all(
      servers.map(({ url }, index) => {
        const directory = join(bench.directory, `load-${index}`)
        mkdirSync(directory, { recursive: true })
        const connections = Math.ceil(bench.connections / instances)
        return runLoad(lookUp(chosen), { url, connections, seconds, directory })
      }),
    )
  const instanceMs = () => servers.reduce((sum, { pid }) => sum + usageOf(pid).cpuMs, 0)
  const databaseMs = () => (databasePid === null ? 0 : usageOf(databasePid).cpuMs)
  try {
    // Each load begins with the first of its keys.
    for (let called = 0; called < keys.length; )
      called += Math.min(...(await load(2, keys.slice(called))).map(({ requests }) => requests))
    const [instancesBefore, databaseBefore] = [instanceMs(), databaseMs()]
    const results = await load(bench.seconds)
    const calls = results.reduce((sum, { requests }) => sum + requests, 0)
    return {
      callsPerSecond: results.reduce((sum, { requests, seconds }) => sum + requests / seconds, 0),
      instanceMicroseconds: ((instanceMs() - instancesBefore) * 1_000) / calls,
      databaseMicroseconds: ((databaseMs() - databaseBefore) * 1_000) / calls,
    }
  } finally {
    for (const server of servers) await server.stop()
  }
}

function findingsOf(title: string, rounds: readonly Measured[]): Finding[] {
  const figure = (what: string, pick: (one: Measured) => number) =>
    toFinding(`${title}: ${what}`, rounds.map(pick), null)
  return [
    figure("calls/s", ({ callsPerSecond }) => callsPerSecond),
    figure("instances' processor µs a call", ({ instanceMicroseconds }) => instanceMicroseconds),
    figure("database's processor µs a call", ({ databaseMicroseconds }) => databaseMicroseconds),
  ]
}

/**
 * Adds accounts to a database that has its tables, by statements on columns that every version has.
 * @returns a key of each account
 */
async function addAccounts(db: string, count: number, plan: string): Promise<string[]> {
  const keys = Array.from({ length: count }, () => createSecret("key", systemRandom))
  const hashes = keys.map(hashKey).join(",")
  const nowMs = Date.now()
  const numbered = "unnest(string_to_array($1, ',')) WITH ORDINALITY AS x (hash, n)"
  const statements = [
    `INSERT INTO accounts (id, name, plan, created_ms) SELECT 'acc_bench' || n, 'bench', '${plan}', ${nowMs} FROM ${numbered}`,
    `INSERT INTO ledger (account_id, period_start_ms, used, bonus) SELECT 'acc_bench' || n, ${nowMs}, 0, 0 FROM ${numbered}`,
    `INSERT INTO keys (id, account_id, name, prefix, created_ms, block_apis)
      SELECT 'key_bench' || n, 'acc_bench' || n, 'bench', 'pk-bench', ${nowMs}, '[]' FROM ${numbered}`,
    `INSERT INTO secrets (hash, key_id, created_ms) SELECT hash, 'key_bench' || n, ${nowMs} FROM ${numbered}`,
  ]
  const sql = new SQL(db, { max: 1 })
  for (const statement of statements) await sql.unsafe(statement, [hashes])
  await sql.unsafe("VACUUM ANALYZE")
  await sql.close()
  return keys
}
