/** The requirement for a parameter with a time zone. */
export const timeZoneForm =
  "must be a time zone of the IANA database, such as Europe/Berlin, or an offset such as +05:30"

/** Names such as `Etc/GMT+3`, and offsets. `Temporal` would also accept a whole time that ends with a zone. */
const name = /^(?:[A-Za-z][\w+/-]{0,63}|[+-]\d\d:\d\d)$/

/** The name of a time zone as the IANA database writes it, whatever the case of `text`; null for an unknown zone. */
export function toTimeZone(text: string): string | null {
  if (!name.test(text)) return null
  try {
    return atZone(0, text).timeZoneId
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** A time in milliseconds since the Unix epoch, in a zone from {@link toTimeZone}. */
export function atZone(ms: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone)
}

/** `2027-03-28T03:00:00+02:00`. */
export function toLocalText(time: Temporal.ZonedDateTime): string {
  return time.toString({ timeZoneName: "never", smallestUnit: "second" })
}

/**
 * A clock change of a zone: at `time`, clocks go from `before` to `after`. The last two are in milliseconds since the Unix epoch,
 * as if the clocks showed UTC.
 */
export interface ClockChange {
  readonly time: Temporal.ZonedDateTime
  readonly before: number
  readonly after: number
}

/** The clock changes after a time, the next one first. Leaves out changes of a zone's rules that do not move its clocks. */
export function* clockChangesAfter(time: Temporal.ZonedDateTime): Generator<ClockChange> {
  let from = time
  while (true) {
    const next = from.getTimeZoneTransition("next")
    // The runtime returns undefined for a zone that is an offset.
    if (!next) return
    const before = next.epochMilliseconds + next.subtract({ nanoseconds: 1 }).offsetNanoseconds / 1e6
    const after = next.epochMilliseconds + next.offsetNanoseconds / 1e6
    if (before !== after) yield { time: next, before, after }
    from = next
  }
}

/** `On 2027-03-28, clocks in Europe/Berlin go from 02:00 to 03:00`, without a full stop. */
export function toChangeText({ time, before, after }: ClockChange): string {
  const [fromDay, from] = toDayAndClock(before)
  const [toDay, to] = toDayAndClock(after)
  const day = toDay === fromDay ? "" : ` on ${toDay}`
  return `On ${fromDay}, clocks in ${time.timeZoneId} go from ${from} to ${to}${day}`
}

/** The day and the time to the minute that clocks show. */
export function toDayAndClock(ms: number): [day: string, clock: string] {
  const text = new Date(ms).toISOString()
  return [text.slice(0, 10), text.slice(11, 16)]
}
