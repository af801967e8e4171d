import type { Database } from "bun:sqlite"
import type { Timer } from "../../apis/contract.ts"
import type {
  CallsQuery,
  CallsSum,
  ChargesQuery,
  ChargesSum,
  CreditsQuery,
  CreditsSum,
  FaultSum,
  History,
} from "../history.ts"
import { hourMs, latencyColumns } from "../history.ts"
import { readCredits, readFaults, readWindows } from "../history-query.ts"
import {
  columnsOf,
  type HistoryDialect,
  type HistoryTable,
  historyTables,
  insertRows,
  newestOf,
  orAdd,
  selectHours,
  selectMinutes,
  sumsByHour,
  toJsonRows,
} from "../history-sql.ts"
import type { Write } from "./write.ts"

interface HistoryParts {
  readonly timer: Timer
  readonly read: <T>(operation: () => T) => T
  readonly write: Write
}

/** A part of the time of a query is read at once. Other work gets its turn between two. */
const windowMs = 72 * hourMs

const dialect: HistoryDialect = {
  earlier: "min",
  later: "max",
  number: (index) => `value ->> ${index}`,
  text: (index) => `value ->> ${index}`,
  rows: (parameter) => `json_each(?${parameter}) WHERE true`,
}

type CallsRow = Omit<CallsSum, "latency"> & Readonly<Record<string, number>>

/** Prepares the history of one connection. Between the parts of a long read other work gets its turn. */
export function prepareHistory(database: Database, { timer, read, write }: HistoryParts): History {
  const addBatch = database.transaction(
    (process: string, number: number, newestMs: number, rows: readonly string[]) => {
      const isNew = database
        .query<unknown, [string, number, number]>(
          `INSERT INTO history_writers VALUES (?1, ?2, ?3)
         ON CONFLICT DO UPDATE SET batch = excluded.batch, at_ms = excluded.at_ms WHERE batch < excluded.batch`,
        )
        .run(process, number, newestMs)
      if (isNew.changes === 0) return
      historyTables.forEach((table, index) => {
        database.query<unknown, [string]>(insertRows(table, 1, dialect)).run(rows[index] ?? "[]")
      })
    },
  )

  function fold(table: HistoryTable, untilMs: number, limit: number): number {
    const minutes = selectMinutes(table, "?1", "?2")
    const columns = columnsOf(table).join(", ")
    database
      .query<unknown, [number, number]>(
        `INSERT INTO ${table.name} (${columns})
         ${sumsByHour(table, `${table.name} WHERE (${keyOf(table)}) IN (${minutes})`)} ${orAdd(table, dialect)}`,
      )
      .run(untilMs, limit)
    return remove(table, minutes, untilMs, limit)
  }

  function remove(table: HistoryTable, chosen: string, ms: number, limit: number): number {
    const sql = `DELETE FROM ${table.name} WHERE (${keyOf(table)}) IN (${chosen})`
    return database.query<unknown, [number, number]>(sql).run(ms, limit).changes
  }

  const foldAll = database.transaction((untilMs: number, limit: number) =>
    Math.max(...historyTables.map((table) => fold(table, untilMs, limit))),
  )
  const deleteAll = database.transaction((ms: number, limit: number) => {
    database.query<unknown, [number]>("DELETE FROM history_writers WHERE at_ms < ?1").run(ms)
    return Math.max(...historyTables.map((table) => remove(table, selectHours(table, "?1", "?2"), ms, limit)))
  })

  async function all<Row>(sql: string, values: readonly (string | number | null)[]): Promise<Row[]> {
    await timer.turn()
    return read(() => database.query<Row, (string | number | null)[]>(sql).all(...values))
  }

  return {
    add: (batch) =>
      write(() => addBatch.immediate(batch.process, batch.number, newestOf(batch), toJsonRows(batch))),
    fold: (untilMs, limit) => write(() => foldAll.immediate(untilMs, limit)),
    deleteBefore: (ms, limit) => write(() => deleteAll.immediate(ms, limit)),
    calls: (query) =>
      readWindows(query, windowMs, async (window) =>
        (await all<CallsRow>(...selectCalls(window))).map(toSum),
      ),
    charges: (query) => readWindows(query, windowMs, (window) => all<ChargesSum>(...selectCharges(window))),
    faults: (query) => readFaults(query, windowMs, (window) => all<FaultSum>(...selectFaults(window))),
    credits: (query, page) =>
      readCredits(query, page, {
        accounts: async ({ id, isIncluded }, limit) => {
          const sql = `SELECT account_id AS id FROM ledger WHERE account_id ${isIncluded ? ">=" : ">"} ?1 ORDER BY account_id LIMIT ?2`
          return (await all<{ id: string }>(sql, [id, limit])).map((row) => row.id)
        },
        sums: (given, accounts) => all<CreditsSum>(...selectCredits(given, accounts)),
      }),
  }
}

function keyOf({ of }: HistoryTable): string {
  return ["at_ms", ...of].join(", ")
}

type Select = [sql: string, values: (string | number | null)[]]

function selectCalls({ fromMs, toMs, stepMs, api }: CallsQuery): Select {
  const sums = ["calls", "errors", ...latencyColumns].map((column) => `sum(${column}) AS ${column}`)
  const sql = `SELECT at_ms - at_ms % ?3 AS atMs, api, ${sums.join(", ")} FROM history_calls
    WHERE at_ms >= ?1 AND at_ms < ?2 AND (?4 IS NULL OR api = ?4) GROUP BY 1, 2 ORDER BY 1, 2`
  return [sql, [fromMs, toMs, stepMs, api ?? null]]
}

function selectCharges({ fromMs, toMs, stepMs }: ChargesQuery): Select {
  const sql = `SELECT at_ms - at_ms % ?3 AS atMs, sum(charged) AS calls, sum(credits) AS credits FROM history_calls
    WHERE at_ms >= ?1 AND at_ms < ?2 GROUP BY 1 HAVING sum(charged) > 0 ORDER BY 1`
  return [sql, [fromMs, toMs, stepMs]]
}

function toSum({ atMs, api, calls, errors, ...more }: CallsRow): CallsSum {
  const latency = latencyColumns.map((column) => more[column] ?? 0)
  return { atMs, api, calls, errors, latency }
}

function selectFaults({ fromMs, toMs, api }: CallsQuery): Select {
  const sql = `SELECT api, fault, sum(calls) AS calls, min(first_ms) AS firstMs, max(last_ms) AS lastMs FROM history_faults
    WHERE at_ms >= ?1 AND at_ms < ?2 AND (?3 IS NULL OR api = ?3) GROUP BY api, fault`
  return [sql, [fromMs, toMs, api ?? null]]
}

function selectCredits({ fromMs, toMs, stepMs }: CreditsQuery, accounts: readonly string[]): Select {
  const sql = `SELECT account_id AS account, at_ms - at_ms % ?3 AS atMs, sum(calls) AS calls, sum(credits) AS credits
    FROM history_credits WHERE account_id IN (SELECT value FROM json_each(?4)) AND at_ms >= ?1 AND at_ms < ?2
    GROUP BY 1, 2 ORDER BY 1, 2`
  return [sql, [fromMs, toMs, stepMs, JSON.stringify(accounts)]]
}
