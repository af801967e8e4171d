import type { DueNotice, NoticeRecord, Webhook } from "../outbox.ts"

/** Selects a {@link NoticeRecord} from notices joined with accounts. */
export const noticeColumns = `notices.id, account_id AS accountId, type, data, accounts.created_ms AS accountCreatedMs, notices.plan,
  threshold, used, allowance, period_start_ms AS periodStartMs, raised_ms AS raisedMs, state, attempts,
  waited_ms AS waitedMs, next_attempt_ms AS nextAttemptMs, last_status AS lastStatus, last_error AS lastError,
  delivered_ms AS deliveredMs`

/** Selects {@link NoticeRecord}s. The order of the join lets an index of notices give the order of a list. */
export const selectNotices = `SELECT ${noticeColumns} FROM notices CROSS JOIN accounts ON accounts.id = account_id`

/** Selects an {@link AttemptRecord} from notice_attempts, which may be joined with notices. */
export const attemptColumns = `notice_id AS noticeId, attempt, at_ms AS atMs, duration_ms AS durationMs,
  notice_attempts.status, error`

/** Host and port of a webhook's URL, which is stored in normal form: `scheme://host[:port]/…`, without a user. */
export const webhookHost = `substr(webhook_url, instr(webhook_url, '//') + 2,
  instr(substr(webhook_url, instr(webhook_url, '//') + 2), '/') - 1)`

/** Selects a {@link WebhookRow} from accounts. */
export const webhookColumns =
  "webhook_url AS url, webhook_secret AS secret, webhook_allow_private AS allowPrivate"

export type WebhookRow = Omit<Webhook, "allowPrivate"> & { readonly allowPrivate: number }
export type DueRow = NoticeRecord & WebhookRow & Pick<DueNotice, "host" | "traceparent">

export function toDueNotice({ url, secret, allowPrivate, ...notice }: DueRow): DueNotice {
  return { ...notice, webhook: { url, secret, allowPrivate: allowPrivate === 1 } }
}
