import { creditsExhausted, type NoticeRecord } from "../store/outbox.ts"
import { toIso } from "../values/time-text.ts"
import { periodAt } from "./credits.ts"

/** The `data` of a notice's message. Times are ISO 8601 in UTC; `threshold` is in percent. */
export function noticeData(notice: NoticeRecord): Readonly<Record<string, unknown>> {
  const { accountId: account, plan, threshold, used, allowance, accountCreatedMs, periodStartMs } = notice
  if (notice.data !== null && notice.type !== creditsExhausted) return JSON.parse(notice.data)
  const { startMs, endMs } = periodAt(accountCreatedMs, periodStartMs)
  return {
    account,
    plan,
    ...(threshold !== null && { threshold }),
    used,
    allowance,
    period_start: toIso(startMs),
    period_end: toIso(endMs),
  }
}
