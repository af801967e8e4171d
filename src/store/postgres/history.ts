import {
  type CallsQuery,
  type CallsSum,
  type ChargesSum,
  type CreditsSum,
  type FaultSum,
  type History,
  latencyColumns,
} from "../history.ts"
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
import { toArray } from "./arrays.ts"
import type { Connection } from "./connection.ts"

/** The database reads all at once, since nothing here waits for it. */
const windowMs = Number.MAX_SAFE_INTEGER

const dialect: HistoryDialect = {
  earlier: "least",
  later: "greatest",
  number: (index) => `(value ->> ${index})::bigint`,
  text: (index) => `value ->> ${index}`,
  rows: (parameter) => `jsonb_array_elements($${parameter}::text::jsonb), is_new`,
}

/** One statement, so that it is done as a whole. A batch that is in the tables gives `is_new` no row. */
const addBatch = `
  WITH is_new AS (
    INSERT INTO history_writers AS writer (process, batch, at_ms) VALUES ($1::text, $2::bigint, $3::bigint)
    ON CONFLICT (process) DO UPDATE SET batch = excluded.batch, at_ms = excluded.at_ms WHERE writer.batch < excluded.batch
    RETURNING batch),
  ${historyTables.map((table, index) => `${table.name}_added AS (${insertRows(table, index + 4, dialect)})`).join(",\n")}
  SELECT 1`

const foldAll = `WITH ${historyTables.map(foldTable).join(",\n")} ${selectMost("folded")}`
const deleteAll = `
  WITH writers AS (DELETE FROM history_writers WHERE at_ms < $1::bigint),
  ${historyTables.map((table) => `${table.name}_deleted AS (${remove(table, selectHours(table, "$1::bigint", "$2::integer"))})`).join(",\n")}
  ${selectMost("deleted")}`

/** The history in a PostgreSQL database. */
export function prepareHistory({ run }: Connection): History {
  return {
    async add(batch) {
      await run(addBatch, [batch.process, batch.number, newestOf(batch), ...toJsonRows(batch)])
    },
    fold: (untilMs, limit) => count(run<Count>(foldAll, [untilMs, limit])),
    deleteBefore: (ms, limit) => count(run<Count>(deleteAll, [ms, limit])),
    calls: (query) =>
      readWindows(query, windowMs, ({ fromMs, toMs, stepMs, api }) =>
        run<CallsSum>(selectCalls, [fromMs, toMs, stepMs, api ?? null]),
      ),
    charges: (query) =>
      readWindows(query, windowMs, ({ fromMs, toMs, stepMs }) =>
        run<ChargesSum>(selectCharges, [fromMs, toMs, stepMs]),
      ),
    faults: (query) =>
      readFaults(query, windowMs, ({ fromMs, toMs, api }: CallsQuery) =>
        run<FaultSum>(selectFaults, [fromMs, toMs, api ?? null]),
      ),
    credits: (query, page) =>
      readCredits(query, page, {
        async accounts({ id, isIncluded }, limit) {
          const sql = `SELECT account_id AS id FROM ledger WHERE account_id ${isIncluded ? ">=" : ">"} $1::text
            ORDER BY account_id LIMIT $2::bigint`
          return (await run<{ id: string }>(sql, [id, limit])).map((row) => row.id)
        },
        sums: ({ fromMs, toMs, stepMs }, accounts) =>
          run<CreditsSum>(selectCredits, [fromMs, toMs, stepMs, toArray(accounts)]),
      }),
  }
}

/** Rows that another instance folds at the same time are left to it. */
function foldTable(table: HistoryTable): string {
  const { name } = table
  const minutes = `${selectMinutes(table, "$1::bigint", "$2::integer")} FOR UPDATE SKIP LOCKED`
  return `${name}_folded AS (${remove(table, minutes)}),
    ${name}_hours AS (INSERT INTO ${name} (${columnsOf(table).join(", ")})
      ${sumsByHour(table, `${name}_folded`)} ${orAdd(table, dialect)})`
}

function remove({ name, of }: HistoryTable, chosen: string): string {
  return `DELETE FROM ${name} WHERE (${["at_ms", ...of].join(", ")}) IN (${chosen}) RETURNING *`
}

function selectMost(end: "folded" | "deleted"): string {
  const counts = historyTables.map(({ name }) => `(SELECT count(*) FROM ${name}_${end})`)
  return `SELECT greatest(${counts.join(", ")})::float8 AS count`
}

interface Count {
  readonly count: number
}

async function count(rows: Promise<readonly Count[]>): Promise<number> {
  return (await rows)[0]?.count ?? 0
}

/** Exact up to 2^53. To add up 64-bit integers, the database would make decimal numbers of them, which takes three times as long. */
const number = (column: string) => `sum(${column}::float8)`
const isInTime = "at_ms >= $1::bigint AND at_ms < $2::bigint"
const stepStart = "(at_ms - at_ms % $3::bigint)::float8"

const selectCalls = `
  SELECT ${stepStart} AS "atMs", api, ${number("calls")} AS calls, ${number("errors")} AS errors,
    ARRAY[${latencyColumns.map(number).join(", ")}] AS latency
  FROM history_calls WHERE ${isInTime} AND ($4::text IS NULL OR api = $4::text) GROUP BY 1, 2 ORDER BY 1, 2`

const selectCharges = `
  SELECT ${stepStart} AS "atMs", ${number("charged")} AS calls, ${number("credits")} AS credits
  FROM history_calls WHERE ${isInTime} GROUP BY 1 HAVING sum(charged) > 0 ORDER BY 1`

const selectFaults = `
  SELECT api, fault, ${number("calls")} AS calls, min(first_ms)::float8 AS "firstMs", max(last_ms)::float8 AS "lastMs"
  FROM history_faults WHERE ${isInTime} AND ($3::text IS NULL OR api = $3::text) GROUP BY api, fault`

const selectCredits = `
  SELECT account_id AS account, ${stepStart} AS "atMs", ${number("calls")} AS calls, ${number("credits")} AS credits
  FROM history_credits WHERE account_id = ANY ($4::text[]) AND ${isInTime} GROUP BY 1, 2 ORDER BY 1, 2`
