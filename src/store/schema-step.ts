/**
 * A change of the tables after a release, made while other processes work on them. Each part runs in short transactions and can
 * be repeated after an interruption. docs/adding-a-column.md shows one.
 */
export interface SchemaStep {
  /** Statements of one transaction. None may rewrite a table or read all of it. */
  readonly change: string
  /** Columns to set in the rows that exist, after `change`. */
  readonly fills?: readonly Fill[]
  /** Indexes to build after that. */
  readonly indexes?: readonly NewIndex[]
}

/** Columns to set in the rows of a table, a batch of rows at a time. */
interface Fill {
  readonly table: string
  /** The table's primary key, one text column. */
  readonly key: string
  /** Assignments that are right however often they are made, such as `lower_name = lower(name)`. */
  readonly set: string
}

/** An index to build while the service runs. */
export interface NewIndex {
  readonly name: string
  /** The table with the columns and a condition, such as `accounts (plan, id) WHERE plan <> 'free'`. */
  readonly on: string
  readonly isUnique?: boolean
}

/** The row of the table `meta` that names the step whose fills and indexes are still to be made. */
export const unfinishedName = "unfinished"

/** Rows changed in one transaction. A charge that meets one of them waits a few milliseconds. */
const rowsPerBatch = 1_000

/**
 * A statement that sets the columns in the next rows after a key, and returns the keys of these rows.
 * @param after the parameter with that key; an empty text begins
 * @param lock how the rows are locked in the order of their keys, as charges lock them
 */
export function toFillStatement({ table, key, set }: Fill, after: string, lock = ""): string {
  return `UPDATE ${table} SET ${set} WHERE ${key} IN (
    SELECT ${key} FROM ${table} WHERE ${key} > ${after} ORDER BY ${key} LIMIT ${rowsPerBatch} ${lock}) RETURNING ${key} AS key`
}

/**
 * The last of the keys that a fill statement returned, null after the last row. Keys are compared by their bytes in every store.
 */
export function lastKeyOf(rows: readonly { readonly key: string }[]): string | null {
  let last: Buffer | null = null
  for (const { key } of rows) {
    const bytes = Buffer.from(key)
    if (last === null || bytes.compare(last) > 0) last = bytes
  }
  return last?.toString() ?? null
}
