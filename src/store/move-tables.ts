import { columnsOf, historyTables } from "./history-sql.ts"
import moved from "./move-tables.json"
import { requestColumns } from "./request-table.ts"

/** A table whose rows a move takes along, with the columns that every kind of store has. */
interface MoveTable {
  readonly name: string
  readonly columns: readonly string[]
  /** A condition of SQL for the rows that are taken along. Such rows replace those that an empty store has. */
  readonly only?: string
  /** The column by which rows are read, where the order in which they are written counts. */
  readonly order?: string
}

/** A row by its columns. Truth values are 0 and 1, and JSON is text. */
export type MoveRow = Readonly<Record<string, string | number | null>>

/** Sums that are compared on both sides of a move, as exact decimal text, in the order in which `penknife move` shows them. */
export type MoveSums = Readonly<Record<keyof typeof moved.sums, string>>

/** A store that rows are read from. Nobody else changes it until it is closed. */
export interface MoveSource {
  /** All rows of a table, in pages. All tables are read as they were at one instant. */
  read(table: MoveTable): AsyncIterable<readonly MoveRow[]>
  sums(): Promise<MoveSums>
  /** @throws StoreUnusable when a service works on the store */
  requireUnused(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** An empty store that rows are written to. It stays empty until `commit`, for everyone else and after a crash. */
export interface MoveTarget {
  write(table: MoveTable, rows: readonly MoveRow[]): Promise<void>
  /** The sums of the written rows. */
  sums(): Promise<MoveSums>
  commit(): Promise<void>
  /** Without a commit before, forgets what was written. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Rows that are in memory at once. */
export const rowsPerPage = 200

/**
 * In an order in which a row exists before another one names it. Rate buckets are left out: they are full again within a minute.
 * So are sessions, links that sign in and challenges of passkeys, which end within a day: a copy must not sign anyone in.
 * PostgreSQL's triggers on keys change the ledger, which has no rows by then. Rows of `meta` are taken along, since otherwise the
 * first look at the new store would raise no event of the time since the last look at the old one, and sums of whole months would
 * be taken for usage of days. Notices and mails that are due at one time are sent by their numbers, which the new store counts
 * itself.
 */
export const moveTables: readonly MoveTable[] = [
  ...moved.tables.map(({ columns, ...table }) => ({ ...table, columns: columns.split(" ") })),
  { name: "kept_requests", columns: requestColumns },
  ...historyTables.map((table) => ({ name: table.name, columns: columnsOf(table) })),
]

/** Selects {@link MoveSums} in one row, in any kind of store. */
export const selectSums = `SELECT ${Object.entries(moved.sums)
  .map(([name, [sum, table]]) => `(SELECT coalesce(CAST(${sum} AS text), '0') FROM ${table}) AS "${name}"`)
  .join(", ")}`
