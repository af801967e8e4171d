import type {
  Attempt,
  AttemptResult,
  DueNotice,
  NoticeRecord,
  Outbox,
  Webhook,
  WebhookRecord,
} from "./outbox.ts"
import { type Run, selectNotices } from "./rows.ts"
import { type Step, step } from "./step.ts"

/** The reads of an outbox that change nothing, in any kind of store. */
export function prepareOutboxReads(read: Run): Pick<Outbox, "nextAttemptMs" | "list" | "findWebhook"> {
  return {
    nextAttemptMs: (nowMs) => readNextAttempt(read, "notices", nowMs),
    list: (accountId) =>
      read<NoticeRecord>(
        `${selectNotices}
         WHERE $1::text IS NULL OR account_id = $1::text ORDER BY raised_ms, number`,
        [accountId ?? null],
      ),
    async findWebhook(accountId) {
      const [row] = await read<WebhookRecord>(
        `SELECT ${webhookColumns}, webhook_gone_ms::float8 AS "goneMs" FROM accounts
         WHERE id = $1::text AND webhook_url IS NOT NULL`,
        [accountId],
      )
      return row ? { ...row, allowPrivate: Boolean(row.allowPrivate) } : null
    },
  }
}

/** When the next row of an outbox becomes due after a time; null without one. */
export async function readNextAttempt(read: Run, table: "notices" | "mails", nowMs: number) {
  const [row] = await read<{ atMs: number | null }>(
    `SELECT min(next_attempt_ms)::float8 AS "atMs" FROM ${table} WHERE state = 'pending' AND next_attempt_ms > $1::bigint`,
    [nowMs],
  )
  return row?.atMs ?? null
}

/** Notices that are counted, at most: a few milliseconds of work. */
const mostCounted = 100_000

/** Counts pending rows of an outbox in their index; those that were delivered are too many to count at each scrape. */
export const selectPendingCount = (table: "notices" | "mails") =>
  `SELECT count(*)::float8 AS count FROM (SELECT 1 FROM ${table} WHERE state = 'pending' LIMIT $1::bigint) AS pending`

/** The counts among the measurements of any kind of store, each up to 100,000. */
export function prepareCounts(read: Run) {
  const count = async (select: string, ...values: number[]) =>
    (await read<{ count: number }>(select, values))[0]?.count ?? 0
  const selectQuestions = `SELECT count(*)::float8 AS count FROM (SELECT 1 FROM email_links
    WHERE asked = 'sign-up' AND expires_ms > $1::bigint LIMIT $2::bigint) AS asked`
  return {
    /** Notices that wait for their delivery, at most 100,000. Rejects with StoreUnavailable, as all counts do. */
    pendingNotices: () => count(selectPendingCount("notices"), mostCounted),
    /** Mails that wait, likewise. */
    pendingMails: () => count(selectPendingCount("mails"), mostCounted),
    /** Visitors' questions of the last hour for a link to sign up, likewise. */
    signUpQuestions: (nowMs: number) => count(selectQuestions, nowMs, mostCounted),
  }
}

/** The row of a leased notice with its webhook. */
export type DueRow = NoticeRecord & Webhook & Pick<DueNotice, "host" | "traceparent">

/** Selects a {@link Webhook} from accounts. */
export const webhookColumns = `webhook_url AS url, webhook_secret AS secret, webhook_allow_private AS "allowPrivate"`

/** The leased notice of a row with its webhook. */
export function toDueNotice({ url, secret, allowPrivate, ...notice }: DueRow): DueNotice {
  return { ...notice, webhook: { url, secret, allowPrivate: Boolean(allowPrivate) } }
}

/**
 * Records an attempt to deliver a notice. A delivered notice stays delivered, whatever a slower worker with an expired lease
 * reports.
 */
export function attemptSteps(
  { id, accountId, webhook }: DueNotice,
  { atMs, durationMs, status, error }: Attempt,
  result: AttemptResult,
): readonly Step[] {
  const tookMs = Math.round(durationMs)
  const endMs = atMs + tookMs
  const delayMs = result.kind === "retry" ? Math.round(result.delayMs) : 0
  const state = result.kind === "delivered" || result.kind === "failed" ? result.kind : "pending"
  const nextMs = state === "pending" ? endMs + delayMs : null
  const ofWebhook = [accountId, webhook.secret]
  return [
    step("UPDATE notices SET attempts = attempts + 1 WHERE id = $1", [id]),
    step(
      `INSERT INTO notice_attempts (notice_id, attempt, at_ms, duration_ms, status, error)
       SELECT id, attempts, $2::bigint, $3::bigint, $4::bigint, $5 FROM notices WHERE id = $1`,
      [id, atMs, tookMs, status, error],
    ),
    step(
      `UPDATE notices SET state = $2, waited_ms = waited_ms + $3::bigint, next_attempt_ms = $4::bigint, last_status = $5::bigint,
         last_error = $6, delivered_ms = $7::bigint
       WHERE id = $1 AND (state = 'pending' OR ($2 = 'delivered' AND state <> 'delivered'))`,
      [id, state, delayMs, nextMs, status, error, state === "delivered" ? endMs : null],
    ),
    // The 410 of a webhook that was replaced meanwhile ends no notice: the new webhook gets its attempts.
    ...(result.kind === "gone"
      ? [
          step(
            `UPDATE accounts SET webhook_gone_ms = coalesce(webhook_gone_ms, $3::bigint) WHERE id = $1 AND webhook_secret = $2`,
            [...ofWebhook, endMs],
          ),
          step(
            `UPDATE notices SET state = 'failed', next_attempt_ms = NULL,
               last_error = CASE WHEN id = $3 THEN last_error ELSE 'the receiver is gone' END
             WHERE account_id = $1 AND state = 'pending'
               AND EXISTS (SELECT 1 FROM accounts WHERE id = $1 AND webhook_secret = $2)`,
            [...ofWebhook, id],
          ),
        ]
      : []),
  ]
}
