import { join } from "node:path"
import type { Finding } from "../../scripts/findings.ts"
import { startPostgres } from "../../test/support/postgres.ts"
import type { Case } from "../case.ts"
import { fillOld, type Measured, measurePhase, type Phase, phases, seedFast } from "../retention.ts"
import type { Workbench } from "../workbench.ts"

const accountCount = 10_000
/** As an operator would set a server with this much data. */
const serverFlags = [
  "-c",
  "fsync=on",
  "-c",
  "full_page_writes=on",
  "-c",
  "shared_buffers=512MB",
  "-c",
  "max_wal_size=4GB",
]

export const retention: Case = {
  name: "retention",
  title: "/metrics and calls while old records are deleted: 10,000,000 rows of history and 1,000,000 notices",
  onRequest: true,
  async run(bench) {
    const file = join(bench.directory, "retention.db")
    const findings = await measure("data file", file, bench)
    const server = await startPostgres(serverFlags)
    try {
      findings.push(...(await measure("PostgreSQL", await server.createDatabase(), bench)))
    } finally {
      await server.stop()
    }
    const notes = [
      "Calls over 16 connections with a pause of 15 ms after each, from a process on the same machine. Times in ms.",
      "The first of the two times is that of quiet calls, the second that of calls while records are deleted.",
    ]
    return { rows: [], findings, notes }
  },
}

async function measure(kind: string, db: string, bench: Workbench): Promise<Finding[]> {
  const { binary, seconds, say } = bench
  const keys = await seedFast(db, accountCount)
  await fillOld(db, Date.now(), say)
  const findings: Finding[] = []
  for (const phase of Object.keys(phases) as Phase[]) {
    const measured = await measurePhase({ binary, db, keys, seconds }, phase)
    say(`${kind}: ${phase}: ${JSON.stringify(measured)}`)
    findings.push(...toFindings(`${kind}, ${phase}`, measured))
  }
  return findings
}

function toFindings(
  what: string,
  { scrapeMs, quiet, cleaning, deletedRows, mostLogBytes }: Measured,
): Finding[] {
  return [
    {
      what: `${what}: /metrics, the slowest of ten scrapes`,
      value: scrapeMs,
      range: null,
      goal: { atMost: 100 },
    },
    {
      what: `${what}: p99 of calls`,
      value: cleaning.p99Ms,
      range: [quiet.p99Ms, cleaning.p99Ms],
      goal: { atMost: 2 * quiet.p99Ms },
    },
    { what: `${what}: rows deleted meanwhile`, value: deletedRows, range: null, goal: null },
    ...(mostLogBytes === null
      ? []
      : [
          {
            what: `${what}: write-ahead log, MB`,
            value: mostLogBytes / 1e6,
            range: null,
            goal: { atMost: 40 },
          },
        ]),
  ]
}
