import { Database } from "bun:sqlite"
import { statSync } from "node:fs"
import { SQL } from "bun"
import { startServer } from "./processes.ts"
import { seedStore } from "./seed.ts"

/** Old rows: hours of a history, notices with an attempt each, and usage of two months that are over. */
const accounts = 10_000
const hours = 1_000
const notices = 1_000_000
const usageDays = 60

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** What one start of a service finds old. */
export const phases = {
  "history of 10,000,000 rows": { history: 20, notices: 36_500 },
  "1,000,000 notices": { history: 0, notices: 20 },
  "usage of two months": { history: 0, notices: 36_500 },
} as const

export type Phase = keyof typeof phases

interface Connection {
  run(sql: string): Promise<unknown>
  count(sql: string): Promise<number>
  close(): Promise<void>
}

export function connect(db: string): Connection {
  if (db.startsWith("postgres:")) {
    const client = new SQL({ url: db, max: 1 })
    return {
      run: async (sql) => client.unsafe(sql).simple(),
      count: async (sql) => Number((await client.unsafe(sql))[0].count),
      close: () => client.close(),
    }
  }
  const database = new Database(db)
  return {
    run: async (sql) => database.run(sql),
    count: async (sql) => database.query<{ count: number }, []>(sql).get()?.count ?? 0,
    close: async () => database.close(),
  }
}

/** Makes accounts, without a wait for the disk for each of them. */
export async function seedFast(db: string, count: number): Promise<string[]> {
  if (!db.startsWith("postgres:")) return seedStore(db, count)
  const name = new URL(db).pathname.slice(1)
  const { run, close } = connect(db)
  await run(`ALTER DATABASE ${name} SET synchronous_commit = off`)
  const keys = await seedStore(db, count)
  await run(`ALTER DATABASE ${name} RESET synchronous_commit`)
  await close()
  return keys
}

/** Adds old rows to a store with accounts, whose ids they take in turn. */
export async function fillOld(db: string, nowMs: number, say: (text: string) => void): Promise<void> {
  const { run, close } = connect(db)
  const isPostgres = db.startsWith("postgres:")
  const numbers = (count: number, name: string) =>
    isPostgres
      ? `generate_series(0::bigint, ${count - 1}) AS ${name}_rows (${name})`
      : `(WITH RECURSIVE ${name}_rows (${name}) AS (SELECT 0 UNION ALL SELECT ${name} + 1 FROM ${name}_rows WHERE ${name} < ${count - 1}) SELECT ${name} FROM ${name}_rows)`
  const dayOf = (ms: string) =>
    isPostgres
      ? `to_char(to_timestamp((${ms}) / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')`
      : `date((${ms}) / 1000, 'unixepoch')`
  const oldDayMs = nowMs - 500 * dayMs
  const steps = [
    isPostgres
      ? "SET session_replication_role = replica"
      : "PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA cache_size = -400000; BEGIN",
    `CREATE ${isPostgres ? "UNLOGGED" : "TEMP"} TABLE old_accounts AS SELECT id, row_number() OVER (ORDER BY id) - 1 AS n FROM accounts`,
    `INSERT INTO history_credits (at_ms, account_id, calls, credits)
      SELECT ${nowMs - (nowMs % hourMs) - 26 * hourMs} - h * ${hourMs}, id, 5, 5 FROM (SELECT id FROM old_accounts ORDER BY id) AS a CROSS JOIN ${numbers(hours, "h")}`,
    `INSERT INTO notices (id, account_id, period_start_ms, threshold, plan, used, allowance, raised_ms, state)
      SELECT 'msg_0123456789abcdef0123' || (1000000 + m), id, 1, 80, 'mega', 80, 100, ${nowMs - 40 * dayMs} + m * 3456, 'delivered'
      FROM ${numbers(notices, "m")} JOIN old_accounts ON n = m % ${accounts}`,
    `INSERT INTO notice_attempts (notice_id, attempt, at_ms, duration_ms, status) SELECT id, 1, raised_ms, 5, 200 FROM notices`,
    `INSERT INTO usage (account_id, period_start_ms, day, api, calls, credits, key_calls, key_credits)
      SELECT id, 1, ${dayOf(`${oldDayMs} + d * ${dayMs}`)}, 'hmac', 5, 5, 5, 5 FROM old_accounts CROSS JOIN ${numbers(usageDays, "d")}`,
    `INSERT INTO key_usage (account_id, day, key_id, api, calls, credits) SELECT account_id, day, 'key_1', api, calls, credits FROM usage WHERE period_start_ms = 1`,
    `INSERT INTO meta (name, value) VALUES ('usage_months_until_ms', ${Date.parse(`${new Date(nowMs - 401 * dayMs).toISOString().slice(0, 7)}-01`)})`,
    "DROP TABLE old_accounts",
    isPostgres ? "VACUUM ANALYZE" : "COMMIT; PRAGMA wal_checkpoint(TRUNCATE)",
  ]
  for (const sql of steps) {
    const startMs = performance.now()
    await run(sql)
    say(`${sql.slice(0, 40)}… ${((performance.now() - startMs) / 1_000).toFixed(1)} s`)
  }
  await close()
}

interface Times {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly mostMs: number
}

export interface Measured {
  readonly scrapeMs: number
  readonly quiet: Times
  readonly cleaning: Times
  readonly deletedRows: number
  /** Null for a database. */
  readonly mostLogBytes: number | null
}

/** The first rows are deleted a minute after the start. */
const cleansAfterMs = 61_000
const connections = 16
const pauseMs = 15

/**
 * Starts a service, measures calls before it deletes old rows and while it does so.
 * @param seconds of each measurement
 */
export async function measurePhase(
  {
    binary,
    db,
    keys,
    seconds,
  }: {
    readonly binary: string
    readonly db: string
    readonly keys: readonly string[]
    readonly seconds: number
  },
  phase: Phase,
): Promise<Measured> {
  const { history, notices: keep } = phases[phase]
  const connection = connect(db)
  // The calls of the measurement add rows of today.
  const oldMs = Date.now() - dayMs
  const oldDay = new Date(oldMs).toISOString().slice(0, 10)
  const countRows = () =>
    connection.count(`SELECT (SELECT count(*) FROM history_credits WHERE at_ms < ${oldMs}) + (SELECT count(*) FROM notices)
      + (SELECT count(*) FROM usage WHERE day < '${oldDay}') + (SELECT count(*) FROM key_usage WHERE day < '${oldDay}') AS count`)
  // Another phase may have taken this hour.
  await connection.run("DELETE FROM meta WHERE name = 'tidied_ms'")
  const before = await countRows()
  const flags = ["--history", String(history), "--keep-notices", String(keep), "--log-level", "error"]
  const server = await startServer([binary, "serve", "--port", "0", "--db", db, "--json", ...flags])
  const startMs = performance.now()
  try {
    const quiet = await timeCalls(server.url, keys, seconds * 1_000)
    const scrapes: number[] = []
    for (let scrape = 0; scrape < 10; scrape++) {
      // One answer is given for a second.
      await Bun.sleep(1_050)
      const askedMs = performance.now()
      await (await fetch(`${server.url}/metrics`)).text()
      scrapes.push(performance.now() - askedMs)
    }
    await Bun.sleep(Math.max(0, startMs + cleansAfterMs - performance.now()))
    let mostLogBytes = 0
    const watch = setInterval(() => {
      mostLogBytes = Math.max(mostLogBytes, statSync(`${db}-wal`, { throwIfNoEntry: false })?.size ?? 0)
    }, 20)
    const cleaning = await timeCalls(server.url, keys, seconds * 1_000)
    clearInterval(watch)
    return {
      scrapeMs: Math.max(...scrapes),
      quiet,
      cleaning,
      deletedRows: before - (await countRows()),
      mostLogBytes: db.startsWith("postgres:") ? null : mostLogBytes,
    }
  } finally {
    await server.stop()
    await connection.close()
  }
}

/** Calls over some connections, each with a pause before the next call. */
async function timeCalls(url: string, keys: readonly string[], forMs: number): Promise<Times> {
  const times: number[] = []
  const endMs = performance.now() + forMs
  async function call(first: number): Promise<void> {
    for (let turn = first; performance.now() < endMs; turn += connections) {
      const startMs = performance.now()
      const answer = await fetch(`${url}/v1/bluetoothlookup?companyid=76`, {
        headers: { "x-api-key": keys[turn % keys.length] ?? "" },
      })
      await answer.arrayBuffer()
      if (answer.status !== 200) throw new Error(`a call was answered ${answer.status}`)
      times.push(performance.now() - startMs)
      await Bun.sleep(pauseMs)
    }
  }
  await Promise.all(Array.from({ length: connections }, (_, index) => call(index)))
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
  return { p50Ms: at(0.5), p99Ms: at(0.99), mostMs: at(1) }
}
