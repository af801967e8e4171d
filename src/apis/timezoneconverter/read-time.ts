import { type ClockChange, clockChangesAfter } from "../../values/time-zone.ts"
import { reject } from "../contract.ts"

/** The years for which the rules of zones are known, or may be guessed from those of today. */
const [firstYear, lastYear] = [1900, 2199]

export const timeForm = `must be a real date and time from ${firstYear} to ${lastYear} as ISO 8601 writes it, such as 2027-03-28T14:30 or 2027-03-28T12:30:00Z`

/** `Temporal` alone would also take other calendars, leap seconds and a zone in brackets. */
const form =
  /^\d{4}-\d\d-\d\d(?:[Tt ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?([Zz]|[+-]\d\d:\d\d)?)?$/

/** A time that was given, on the clocks of its zone. */
export interface GivenTime {
  readonly taken: Temporal.ZonedDateTime
  /** As it was written; in UTC if it was written with an offset. */
  readonly plain: Temporal.PlainDateTime
  /** Whether it was now or had an offset. */
  readonly isInstant: boolean
  /** The change of the clocks that leaves it out or repeats it; null for any other time. */
  readonly change: ClockChange | null
}

/** Reads a time on the clocks of a zone, or an instant. */
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

/** What `Temporal` reads, which refuses dates that do not exist. */
function required<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof RangeError) reject("time", timeForm)
    throw error
  }
}
