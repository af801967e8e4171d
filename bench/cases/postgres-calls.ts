import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Finding } from "../../scripts/findings.ts"
import { startPostgres } from "../../test/support/postgres.ts"
import type { Case } from "../case.ts"
import { runLoad } from "../load.ts"
import { lookUp } from "../loads.ts"
import { startServer, usageOf } from "../processes.ts"
import { seedStore } from "../seed.ts"
import type { Workbench } from "../workbench.ts"

const durable = ["-c", "fsync=on", "-c", "full_page_writes=on", "-c", "synchronous_commit=on"]
const accountCount = 1_000

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
      const db = await server.createDatabase()
      const file = join(bench.directory, "calls.db")
      const keys = await seedStore(db, accountCount)
      const targets: readonly Target[] = [
        {
          title: "data file",
          db: file,
          keys: await seedStore(file, accountCount),
          instances: 1,
          databasePid: null,
        },
        { title: "PostgreSQL, 1 instance", db, keys, instances: 1, databasePid: server.pid },
        { title: "PostgreSQL, 2 instances", db, keys, instances: 2, databasePid: server.pid },
      ]
      const measured = new Map<Target, Measured[]>(targets.map((target) => [target, []]))
      for (let round = 0; round < bench.rounds; round++) {
        for (const [target, rounds] of measured) {
          bench.say(`round ${round + 1}: ${target.title}`)
          rounds.push(await measure(target, bench))
        }
      }
      return {
        rows: [],
        findings: [...measured].flatMap(([{ title }, rounds]) => [
          finding(`${title}: calls/s`, rounds, ({ callsPerSecond }) => callsPerSecond),
          finding(
            `${title}: instances' processor µs a call`,
            rounds,
            ({ instanceMicroseconds }) => instanceMicroseconds,
          ),
          finding(
            `${title}: database's processor µs a call`,
            rounds,
            ({ databaseMicroseconds }) => databaseMicroseconds,
          ),
        ]),
        notes: [
          `GET bluetoothlookup with the keys of ${accountCount} accounts in turn, on ${bench.connections} connections.`,
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

/** Starts the instances, and loads all of them at once. */
async function measure({ db, keys, instances, databasePid }: Target, bench: Workbench): Promise<Measured> {
  const command = [bench.binary, "serve", "--port", "0", "--db", db, "--json"]
  const servers = await Promise.all(Array.from({ length: instances }, () => startServer(command)))
  const load = (seconds: number) =>
    Promise.all(
      servers.map(({ url }, index) => {
        const directory = join(bench.directory, `load-${index}`)
        mkdirSync(directory, { recursive: true })
        const connections = Math.ceil(bench.connections / instances)
        return runLoad(lookUp(keys), { url, connections, seconds, directory })
      }),
    )
  const instanceMs = () => servers.reduce((sum, { pid }) => sum + cpuMsOf(pid), 0)
  const databaseMs = () => (databasePid === null ? 0 : cpuMsOf(databasePid))
  try {
    await load(1)
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

function cpuMsOf(pid: number): number {
  return usageOf(pid)?.cpuMs ?? Number.NaN
}

function finding(what: string, rounds: readonly Measured[], pick: (one: Measured) => number): Finding {
  const values = rounds.map(pick).sort((a, b) => a - b)
  const [least = Number.NaN, most = Number.NaN] = [values[0], values.at(-1)]
  return { what, value: values[values.length >> 1] ?? Number.NaN, range: [least, most], goal: null }
}
