import {
  type EventPage,
  type ExpiringKey,
  keyExpiring,
  monthRenewed,
  type RenewingAccount,
  type TimedEvents,
  type TimeWindow,
} from "../timed-events.ts"
import type { Connection } from "./connection.ts"

/** A condition on a window ($1, $2] and a place to go on after, ($3, $4). */
const isIn = (column: string) =>
  `${column} > $1::bigint AND ${column} <= $2::bigint AND (${column}, id) > ($3::bigint, $4::text)`
const timeOfDay = "(created_ms % 86400000)"

/** A limit on the rows that are looked at, not on those that are wanted, keeps each read short. */
const selectKeys = `
  SELECT k.id, k.account_id AS "accountId", k.name, prefix, k.created_ms::float8 AS "createdMs",
    expires_ms::float8 AS "expiresMs", expires_ms::float8 AS "atMs",
    events LIKE '%"${keyExpiring}"%' AND closed_ms IS NULL AS "isWanted"
  FROM (SELECT * FROM keys WHERE expires_ms IS NOT NULL AND revoked_ms IS NULL AND ${isIn("expires_ms")}
      ORDER BY expires_ms, id LIMIT $5::integer) AS k
    JOIN accounts ON accounts.id = k.account_id JOIN ledger ON ledger.account_id = k.account_id
  ORDER BY expires_ms, k.id`

const selectAccounts = `
  SELECT a.id, plan, created_ms::float8 AS "createdMs", period_start_ms::float8 AS "periodStartMs", bonus::float8 AS bonus,
    ${timeOfDay}::float8 AS "atMs", events LIKE '%"${monthRenewed}"%' AND closed_ms IS NULL AS "isWanted"
  FROM (SELECT * FROM accounts WHERE events <> '[]' AND ${isIn(timeOfDay)}
      ORDER BY ${timeOfDay}, id LIMIT $5::integer) AS a
    JOIN ledger ON ledger.account_id = a.id
  ORDER BY ${timeOfDay}, a.id`

const hasWebhook = "webhook_url IS NOT NULL AND webhook_gone_ms IS NULL"

/** Tells all instances of each new notice; $2 is this one, which logs it. */
const insertNotices = `
  WITH inserted AS (
    INSERT INTO notices (id, account_id, type, data, period_start_ms, plan, used, raised_ms, state, next_attempt_ms)
    SELECT x.id, accounts.id, x.type, x.data, coalesce(x."periodStartMs", period_start_ms), plan,
      CASE WHEN x."periodStartMs" > period_start_ms THEN 0 ELSE used END, x."raisedMs",
      CASE WHEN ${hasWebhook} THEN 'pending' ELSE 'unsent' END, CASE WHEN ${hasWebhook} THEN x."nowMs" END
    FROM jsonb_to_recordset($1::text::jsonb) AS x (id text, "accountId" text, type text, data text, "raisedMs" bigint,
        "nowMs" bigint, "periodStartMs" bigint)
      JOIN accounts ON accounts.id = x."accountId" JOIN ledger ON ledger.account_id = accounts.id
    ORDER BY x.id
    ON CONFLICT (id) DO NOTHING
    RETURNING id)
  SELECT pg_notify('penknife_raised', concat_ws(' ', id, $2::text)) FROM inserted`

/** The events of a PostgreSQL database that come with time. */
export function prepareTimedEvents({ run }: Connection, instance: string): TimedEvents {
  function page<T>(select: string, { afterMs, untilMs }: TimeWindow, { limit, after }: EventPage) {
    return run<T>(select, [afterMs, untilMs, after?.atMs ?? afterMs, after?.id ?? "", limit])
  }

  return {
    async lookedUntilMs() {
      const select = "SELECT value::float8 AS value FROM meta WHERE name = 'looked_ms'"
      const [row] = await run<{ value: number }>(select, [])
      return row?.value ?? null
    },
    async keepLookedUntilMs(ms) {
      await run(
        `INSERT INTO meta (name, value) VALUES ('looked_ms', $1::bigint)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
        [ms],
      )
    },
    keysExpiring: (window, at) => page<ExpiringKey>(selectKeys, window, at),
    accountsByTimeOfDay: (window, at) => page<RenewingAccount>(selectAccounts, window, at),
    async raise(notices) {
      if (notices.length > 0) await run(insertNotices, [JSON.stringify(notices), instance])
    },
  }
}
