import type { Run } from "./rows.ts"
import {
  type EventPage,
  type ExpiringKey,
  keyExpiring,
  monthRenewed,
  type RenewingAccount,
  type TimedEvents,
  type TimeWindow,
} from "./timed-events.ts"

interface TimedEventParts {
  readonly read: Run
  readonly write: Run
  /** The condition that a column is in the window ($1, $2] and the row after the place ($3, $4). */
  readonly isIn: (column: string) => string
  /** Names the index that a SELECT must use, if the store has to be told. */
  readonly indexedBy: (index: string) => string
}

/** Milliseconds since midnight, UTC. */
const timeOfDay = "(created_ms % 86400000)"

/** The reads of events that come with time, in any kind of store. */
export function prepareTimedEventReads(parts: TimedEventParts): Omit<TimedEvents, "raise"> {
  const { read, write } = parts
  const [selectKeys, selectAccounts] = toSelects(parts)

  async function page<Row extends { readonly isWanted: boolean }>(
    select: string,
    { afterMs, untilMs }: TimeWindow,
    { limit, after }: EventPage,
  ): Promise<readonly Row[]> {
    const rows = await read<Row>(select, [afterMs, untilMs, after?.atMs ?? afterMs, after?.id ?? "", limit])
    return rows.map((row) => ({ ...row, isWanted: Boolean(row.isWanted) }))
  }

  return {
    async lookedUntilMs() {
      const select = "SELECT value::float8 AS value FROM meta WHERE name = 'looked_ms'"
      const [row] = await read<{ value: number }>(select, [])
      return row?.value ?? null
    },
    async keepLookedUntilMs(ms) {
      await write(
        `INSERT INTO meta (name, value) VALUES ('looked_ms', $1::bigint)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
        [ms],
      )
    },
    keysExpiring: (window, at) => page<ExpiringKey>(selectKeys, window, at),
    accountsByTimeOfDay: (window, at) => page<RenewingAccount>(selectAccounts, window, at),
  }
}

/** A limit on the rows that are looked at, not on those that are wanted, keeps each read short. */
function toSelects({ isIn, indexedBy }: TimedEventParts): readonly [keys: string, accounts: string] {
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
