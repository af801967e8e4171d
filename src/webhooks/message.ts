import { Webhook } from "standardwebhooks"
import { noticeData } from "../accounts/notice-data.ts"
import type { NoticeRecord } from "../store/outbox.ts"
import { toIso } from "../values/time-text.ts"

/** The body of a notice, the same at every attempt. Its timestamp is when it was raised. */
export function toMessage(notice: NoticeRecord) {
  return { type: notice.type, timestamp: toIso(notice.raisedMs), data: noticeData(notice) }
}

/** Headers by Standard Webhooks. The timestamp is the attempt's, so that receivers can refuse a later replay. */
export function signedHeaders(id: string, body: string, secret: string, nowMs: number) {
  return {
    "content-type": "application/json",
    "user-agent": "penknife",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(nowMs / 1_000)),
    "webhook-signature": new Webhook(secret).sign(id, new Date(nowMs), body),
  }
}
