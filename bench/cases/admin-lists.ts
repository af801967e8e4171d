import { Database } from "bun:sqlite"
import { join } from "node:path"
import { SQL } from "bun"
import type { Finding } from "../../scripts/findings.ts"
import { type Administration, createAdministration } from "../../src/admin/administration.ts"
import { noBackups } from "../../src/admin/backups/backups.ts"
import type { Actor } from "../../src/admin/operation.ts"
import { createAdminParts } from "../../src/app/admin-parts.ts"
import { loadConfig } from "../../src/config/load.ts"
import { systemClock } from "../../src/ports/clock.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { keepAliveTimer } from "../../src/ports/timer.ts"
import { openStore } from "../../src/store/open.ts"
import type { OpenStore } from "../../src/store/store-options.ts"
import { startPostgres } from "../../test/support/postgres.ts"
import { type FillStep, fillNowMs, postgresFill, sqliteFill } from "../admin-fill.ts"
import { adminQueries } from "../admin-queries.ts"
import type { Case } from "../case.ts"
import type { Workbench } from "../workbench.ts"

const goal = { atMost: 50 }
const rounds = 20
/** A server with room for this much data, as an operator would set it. */
const serverFlags = ["-c", "shared_buffers=512MB", "-c", "max_wal_size=8GB", "-c", "checkpoint_timeout=1h"]
const operator: Actor = {
  id: "cli:bench",
  name: "bench",
  permissions: ["*"],
  account: null,
  source: "bench",
  requestId: "",
}

export const adminLists: Case = {
  name: "admin-lists",
  title:
    "first pages of the administration in ms, with 100,000 accounts, 1,000,000 keys, 1,000,000 notices and 31 days of usage",
  onRequest: true,
  async run(bench) {
    const file = join(bench.directory, "admin.db")
    await fill(file, "data file", sqliteFill, bench)
    const findings = await measure("data file", file, bench)
    const server = await startPostgres(serverFlags)
    try {
      const db = await server.createDatabase()
      await fill(db, "PostgreSQL", postgresFill, bench)
      findings.push(...(await measure("PostgreSQL", db, bench)))
    } finally {
      await server.stop()
    }
    const notes = [
      "The value is the median of 20 runs; the rounds are the lowest and the highest. A run is an operation with its first page, without HTTP.",
    ]
    return { rows: [], findings, notes }
  },
}

const open = (db: string): Promise<OpenStore> =>
  openStore(db, { timer: keepAliveTimer, clock: systemClock, random: systemRandom })

/** Makes the tables and their rows. */
async function fill(db: string, kind: string, steps: readonly FillStep[], { say }: Pick<Workbench, "say">) {
  await (await open(db)).store.close()
  const { run, close } = connect(db)
  const startMs = performance.now()
  for (const { what, sql } of steps) {
    const stepMs = performance.now()
    await run(sql)
    say(`${kind}: ${what} (${((performance.now() - stepMs) / 1_000).toFixed(1)} s)`)
  }
  await close()
  say(`${kind}: filled in ${((performance.now() - startMs) / 1_000).toFixed(0)} s`)
}

function connect(db: string): { run(sql: string): Promise<unknown>; close(): Promise<void> } {
  if (db.startsWith("postgres:")) {
    const client = new SQL({ url: db, max: 1 })
    return { run: async (sql) => client.unsafe(sql).simple(), close: () => client.close() }
  }
  const database = new Database(db)
  return { run: async (sql) => database.run(sql), close: async () => database.close() }
}

async function measure(kind: string, db: string, { say }: Pick<Workbench, "say">): Promise<Finding[]> {
  const opened = await open(db)
  const administration = administrationOf(opened)
  const findings: Finding[] = []
  const add = (finding: Finding) => {
    findings.push(finding)
    const [lowest = 0, highest = 0] = finding.range ?? []
    const mark = finding.goal && finding.value > goal.atMost ? " MISSED" : ""
    say(
      `${finding.what}: ${finding.value.toFixed(1)} ms (${lowest.toFixed(1)} to ${highest.toFixed(1)})${mark}`,
    )
  }
  for (const { title, operation, values } of adminQueries) {
    const run = () => administration.run(operation, { kind: "typed", values }, operator)
    add(await timesOf(`${kind}: ${title}`, run))
  }
  add(await timesOf(`${kind}: plans of all accounts, at each start`, () => opened.admin.planNames()))
  await opened.store.close()
  return findings
}

function administrationOf(opened: OpenStore): Administration {
  const config = loadConfig({ flags: { db: ":memory:" }, env: {}, file: null })
  const unused = () => Promise.reject(new Error("no query needs this"))
  const none = () => ""
  const parts = createAdminParts(() => ({ config, prices: new Map(), lists: [] }), {
    opened,
    // The rows are of one month.
    clock: { ...systemClock, now: () => fillNowMs },
    random: systemRandom,
    backups: noBackups("not here"),
    watchRequests: () => null,
    pages: { service: none, console: none, portal: none },
    startedMs: fillNowMs,
    config: { version: () => null, diff: unused, reload: unused, edit: unused },
  })
  return createAdministration(parts)
}

async function timesOf(what: string, run: () => Promise<unknown>): Promise<Finding> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const startMs = performance.now()
    await run()
    times.push(performance.now() - startMs)
  }
  times.sort((a, b) => a - b)
  const [lowest = 0, median = 0, highest = 0] = [times[0], times[rounds >> 1], times.at(-1)]
  return { what, value: median, range: [lowest, highest], goal }
}
