import type { AttemptRecord, DueNotice, NoticeRecord, Outbox, Webhook, WebhookRecord } from "../outbox.ts"
import { toArray } from "./arrays.ts"
import type { Connection } from "./connection.ts"
import { toStorableText } from "./storable-text.ts"

/** Selects a {@link NoticeRecord} from notices joined with accounts. */
const noticeColumns = `notices.id, account_id AS "accountId", type, data, accounts.created_ms::float8 AS "accountCreatedMs", notices.plan,
  threshold, used::float8 AS used, allowance::float8 AS allowance, period_start_ms::float8 AS "periodStartMs",
  raised_ms::float8 AS "raisedMs", state, attempts, waited_ms::float8 AS "waitedMs", next_attempt_ms::float8 AS "nextAttemptMs",
  last_status AS "lastStatus", last_error AS "lastError", delivered_ms::float8 AS "deliveredMs"`

/** Selects {@link NoticeRecord}s. */
export const selectNotices = `SELECT ${noticeColumns} FROM notices JOIN accounts ON accounts.id = account_id`

/** Selects an {@link AttemptRecord} from notice_attempts, which may be joined with notices. */
export const attemptColumns = `notice_id AS "noticeId", attempt, at_ms::float8 AS "atMs", duration_ms::float8 AS "durationMs",
  notice_attempts.status, error`

const webhookColumns = `webhook_url AS url, webhook_secret AS secret, webhook_allow_private AS "allowPrivate"`

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
    ORDER BY next_attempt_ms, threshold LIMIT 1 FOR UPDATE OF notices SKIP LOCKED)
  UPDATE notices SET next_attempt_ms = $1::bigint + $2::bigint FROM due, accounts
  WHERE notices.id = due.id AND accounts.id = notices.account_id
  RETURNING ${noticeColumns}, due.url, due.secret, due."allowPrivate", due.host, notices.traceparent`

type DueRow = NoticeRecord & Webhook & Pick<DueNotice, "host" | "traceparent">

/** The notice with an id; null when it does not exist. */
export async function findNotice({ run }: Connection, id: string): Promise<NoticeRecord | null> {
  const [row] = await run<NoticeRecord>(`${selectNotices} WHERE notices.id = $1::text`, [id])
  return row ?? null
}

/** Prepares the outbox on a connection. */
export function prepareOutbox(connection: Connection): Outbox {
  const { run } = connection
  return {
    async claim({ nowMs, leaseMs, maxWaitMs, busyHosts, untriedOnly }) {
      const parameters = [nowMs, leaseMs, maxWaitMs, toArray(busyHosts), untriedOnly]
      const [row] = await run<DueRow>(claimStatement, parameters)
      return row ? toDueNotice(row) : null
    },
    async nextAttemptMs(nowMs) {
      const [row] = await run<{ atMs: number | null }>(
        `SELECT min(next_attempt_ms)::float8 AS "atMs" FROM notices WHERE state = 'pending' AND next_attempt_ms > $1::bigint`,
        [nowMs],
      )
      return row?.atMs ?? null
    },
    async record({ id, webhook }, { atMs, durationMs, status, error }, result) {
      const delayMs = result.kind === "retry" ? result.delayMs : 0
      // A receiver's certificate is quoted in some errors.
      const problem = error === null ? null : toStorableText(error)
      await run(
        `SELECT record_attempt($1::text, $2::text, $3::bigint, $4::bigint, $5::integer, $6::text, $7::text, $8::bigint)`,
        [id, webhook.secret, atMs, Math.round(durationMs), status, problem, result.kind, Math.round(delayMs)],
      )
    },
    list: (accountId) =>
      run<NoticeRecord>(
        `${selectNotices}
         WHERE $1::text IS NULL OR account_id = $1::text ORDER BY raised_ms, account_id, period_start_ms, threshold, notices.id`,
        [accountId ?? null],
      ),
    attempts: (accountId) =>
      run<AttemptRecord>(
        `SELECT ${attemptColumns}
         FROM notice_attempts JOIN notices ON notices.id = notice_id
         WHERE $1::text IS NULL OR account_id = $1::text ORDER BY at_ms, notice_id, attempt`,
        [accountId ?? null],
      ),
    async findWebhook(accountId) {
      const [row] = await run<WebhookRecord>(
        `SELECT ${webhookColumns}, webhook_gone_ms::float8 AS "goneMs" FROM accounts
         WHERE id = $1::text AND webhook_url IS NOT NULL`,
        [accountId],
      )
      return row ?? null
    },
  }
}

function toDueNotice({ url, secret, allowPrivate, ...notice }: DueRow): DueNotice {
  return { ...notice, webhook: { url, secret, allowPrivate } }
}
