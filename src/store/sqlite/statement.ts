import type { Database } from "bun:sqlite"
import type { Parameter, Run, TextList } from "../rows.ts"

/** A statement that is written for all kinds of stores, as SQLite takes it: without casts, and with `?1` for `$1`. */
export function toSqlite(statement: string): string {
  return statement.replace(/::\w+/g, "").replace(/\$(\d+)/g, "?$1")
}

/**
 * Makes a function that runs such statements.
 * @param run calls its work as a read or as a write of the store
 */
export function createRun(database: Database, run: <T>(work: () => T) => T | Promise<T>): Run {
  return async <Row>(statement: string, parameters: readonly Parameter[]) =>
    run(() => database.query<Row, Parameter[]>(toSqlite(statement)).all(...parameters))
}

/** A list of texts as a JSON array. */
export const texts: TextList = {
  toParameter: (list) => JSON.stringify(list),
  isIn: (parameter) => `IN (SELECT value FROM json_each(${parameter}))`,
}
