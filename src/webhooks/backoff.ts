import type { Random } from "../apis/contract.ts"

const firstDelayMs = 5_000
/** No wait is longer, whatever a receiver asks for. */
export const maxDelayMs = 3_600_000
/** A notice is given up when it has waited so long in all. */
export const giveUpAfterMs = 86_400_000

/**
 * How long to wait after the `failures`-th failed attempt (1 or more): 5 s, doubling up to an hour, of which the second
 * half is random. Receivers that failed together are not met together again, and still none is tried every moment.
 */
export function backoffMs(failures: number, random: Random): number {
  const ceiling = Math.min(maxDelayMs, firstDelayMs * 2 ** (failures - 1))
  return Math.round((ceiling / 2) * (1 + fraction(random)))
}

/**
 * The wait before the next attempt, or null when it is time to give up. `Retry-After` (RFC 9110 §10.2.3: seconds or a
 * date) may lengthen it up to an hour. The last wait is cut so that the last attempt is made when the day is over.
 */
export function nextDelayMs(
  { failures, waitedMs, retryAfter }: { failures: number; waitedMs: number; retryAfter: string | null },
  nowMs: number,
  random: Random,
): number | null {
  if (waitedMs >= giveUpAfterMs) return null
  const asked = Math.min(maxDelayMs, retryAfter === null ? 0 : readRetryAfter(retryAfter, nowMs))
  return Math.min(Math.max(backoffMs(failures, random), asked), giveUpAfterMs - waitedMs)
}

/** Milliseconds to wait; 0 for what cannot be read. */
function readRetryAfter(text: string, nowMs: number): number {
  if (/^\d+$/.test(text)) return Number(text) * 1_000
  const date = Date.parse(text)
  return Number.isNaN(date) ? 0 : Math.max(0, date - nowMs)
}

/** Evenly from 0 to just below 1. */
function fraction(random: Random): number {
  return random.bytes(4).reduce((sum, byte) => sum * 256 + byte, 0) / 2 ** 32
}
