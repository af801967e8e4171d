import { Webhook } from "standardwebhooks"
import { periodAt } from "../accounts/period.ts"
import type { NoticeRecord } from "../store/outbox.ts"

/** The body of a notice, the same at every attempt. Its timestamp is when it was raised. */
export function toMessage(notice: NoticeRecord) {
  return { type: notice.type, timestamp: toIso(notice.raisedMs), data: toData(notice) }
}

/** The data of a notice, for messages and for the log. Times are ISO 8601 in UTC; `threshold` is in percent. */
export function toData(notice: NoticeRecord): Readonly<Record<string, unknown>> {
  if (notice.data !== null) return JSON.parse(notice.data)
  const { accountId: account, plan, threshold, used, allowance, accountCreatedMs, periodStartMs } = notice
  const { startMs, endMs } = periodAt(accountCreatedMs, periodStartMs)
  return {
    account,
    plan,
    threshold,
    used,
    allowance,
    period_start: toIso(startMs),
    period_end: toIso(endMs),
  }
}

/** Headers by Standard Webhooks. The time is that of the attempt, so that receivers can refuse a later replay. */
export function signedHeaders(id: string, body: string, secret: string, nowMs: number) {
  return {
    "content-type": "application/json",
    "user-agent": "penknife",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(nowMs / 1_000)),
    "webhook-signature": new Webhook(secret).sign(id, new Date(nowMs), body),
  }
}

function toIso(ms: number): string {
  return new Date(ms).toISOString()
}
