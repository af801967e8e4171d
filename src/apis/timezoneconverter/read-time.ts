import { readTime } from "../../values/time-text.ts"
import { type ClockChange, instantsOf } from "../../values/time-zone.ts"
import type { TimeZone } from "../../values/time-zones/zone-data.ts"
import { reject } from "../contract.ts"

/** The rules of zones are known from about 1900. Today's rules say little about years after 2199. */
const [firstYear, lastYear] = [1900, 2199]

export const timeForm = `must be an existing date and time from ${firstYear} to ${lastYear}, such as 2027-03-28T14:30, 2027-03-28T12:30:00Z or 1806237000 (Unix seconds)`

/** The time that a caller gave. */
export interface GivenTime {
  /** The moment that is meant, in milliseconds since the Unix epoch. */
  readonly ms: number
  /** The date and time as it was written, in milliseconds as if its offset were 0. */
  readonly clockMs: number
  /** Whether it needs no zone: it is now, or it has an offset. */
  readonly isInstant: boolean
  /** The clock change that skips or repeats it; null for any other time. */
  readonly change: ClockChange | null
}

/**
 * Reads a time in a zone, or one with an offset.
 * @param nowMs the time that is meant if `text` is undefined
 * @throws InputRejected for `time`
 */
export function readGivenTime(
  text: string | undefined,
  zone: TimeZone,
  nowMs: number,
  disambiguation: "compatible" | "earlier" | "later",
): GivenTime {
  if (text === undefined) return { ms: nowMs, clockMs: nowMs, isInstant: true, change: null }
  const { clockMs, offsetMs } = readTime(text) ?? reject("time", timeForm)
  const year = new Date(clockMs).getUTCFullYear()
  if (!(year >= firstYear && year <= lastYear)) reject("time", timeForm)
  if (offsetMs !== null) return { ms: clockMs - offsetMs, clockMs, isInstant: true, change: null }
  const { instants, change } = instantsOf(zone, clockMs)
  if (change === null) return { ms: instants[0] ?? Number.NaN, clockMs, isInstant: false, change }
  // RFC 5545 §3.3.5: the offset before the change counts, whether it skips the time or repeats it.
  const compatible = clockMs - (change.before - change.at)
  const other = clockMs - (change.after - change.at)
  const least = Math.min(compatible, other)
  const later = Math.max(compatible, other)
  const ms = { compatible, earlier: least, later }[disambiguation]
  return { ms, clockMs, isInstant: false, change }
}
