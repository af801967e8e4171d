import { Webhook } from "standardwebhooks"
import { periodAt } from "../accounts/period.ts"
import type { NoticeRecord } from "../store/outbox.ts"

/** The data of a notice. Times are ISO 8601 in UTC; `threshold` is in percent. */
export interface NoticeData {
  readonly account: string
  readonly plan: string
  readonly threshold: number
  readonly used: number
  readonly allowance: number
  readonly period_start: string
  readonly period_end: string
}

export interface NoticeMessage {
  readonly type: "credits.threshold_reached"
  /** When the threshold was reached. */
  readonly timestamp: string
  readonly data: NoticeData
}

/** The body of a notice; the same at every attempt. */
export function toMessage(notice: NoticeRecord): NoticeMessage {
  return { type: "credits.threshold_reached", timestamp: toIso(notice.raisedMs), data: toData(notice) }
}

/** The data of a notice, for messages and for the log. */
export function toData(notice: NoticeRecord): NoticeData {
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

/**
 * The headers of one attempt, by Standard Webhooks. The signature covers id, time and body. The time is that of the
 * attempt, so that receivers can refuse a later replay.
 */
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
