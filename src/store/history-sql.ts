import { type HistoryBatch, hourMs, latencyColumns } from "./history.ts"

/** A table of the history. Its rows are summed up when they are folded into hours. */
export interface HistoryTable {
  readonly name: string
  /** The columns that identify a row together with its time. */
  readonly of: readonly string[]
  readonly sums: readonly string[]
  readonly earliest?: string
  readonly latest?: string
}

const callsTable: HistoryTable = {
  name: "history_calls",
  of: ["api"],
  sums: ["calls", "errors", "charged", "credits", ...latencyColumns],
}
const faultsTable: HistoryTable = {
  name: "history_faults",
  of: ["api", "fault"],
  sums: ["calls"],
  earliest: "first_ms",
  latest: "last_ms",
}
const creditsTable: HistoryTable = { name: "history_credits", of: ["account_id"], sums: ["calls", "credits"] }
/** All tables of the history. */
export const historyTables = [callsTable, faultsTable, creditsTable] as const
/** Tables whose rows are found by their time. Rows about accounts are deleted account by account. */
export const timedTables: readonly HistoryTable[] = [callsTable, faultsTable]

/** The parts of statements that differ between kinds of stores. */
export interface HistoryDialect {
  /** The element at a place of a JSON array, as a number or a text. */
  readonly number: (index: number) => string
  readonly text: (index: number) => string
  /** The JSON arrays of a parameter as rows, with the words that end the SELECT. */
  readonly rows: (parameter: number) => string
  readonly earlier: "min" | "least"
  readonly later: "max" | "greatest"
}

/** All columns of a table, in the order of its statements. */
export function columnsOf({ of, sums, earliest, latest }: HistoryTable): readonly string[] {
  return ["at_ms", ...of, ...sums, ...[earliest, latest].filter((name) => name !== undefined)]
}

/** Rows of minutes in hours before a time, in the order in which they are folded. */
export function selectMinutes({ name, of }: HistoryTable, untilMs: string, limit: string): string {
  const columns = ["at_ms", ...of].join(", ")
  return `SELECT ${columns} FROM ${name} WHERE at_ms < ${untilMs} AND at_ms % ${hourMs} <> 0 ORDER BY ${columns} LIMIT ${limit}`
}

/** Rows of hours before a time. Minutes that are that old were folded. */
export function selectHours({ name, of }: HistoryTable, beforeMs: string, limit: string): string {
  return `SELECT ${["at_ms", ...of].join(", ")} FROM ${name} WHERE at_ms < ${beforeMs} AND at_ms % ${hourMs} = 0 ORDER BY at_ms LIMIT ${limit}`
}

/** The columns of rows of minutes, summed up by hour; the grouping is included. */
export function sumsByHour(table: HistoryTable, from: string): string {
  const { of, sums, earliest, latest } = table
  const shown = [
    `at_ms - at_ms % ${hourMs}`,
    ...of,
    ...sums.map((column) => `sum(${column})`),
    ...(earliest ? [`min(${earliest})`] : []),
    ...(latest ? [`max(${latest})`] : []),
  ]
  const grouped = [1, ...of.map((_, index) => index + 2)].join(", ")
  return `SELECT ${shown.join(", ")} FROM ${from} GROUP BY ${grouped} ORDER BY ${grouped}`
}

/** The end of an INSERT: adds to the row that is there. */
export function orAdd(table: HistoryTable, { earlier, later }: HistoryDialect): string {
  const { name, of, sums, earliest, latest } = table
  const set = [
    ...sums.map((column) => `${column} = ${name}.${column} + excluded.${column}`),
    ...(earliest ? [`${earliest} = ${earlier}(${name}.${earliest}, excluded.${earliest})`] : []),
    ...(latest ? [`${latest} = ${later}(${name}.${latest}, excluded.${latest})`] : []),
  ]
  const key = name === creditsTable.name ? [...of, "at_ms"] : ["at_ms", ...of]
  return `ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${set.join(", ")}`
}

/** Adds rows, which are JSON arrays in a parameter. Sorted, so that two statements never wait for each other. */
export function insertRows(table: HistoryTable, parameter: number, dialect: HistoryDialect): string {
  const columns = columnsOf(table)
  const values = columns.map((name, index) =>
    table.of.includes(name) ? dialect.text(index) : dialect.number(index),
  )
  return `INSERT INTO ${table.name} (${columns.join(", ")}) SELECT ${values.join(", ")} FROM ${dialect.rows(parameter)}
    ORDER BY ${columns.slice(0, table.of.length + 1).map((_, index) => index + 1)} ${orAdd(table, dialect)}`
}

/** The rows of a batch as JSON arrays, one text for each of {@link historyTables}. */
export function toJsonRows({ calls, faults, credits }: HistoryBatch): readonly string[] {
  return [
    calls.map((row) => [row.atMs, row.api, row.calls, row.errors, row.charged, row.credits, ...row.latency]),
    faults.map((row) => [row.atMs, row.api, row.fault, row.calls, row.firstMs, row.lastMs]),
    credits.map((row) => [row.atMs, row.account, row.calls, row.credits]),
  ].map((rows) => JSON.stringify(rows))
}

/** The newest time in a batch. */
export function newestOf({ calls, faults, credits }: HistoryBatch): number {
  return Math.max(0, ...[...calls, ...faults, ...credits].map(({ atMs }) => atMs))
}
