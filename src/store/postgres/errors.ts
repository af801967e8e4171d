import { SQL } from "bun"
import { StoreUnavailable, StoreUnusable } from "../store.ts"

const shared =
  "Several sessions share a connection of the database, so its prepared statements are mixed up. With PgBouncer, set pool_mode to session."

/** Advice for errors of PostgreSQL that come from outside this program, by SQLSTATE or its class (manual, appendix A). */
const advice: Readonly<Record<string, string>> = {
  "08": "The connection to the database was lost.",
  "08P01":
    "What answers there is a pooler that refuses the connection. Set it up as docs/scaling.md says, or connect to PostgreSQL itself.",
  "22021": "A text has a character that the database cannot keep, such as U+0000.",
  "25006":
    "The database takes no changes: it is a standby, or set to read only. Name the primary in --db, or all hosts.",
  "26000": shared,
  "28": "The database refuses the user or the password of --db. Check both.",
  "3F000": "The user of --db may use no schema. Grant the rights of docs/postgres-roles.sql.",
  "3D000": "There is no such database. Create it, or name another in --db.",
  "42501": "The user of --db may not do this. Grant the rights of docs/postgres-roles.sql.",
  "40": "The database ended the statement because of another one. Try again.",
  "42P05": shared,
  "53": "The database has run out of a resource.",
  "53100": "The disk of the database is full. Free some space.",
  "53300": "The database has no connection left. Raise its max_connections, or start fewer instances.",
  "55": "The database cannot do this now.",
  "55P03": "Another session keeps locked what is needed. Look for it in pg_stat_activity.",
  "57": "The database is stopping, starting or was told to end this.",
  "57014": "The database took too long, such as for a row that another session has locked.",
  "58": "The database cannot use its files. Check its disk.",
  XX: "The database reports an internal error. Look at its log.",
}

/** The SQLSTATE of an error that the server sent; null for any other error. */
export function sqlStateOf(cause: unknown): string | null {
  return cause instanceof SQL.PostgresError && cause.code === "ERR_POSTGRES_SERVER_ERROR"
    ? String(cause.errno ?? "")
    : null
}

/** Whether the connection cannot be used after this error. */
export function isLost(cause: unknown): boolean {
  const state = sqlStateOf(cause)
  return state === null ? cause instanceof SQL.PostgresError : /^(08|25006|57P)/.test(state)
}

/** Turns an error from outside this program into {@link StoreUnavailable}. Any other is a bug and is returned unchanged. */
export function toStoreError(cause: unknown): unknown {
  if (!(cause instanceof SQL.PostgresError)) return cause
  const state = sqlStateOf(cause)
  if (state === null) {
    const text =
      "The database cannot be reached. Check the host, the port and sslmode in --db, and that it runs."
    return new StoreUnavailable(`${text} (${cause.code}: ${cause.message})`, { cause })
  }
  const text = advice[state] ?? advice[state.slice(0, 2)]
  return text ? new StoreUnavailable(`${text} (${state}: ${cause.message})`, { cause }) : cause
}

/** Whether the database ended a statement after `statement_timeout`. */
export function isTooLong(thrown: unknown): boolean {
  return thrown instanceof StoreUnavailable && sqlStateOf(thrown.cause) === "57014"
}

/** Turns an error of a start into a message for the operator. */
export function toStartError(cause: unknown, address: string): unknown {
  const error = toStoreError(cause)
  if (!(error instanceof StoreUnavailable)) return error
  return new StoreUnusable(`The database ${address} cannot be used. ${error.message}`, { cause })
}
