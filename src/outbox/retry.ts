import type { Random } from "../apis/contract.ts"

const firstDelayMs = 5_000
/** The longest wait, whatever a receiver asks for. */
export const maxDelayMs = 3_600_000
/** A row of an outbox fails when its waits add up to this. */
export const giveUpAfterMs = 86_400_000

/** The wait after failed attempt 1, 2, …: 5 s, doubling up to an hour. Half of it is random, to spread the repetitions. */
export function backoffMs(failures: number, random: Random): number {
  const ceiling = Math.min(maxDelayMs, firstDelayMs * 2 ** (failures - 1))
  const fraction = random.bytes(4).reduce((sum, byte) => sum * 256 + byte, 0) / 2 ** 32
  return Math.round((ceiling / 2) * (1 + fraction))
}

/** The wait before the next attempt; null to give up. `Retry-After` (RFC 9110 §10.2.3) can lengthen it up to an hour. */
export function nextDelayMs(
  { failures, waitedMs, retryAfter }: { failures: number; waitedMs: number; retryAfter: string | null },
  nowMs: number,
  random: Random,
): number | null {
  if (waitedMs >= giveUpAfterMs) return null
  const asked = Math.min(maxDelayMs, retryAfter === null ? 0 : readRetryAfter(retryAfter, nowMs))
  return Math.min(Math.max(backoffMs(failures, random), asked), giveUpAfterMs - waitedMs)
}

/** Reads seconds or a date as milliseconds to wait; 0 for a malformed value. */
function readRetryAfter(text: string, nowMs: number): number {
  if (/^\d+$/.test(text)) return Number(text) * 1_000
  const date = Date.parse(text)
  return Number.isNaN(date) ? 0 : Math.max(0, date - nowMs)
}
