import type { Database } from "bun:sqlite"
import type { Parameter, Run, TextList } from "../rows.ts"
import type { Step } from "../step.ts"
import { ReadRefused } from "../store.ts"

/**
 * A statement that is written for all kinds of stores, as SQLite takes it: without casts, collations and locks of rows, and with
 * `?1` for `$1`. SQLite compares texts by their bytes. The transaction of a change has locked all of the data file.
 */
export function toSqlite(statement: string): string {
  return statement
    .replace(/::\w+| COLLATE "C"| FOR (?:NO KEY )?UPDATE(?: SKIP LOCKED)?/g, "")
    .replace(/\$(\d+)/g, "?$1")
}

/**
 * Makes a function that runs such statements.
 * @param run calls its work as a read or as a write of the store
 */
export function createRun(database: Database, run: <T>(work: () => T) => T | Promise<T>): Run {
  return async <Row>(statement: string, parameters: readonly Parameter[]) =>
    run(() => database.query<Row, Parameter[]>(toSqlite(statement)).all(...parameters))
}

/** Runs a step of a change, and returns its rows. */
export function runStep<Row>(database: Database, { sql, args }: Step): readonly Row[] {
  return database.query<Row, Parameter[]>(toSqlite(sql)).all(...args)
}

/** A list of texts as a JSON array. */
export const texts: TextList = {
  toParameter: (list) => JSON.stringify(list),
  isIn: (parameter) => `IN (SELECT value FROM json_each(${parameter}))`,
}

/**
 * Gives a connection the SQL function `alive()`, which ends a statement that has to end: bun:sqlite cannot interrupt one, and
 * ending a thread does not end its statement.
 */
export function addAlive(database: Database, isAlive: () => boolean = () => true): void {
  // If it were declared deterministic, SQLite would call it only once.
  database.function("alive", { deterministic: false }, () => {
    if (isAlive()) return 1
    throw new ReadRefused()
  })
}

/**
 * A condition that is true, and asks `alive()` every 1,024 rows: at each row it costs 40 ns. It comes first in a WHERE, since
 * SQLite does not look at what follows a false condition.
 * @param number counts rows, or is as good as random
 */
export function aliveAt(number: string): string {
  return `((${number} & 1023) <> 0 OR alive())`
}
