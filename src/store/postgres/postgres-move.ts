import {
  type MoveRow,
  type MoveSource,
  type MoveSums,
  type MoveTarget,
  rowsPerPage,
  selectSums,
} from "../move-tables.ts"
import { StoreUnusable } from "../store.ts"
import type { MoveOptions } from "../store-options.ts"
import { describeAddress, readAddress } from "./address.ts"
import { commandConnectLimitMs, connectToPrimary, toStorableText } from "./connection.ts"
import { sqlStateOf, toStartError, toStoreError } from "./errors.ts"
import { migrate } from "./migrations.ts"

/** Without rows in these tables, the others have none either. */
const rootTables = ["accounts", "admin_keys", "audit", "replays", "history_calls", "history_faults"]

/** A process that has just ended may still be connected. */
const unusedAttempts = 10
const unusedDelayMs = 100

/**
 * Opens a database whose rows are moved away. Until it is closed, the locks make every change wait.
 * @throws StoreUnusable when it cannot be used, or a service or command works on it
 */
export async function openPostgresSource(url: string, options: MoveOptions): Promise<MoveSource> {
  // The locks come before the snapshot, which has all that others have committed until then.
  const transaction = await begin(url, options, [
    "BEGIN ISOLATION LEVEL REPEATABLE READ",
    "LOCK TABLE accounts, keys, ledger, notices, admin_keys, audit, replays IN SHARE MODE",
  ])
  const { run, requireUnused, close } = transaction
  return {
    async *read({ name, columns, only = "true", order }) {
      const cursor = `moved_${name}`
      const list = columns.map((column) => readAs[column] ?? column)
      await run(
        `DECLARE ${cursor} NO SCROLL CURSOR FOR
           SELECT row_to_json(moved)::text AS json FROM (SELECT ${list.join(", ")} FROM ${name} WHERE ${only}${order ? ` ORDER BY ${order}` : ""}) AS moved`,
      )
      for (;;) {
        const rows = await run<{ json: string }>(`FETCH ${rowsPerPage} FROM ${cursor}`)
        if (rows.length > 0) yield rows.map(({ json }): MoveRow => JSON.parse(json))
        if (rows.length < rowsPerPage) break
      }
      await run(`CLOSE ${cursor}`)
    },
    sums: () => readSums(transaction),
    requireUnused,
    [Symbol.asyncDispose]: close,
  }
}

/**
 * Opens an empty database. Everything is written in one transaction.
 * @throws StoreUnusable when it cannot be used, is not empty, or a service or command works on it
 */
export async function openPostgresTarget(url: string, options: MoveOptions): Promise<MoveTarget> {
  const locked = rootTables.join(", ")
  const transaction = await begin(url, options, ["BEGIN", `LOCK TABLE ${locked} IN SHARE ROW EXCLUSIVE MODE`])
  const { name: address, run, close } = transaction
  for (const table of rootTables) {
    if ((await run(`SELECT 1 FROM ${table} LIMIT 1`)).length === 0) continue
    await close()
    throw new StoreUnusable(`${address} is not empty: it has ${table}. Name a new database with --to.`)
  }
  // Triggers on new rows do not act.
  await run("INSERT INTO meta (name, value) VALUES ('moving', 1)")
  return {
    async write({ name, columns, only }, rows) {
      if (only) await run(`DELETE FROM ${name} WHERE ${only}`)
      const list = columns.map((column) => writeAs[column] ?? column)
      await run(
        `INSERT INTO ${name} (${columns.join(", ")})
         SELECT ${list.join(", ")} FROM jsonb_populate_recordset(NULL::${name}, $1::text::jsonb)`,
        [JSON.stringify(rows, (_, value) => (typeof value === "string" ? toStorableText(value) : value))],
      )
    },
    sums: () => readSums(transaction),
    async commit() {
      await run(
        `INSERT INTO usage_sums (day, api, calls, credits) SELECT day, api, sum(calls), sum(credits) FROM all_usage GROUP BY day, api`,
      )
      await run("DELETE FROM meta WHERE name = 'moving'")
      await run("COMMIT")
    },
    [Symbol.asyncDispose]: close,
  }
}

const readAs: Readonly<Record<string, string>> = {
  webhook_allow_private: "webhook_allow_private::integer",
  mailed: "mailed::integer",
  booked: "booked::text",
}
/** `booked` arrives as a JSON string that holds JSON. */
const writeAs: Readonly<Record<string, string>> = { booked: "(booked #>> '{}')::jsonb" }

/** Begins a transaction on a separate connection. When that is lost, every later statement fails. */
async function begin(url: string, { timer, clock, login }: MoveOptions, statements: readonly string[]) {
  const address = readAddress(url, login ?? {})
  const name = describeAddress(address)
  const settings = { application_name: "penknife move", lock_timeout: "2s", ...noTimeouts }
  let close = async () => {}
  try {
    const sql = await connectToPrimary({
      address,
      clock,
      timer,
      settings,
      preferred: { index: 0 },
      connectLimitMs: commandConnectLimitMs,
    })
    close = () => sql.close({ timeout: 0 })
    await migrate(sql, name, { timer })
    // A reserved connection is never replaced by a new one, whose statements would be outside of the transaction.
    const connection = await sql.reserve()

    async function run<Row>(statement: string, parameters: readonly string[] = []): Promise<readonly Row[]> {
      try {
        return [...(await connection.unsafe<Row[]>(statement, [...parameters]))]
      } catch (cause) {
        throw toStoreError(cause)
      }
    }
    /** @throws StoreUnusable when another process of penknife is connected to the database */
    async function requireUnused(): Promise<void> {
      for (let attempt = 1; ; attempt++) {
        await run("SELECT pg_stat_clear_snapshot()")
        const others = await run<{ pid: number }>(selectOthers)
        if (others.length === 0) return
        if (attempt === unusedAttempts) throw inUse(name, others.length)
        await new Promise<void>((resolve) => timer.after(unusedDelayMs, resolve))
      }
    }
    await requireUnused()
    for (const statement of statements) await connection.unsafe(statement)
    return { name, run, requireUnused, /** Rolls back what was not committed. */ close }
  } catch (cause) {
    await close()
    if (sqlStateOf(cause) === "55P03") throw inUse(name, 1, cause)
    throw toStartError(cause, name)
  }
}

/** Between two statements the other store works, for as long as it takes. */
const noTimeouts = { idle_in_transaction_session_timeout: "0", statement_timeout: "0" }

const selectOthers = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND application_name LIKE 'penknife%' AND pid <> pg_backend_pid()`

function inUse(name: string, connections: number, cause?: unknown): StoreUnusable {
  const who = connections === 1 ? "a connection" : `${connections} connections`
  return new StoreUnusable(
    `${name} is in use by ${who} of penknife. Stop all its services and commands, then move.`,
    { cause },
  )
}

async function readSums({ run }: Awaited<ReturnType<typeof begin>>): Promise<MoveSums> {
  const [row] = await run<MoveSums>(selectSums)
  if (row === undefined) throw new Error("a SELECT without FROM gave no row")
  return row
}
