import type { DueNotice, NoticeRecord, NoticeState } from "../outbox.ts"

export interface NoticeRow {
  id: string
  account_id: string
  account_created_ms: number
  period_start_ms: number
  threshold: number
  plan: string
  used: number
  allowance: number
  raised_ms: number
  state: NoticeState
  attempts: number
  waited_ms: number
  next_attempt_ms: number | null
  last_status: number | null
  last_error: string | null
  delivered_ms: number | null
}

export interface DueRow extends NoticeRow {
  webhook_url: string
  webhook_secret: string
  webhook_allow_private: number
  webhook_host: string
}

/** The select list of a notice joined with its account. */
export const noticeColumns = "notices.*, accounts.created_ms AS account_created_ms"

/** Host and port of a webhook's URL, which is stored in normal form: `scheme://host[:port]/…`, no user. */
export const webhookHost = `substr(webhook_url, instr(webhook_url, '//') + 2,
  instr(substr(webhook_url, instr(webhook_url, '//') + 2), '/') - 1)`

export function toNotice(row: NoticeRow): NoticeRecord {
  return {
    id: row.id,
    accountId: row.account_id,
    accountCreatedMs: row.account_created_ms,
    plan: row.plan,
    threshold: row.threshold,
    used: row.used,
    allowance: row.allowance,
    periodStartMs: row.period_start_ms,
    raisedMs: row.raised_ms,
    state: row.state,
    attempts: row.attempts,
    waitedMs: row.waited_ms,
    nextAttemptMs: row.next_attempt_ms,
    lastStatus: row.last_status,
    lastError: row.last_error,
    deliveredMs: row.delivered_ms,
  }
}

export function toDueNotice(row: DueRow): DueNotice {
  const {
    webhook_url: url,
    webhook_secret: secret,
    webhook_allow_private: allowPrivate,
    webhook_host: host,
  } = row
  return { ...toNotice(row), webhook: { url, secret, allowPrivate: allowPrivate === 1 }, host }
}
