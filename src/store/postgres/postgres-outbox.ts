import type { Outbox } from "../outbox.ts"
import {
  attemptSteps,
  type DueRow,
  prepareOutboxReads,
  toDueNotice,
  webhookColumns,
} from "../outbox-reads.ts"
import { noticeColumns } from "../rows.ts"
import { applySteps, type Connection, toArray } from "./connection.ts"

/** Host and port of a webhook's URL, which is stored in normal form: `scheme://host[:port]/…`, without a user. */
const webhookHost = "split_part(webhook_url, '/', 3)"

/** Rows that another instance is claiming are skipped, so that no two instances send the same notice. */
const claimStatement = `
  WITH misdated AS (
    UPDATE notices SET next_attempt_ms = $1::bigint WHERE state = 'pending' AND next_attempt_ms > $1::bigint + $3::bigint
    RETURNING id),
  due AS (
    SELECT notices.id, ${webhookColumns}, ${webhookHost} AS host
    FROM notices JOIN accounts ON accounts.id = account_id
    WHERE state = 'pending' AND (next_attempt_ms <= $1::bigint OR next_attempt_ms > $1::bigint + $3::bigint)
      AND notices.id NOT IN (SELECT id FROM misdated)
      AND (attempts = 0 OR NOT $5::boolean) AND ${webhookHost} <> ALL ($4::text[])
    ORDER BY next_attempt_ms, number LIMIT 1 FOR UPDATE OF notices SKIP LOCKED)
  UPDATE notices SET next_attempt_ms = $1::bigint + $2::bigint FROM due, accounts
  WHERE notices.id = due.id AND accounts.id = notices.account_id
  RETURNING ${noticeColumns}, due.url, due.secret, due."allowPrivate", due.host, notices.traceparent`

/** Prepares the outbox on a connection. */
export function prepareOutbox(connection: Connection): Outbox {
  const { run } = connection
  return {
    async claim({ nowMs, leaseMs, maxWaitMs, busyHosts, untriedOnly }) {
      const parameters = [nowMs, leaseMs, maxWaitMs, toArray(busyHosts), untriedOnly]
      const [row] = await run<DueRow>(claimStatement, parameters)
      return row ? toDueNotice(row) : null
    },
    async record(...attempt) {
      await applySteps(connection, attemptSteps(...attempt))
    },
    ...prepareOutboxReads(run),
  }
}
