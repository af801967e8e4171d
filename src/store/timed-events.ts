import { insertNotice } from "./account-steps.ts"
import type { TimedNotice } from "./outbox.ts"
import type { Run } from "./rows.ts"
import type { Step } from "./step.ts"

/**
 * The reads and writes of the check for events that come with time: keys that expire soon, months that begin. Several processes
 * may look at the same time.
 */
export type TimedEvents = ReturnType<typeof prepareTimedEvents>

/** The time after `afterMs` up to and including `untilMs`. */
export interface TimeWindow {
  readonly afterMs: number
  readonly untilMs: number
}

/** A place in a list. `after` is the last row of the page before; null starts at the beginning. */
export interface EventPage {
  readonly limit: number
  readonly after: { readonly atMs: number; readonly id: string } | null
}

interface EventRow {
  readonly id: string
  /** Whether the account is open and gets the event. */
  readonly isWanted: boolean
  /** The rows are sorted by this time. */
  readonly atMs: number
}

/** A key that expires soon. */
interface ExpiringKey extends EventRow {
  readonly accountId: string
  readonly name: string
  readonly prefix: string
  readonly createdMs: number
  readonly expiresMs: number
}

/** An account whose credit month begins at a time of day. */
export interface RenewingAccount extends EventRow {
  readonly plan: string
  readonly createdMs: number
  /** Start of the stored credit month. A month begins in the store with its first charge. */
  readonly periodStartMs: number
  readonly bonus: number
}

/** The types of events that come with time. */
export const keyExpiring = "key.expiring"
export const monthRenewed = "month.renewed"

interface TimedEventParts {
  readonly read: Run
  readonly write: Run
  /** Runs steps that each insert a notice and return its id, and tells of those that were new. */
  readonly raise: (steps: readonly Step[]) => Promise<void>
  /** Names the index that a SELECT must use, if the store has to be told. */
  readonly indexedBy: (index: string) => string
}

/** Milliseconds since midnight, UTC. */
const timeOfDay = "(created_ms % 86400000)"

/** The events that come with time, in any kind of store. */
export function prepareTimedEvents({ read, write, raise, indexedBy }: TimedEventParts) {
  const [selectKeys, selectAccounts] = toSelects(indexedBy)

  async function page<Row extends { readonly isWanted: boolean }>(
    select: string,
    { afterMs, untilMs }: TimeWindow,
    { limit, after }: EventPage,
  ): Promise<readonly Row[]> {
    const rows = await read<Row>(select, [afterMs, untilMs, after?.atMs ?? afterMs, after?.id ?? "", limit])
    return rows.map((row) => ({ ...row, isWanted: Boolean(row.isWanted) }))
  }

  return {
    /** The time up to which events were checked; null before the first check. */
    async lookedUntilMs() {
      const select = "SELECT value::float8 AS value FROM meta WHERE name = 'looked_ms'"
      const [row] = await read<{ value: number }>(select, [])
      return row?.value ?? null
    },
    async keepLookedUntilMs(ms: number) {
      await write(
        `INSERT INTO meta (name, value) VALUES ('looked_ms', $1::bigint)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
        [ms],
      )
    },
    /** Keys that are not revoked and expire after `afterMs` and not after `untilMs`, sorted by expiry and id. */
    keysExpiring: (window: TimeWindow, at: EventPage) => page<ExpiringKey>(selectKeys, window, at),
    /**
     * Accounts that have chosen any event and were created at a time of day (milliseconds since midnight, UTC) after `afterMs`
     * and not after `untilMs`, sorted by it and by id. The credit months of an account begin at its time of day.
     */
    accountsByTimeOfDay: (window: TimeWindow, at: EventPage) =>
      page<RenewingAccount>(selectAccounts, window, at),
    /** Raises notices. One whose id is there already is ignored. */
    async raise(notices: readonly TimedNotice[]) {
      // In one order, so that two processes that raise the same ones do not wait for each other.
      const steps = notices.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(insertNotice)
      if (steps.length > 0) await raise(steps)
    },
  }
}

/**
 * That a column is in the window ($1, $2] and the row after the place ($3, $4). The first conditions find the rows: SQLite does
 * not compare pairs in an index of an expression.
 */
const isIn = (
  column: string,
) => `${column} > $1::bigint AND ${column} >= $3::bigint AND ${column} <= $2::bigint
  AND (${column} > $3::bigint OR id > $4::text)`

/** A limit on the rows that are looked at, not on those that are wanted, keeps each read short. */
function toSelects(indexedBy: TimedEventParts["indexedBy"]): readonly [keys: string, accounts: string] {
  const keys = `
  SELECT k.id, k.account_id AS "accountId", k.name, prefix, k.created_ms::float8 AS "createdMs",
    expires_ms::float8 AS "expiresMs", expires_ms::float8 AS "atMs",
    events LIKE '%"${keyExpiring}"%' AND closed_ms IS NULL AS "isWanted"
  FROM (SELECT * FROM keys ${indexedBy("keys_by_expiry")}
      WHERE expires_ms IS NOT NULL AND revoked_ms IS NULL AND ${isIn("expires_ms")}
      ORDER BY expires_ms, id LIMIT $5::integer) AS k
    JOIN accounts ON accounts.id = k.account_id JOIN ledger ON ledger.account_id = k.account_id
  ORDER BY expires_ms, k.id`
  const accounts = `
  SELECT a.id, plan, created_ms::float8 AS "createdMs", period_start_ms::float8 AS "periodStartMs", bonus::float8 AS bonus,
    ${timeOfDay}::float8 AS "atMs", events LIKE '%"${monthRenewed}"%' AND closed_ms IS NULL AS "isWanted"
  FROM (SELECT * FROM accounts ${indexedBy("accounts_by_time_of_day")}
      WHERE events <> '[]' AND ${isIn(timeOfDay)} ORDER BY ${timeOfDay}, id LIMIT $5::integer) AS a
    JOIN ledger ON ledger.account_id = a.id
  ORDER BY ${timeOfDay}, a.id`
  return [keys, accounts]
}
