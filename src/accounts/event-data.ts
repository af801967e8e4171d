import { creditsExhausted, type NoticeRecord } from "../store/outbox.ts"
import type { KeyRecord } from "../store/store.ts"
import { dayMs, toIso } from "../values/time-text.ts"
import { periodAt } from "./credits.ts"

/** The parts of a key that its events show; never its text. */
type EventKey = Pick<KeyRecord, "id" | "accountId" | "name" | "prefix" | "expiresMs">

/** The days before a key's expiry at which its account gets an event. */
export const daysBeforeExpiry = [7, 1] as const
type DaysBeforeExpiry = (typeof daysBeforeExpiry)[number]

/** The time of the event about an expiry, in milliseconds since the Unix epoch. */
export function warningMs(expiresMs: number, days: DaysBeforeExpiry): number {
  return expiresMs - days * dayMs
}

/** The event that a key expires within `days`. A new expiry makes a new event. */
export function keyExpiringEvent(key: EventKey & { readonly expiresMs: number }, days: DaysBeforeExpiry) {
  return {
    id: eventId("key.expiring", key.id, key.expiresMs, days),
    data: JSON.stringify({ ...keyData(key), within_days: days }),
  }
}

/** The event that a key was created or revoked. */
export function keyChangedEvent(type: "key.created" | "key.revoked", key: EventKey) {
  return { id: eventId(type, key.id), data: JSON.stringify(keyData(key)) }
}

/** The same event always has the same id, so that two processes cannot raise it twice. */
export function eventId(...parts: readonly (string | number)[]): string {
  return `msg_${new Bun.CryptoHasher("sha256").update(parts.join(" ")).digest("hex").slice(0, 32)}`
}

function keyData({ id, accountId, name, prefix, expiresMs }: EventKey) {
  const expires = toIso(expiresMs)
  return { account: accountId, key: id, name, prefix, expires }
}

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
