import { type ClockChange, clockChangesAfter } from "../../values/time-zone.ts"
import { reject } from "../contract.ts"

/** The rules of zones are known from about 1900. Today's rules say little about years after 2199. */
const [firstYear, lastYear] = [1900, 2199]

export const timeForm = `must be an existing date and time from ${firstYear} to ${lastYear} in ISO 8601, such as 2027-03-28T14:30 or 2027-03-28T12:30:00Z`

/** `Temporal` would also accept other calendars, leap seconds and a zone in brackets. */
const form =
  /^\d{4}-\d\d-\d\d(?:[Tt ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?([Zz]|[+-]\d\d:\d\d)?)?$/

/** The time that a caller gave. */
export interface GivenTime {
  /** The moment that is meant, in its zone. */
  readonly taken: Temporal.ZonedDateTime
  /** The date and time in the zone. A skipped time is here as it was written. */
  readonly plain: Temporal.PlainDateTime
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
export function readTime(
  text: string | undefined,
  zone: string,
  nowMs: number,
  disambiguation: "compatible" | "earlier" | "later",
): GivenTime {
  const instant = text === undefined ? Temporal.Instant.fromEpochMilliseconds(nowMs) : readInstant(text)
  if (instant !== null) {
    const taken = instant.toZonedDateTimeISO(zone)
    return { taken, plain: taken.toPlainDateTime(), isInstant: true, change: null }
  }
  const plain = required(() => Temporal.PlainDateTime.from(text ?? ""))
  const [earlier, later] = (["earlier", "later"] as const).map((choice) =>
    plain.toZonedDateTime(zone, { disambiguation: choice }),
  )
  const taken = plain.toZonedDateTime(zone, { disambiguation })
  const isUnique = earlier === undefined || later === undefined || earlier.equals(later)
  // The earlier time is before the change in either case.
  const [change = null] = isUnique ? [] : clockChangesAfter(earlier)
  return { taken, plain, isInstant: false, change }
}

/** A time with an offset; null for one without. */
function readInstant(text: string): Temporal.Instant | null {
  const [all, offset] = form.exec(text) ?? []
  const year = Number(text.slice(0, 4))
  if (all === undefined || year < firstYear || year > lastYear) reject("time", timeForm)
  return offset === undefined ? null : required(() => Temporal.Instant.from(text))
}

/** Refuses dates that do not exist, for which `Temporal` throws. */
function required<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof RangeError) reject("time", timeForm)
    throw error
  }
}
