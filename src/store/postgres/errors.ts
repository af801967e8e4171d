import { SQL } from "bun"
import { StoreUnavailable, StoreUnusable } from "../store.ts"
import sqlStates from "./sql-states.json"

/** Advice for errors of PostgreSQL that come from outside this program, by SQLSTATE or its class (manual, appendix A). */
const advice: Readonly<Record<string, string>> = sqlStates

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
      "The database cannot be reached. Check the host, the port and sslmode of its address, and that it runs."
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
