import type { History } from "../history.ts"
import { prepareHistoryReads } from "../history-reads.ts"
import * as sql from "../history-sql.ts"
import type { Run } from "../rows.ts"
import { type Connection, texts } from "./connection.ts"

const dialect: sql.HistoryDialect = {
  earlier: "least",
  later: "greatest",
  number: (index) => `(value ->> ${index})::bigint`,
  text: (index) => `value ->> ${index}`,
  rows: (parameter) => `jsonb_array_elements($${parameter}::text::jsonb), is_new`,
}

/** One statement, so that it is done as a whole. For a batch that is in the tables, `is_new` has no row. */
const addBatch = `
  WITH is_new AS (
    INSERT INTO history_writers AS writer (process, batch, at_ms) VALUES ($1::text, $2::bigint, $3::bigint)
    ON CONFLICT (process) DO UPDATE SET batch = excluded.batch, at_ms = excluded.at_ms WHERE writer.batch < excluded.batch
    RETURNING batch),
  ${sql.historyTables.map((table, index) => `${table.name}_added AS (${sql.insertRows(table, index + 4, dialect)})`).join(",\n")}
  SELECT 1`

const foldAll = `WITH ${sql.historyTables.map(foldTable).join(",\n")} ${selectMost("folded")}`
const deleteAll = `
  WITH writers AS (DELETE FROM history_writers WHERE at_ms < $1::bigint),
  ${sql.timedTables.map((table) => `${table.name}_deleted AS (${remove(table, sql.selectHours(table, "$1::bigint", "$2::integer"))})`).join(",\n")}
  ${selectMost("deleted", sql.timedTables)}`

/**
 * The history in a PostgreSQL database.
 * @param read runs reads that may look at many rows
 * @param timed runs what folds and deletes rows because they are old
 */
export function prepareHistory({ run }: Connection, read: Run, timed: Connection): History {
  return {
    async add(batch) {
      await run(addBatch, [batch.process, batch.number, sql.newestOf(batch), ...sql.toJsonRows(batch)])
    },
    fold: (untilMs, limit) => count(timed.run(foldAll, [untilMs, limit])),
    deleteBefore: (ms, limit) => count(timed.run(deleteAll, [ms, limit])),
    ...prepareHistoryReads({ read, texts, alive: "true" }),
  }
}

/** Rows that another instance folds at the same time are left to it. */
function foldTable(table: sql.HistoryTable): string {
  const { name } = table
  const minutes = `${sql.selectMinutes(table, "$1::bigint", "$2::integer")} FOR UPDATE SKIP LOCKED`
  return `${name}_folded AS (${remove(table, minutes)}),
    ${name}_hours AS (INSERT INTO ${name} (${sql.columnsOf(table).join(", ")})
      ${sql.sumsByHour(table, `${name}_folded`)} ${sql.orAdd(table, dialect)})`
}

function remove({ name, of }: sql.HistoryTable, chosen: string): string {
  return `DELETE FROM ${name} WHERE (${["at_ms", ...of].join(", ")}) IN (${chosen}) RETURNING *`
}

function selectMost(end: "folded" | "deleted", tables: readonly sql.HistoryTable[] = sql.historyTables) {
  const counts = tables.map(({ name }) => `(SELECT count(*) FROM ${name}_${end})`)
  return `SELECT greatest(${counts.join(", ")})::float8 AS count`
}

async function count(rows: Promise<readonly { readonly count: number }[]>): Promise<number> {
  return (await rows)[0]?.count ?? 0
}
