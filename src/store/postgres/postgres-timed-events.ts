import { prepareTimedEventReads, type TimedEvents } from "../timed-events.ts"
import type { Connection } from "./connection.ts"

const hasWebhook = "webhook_url IS NOT NULL AND webhook_gone_ms IS NULL"

/** Tells all instances of each new notice; $2 is this one, which logs it. */
const insertNotices = `
  WITH inserted AS (
    INSERT INTO notices (id, account_id, type, data, period_start_ms, plan, used, raised_ms, state, next_attempt_ms)
    SELECT x.id, accounts.id, x.type, x.data, coalesce(x."periodStartMs", period_start_ms), plan,
      CASE WHEN x."periodStartMs" > period_start_ms THEN 0 ELSE used END, x."raisedMs",
      CASE WHEN ${hasWebhook} THEN 'pending' ELSE 'unsent' END, CASE WHEN ${hasWebhook} THEN x."raisedMs" END
    FROM jsonb_to_recordset($1::text::jsonb) AS x (id text, "accountId" text, type text, data text, "raisedMs" bigint,
        "periodStartMs" bigint)
      JOIN accounts ON accounts.id = x."accountId" JOIN ledger ON ledger.account_id = accounts.id
    ORDER BY x.id
    ON CONFLICT (id) DO NOTHING
    RETURNING id)
  SELECT pg_notify('penknife_raised', concat_ws(' ', id, $2::text)) FROM inserted`

/** The events of a PostgreSQL database that come with time. */
export function prepareTimedEvents({ run }: Connection, instance: string): TimedEvents {
  return {
    ...prepareTimedEventReads({
      read: run,
      write: run,
      isIn: (column) =>
        `${column} > $1::bigint AND ${column} <= $2::bigint AND (${column}, id) > ($3::bigint, $4::text)`,
      indexedBy: () => "",
    }),
    async raise(notices) {
      if (notices.length > 0) await run(insertNotices, [JSON.stringify(notices), instance])
    },
  }
}
