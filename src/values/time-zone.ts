import { dayMs, toIso, toOffsetText } from "./time-text.ts"
import { lastYearMs, type TimeZone } from "./time-zones/zone-data.ts"

/** The requirement for a parameter with a time zone. */
export const timeZoneForm =
  "must be a time zone of the IANA database, such as Europe/Berlin, or an offset such as +05:30"

/**
 * A clock change of a zone: at `at`, clocks go from `before` to `after`. The last two are in milliseconds since the Unix epoch,
 * as if the clocks showed UTC.
 */
export interface ClockChange {
  readonly zone: TimeZone
  readonly at: number
  readonly before: number
  readonly after: number
}

/** The Gregorian calendar repeats after 400 years, days of the week included. */
const cycleMs = 146_097 * 86_400_000

/** The offset of a zone at a moment, in milliseconds. */
export function offsetAt(zone: TimeZone, ms: number): number {
  const index = changesUntil(zone, ms - repeatedMs(zone, ms))
  return index === 0 ? zone.first : (zone.offsets[index - 1] ?? 0)
}

/** The next clock change of a zone after a moment; null if none is known. */
export function changeAfter(zone: TimeZone, ms: number): ClockChange | null {
  const repeated = repeatedMs(zone, ms)
  const index = changesUntil(zone, ms - repeated)
  const found = zone.ats[index]
  if (found === undefined) return null
  const at = found + repeated
  const before = at + (index === 0 ? zone.first : (zone.offsets[index - 1] ?? 0))
  return { zone, at, before, after: at + (zone.offsets[index] ?? 0) }
}

/** The clock changes of a zone after a moment, the next one first. */
export function* clockChangesAfter(zone: TimeZone, ms: number): Generator<ClockChange> {
  for (let change = changeAfter(zone, ms); change; change = changeAfter(zone, change.at)) yield change
}

/**
 * The moments at which clocks of a zone show a time, which is in milliseconds as if it were UTC.
 * @returns one moment and no change; or the clock change that skips the time (no moment) or repeats it (two)
 */
export function instantsOf(zone: TimeZone, clockMs: number) {
  const instants: number[] = []
  let met: ClockChange | null = null
  // Larger than any offset, and than any change of clocks.
  let from = clockMs - 2 * dayMs
  while (true) {
    const change = changeAfter(zone, from)
    const at = clockMs - offsetAt(zone, from)
    if (at >= from && (!change || at < change.at)) instants.push(at)
    if (!change || change.at > clockMs + 2 * dayMs) break
    const { before, after } = change
    if (Math.min(before, after) <= clockMs && clockMs < Math.max(before, after)) met = change
    from = change.at
  }
  return { instants, change: instants.length === 1 ? null : met }
}

/** How far a moment is moved back to where changes are written out. They repeat, if the zone still changes its clocks then. */
function repeatedMs({ ats }: TimeZone, ms: number): number {
  const last = ats.at(-1) ?? 0
  return last < lastYearMs || ms < last ? 0 : Math.ceil((ms - last + 1) / cycleMs) * cycleMs
}

/** How many changes there are until a moment, this included. */
function changesUntil({ ats }: TimeZone, ms: number): number {
  let [from, to] = [0, ats.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((ats[middle] ?? 0) <= ms) from = middle + 1
    else to = middle
  }
  return from
}

/** `2027-03-28T03:00:00+02:00`, the time in a zone or with another offset. Some old offsets have seconds. */
export function toLocalText(zone: TimeZone, ms: number, offsetMs = offsetAt(zone, ms)): string {
  return `${toIso(ms + offsetMs).slice(0, 19)}${toOffsetText(offsetMs)}`
}

/** `On 2027-03-28, clocks in Europe/Berlin go from 02:00 to 03:00`, without a full stop. */
export function toChangeText({ zone, before, after }: ClockChange): string {
  const [fromDay, from] = toDayAndClock(before)
  return `On ${fromDay}, clocks in ${zone.name} go from ${from} to ${toClockOn(after, fromDay)}`
}

/** The time that clocks show, with the day if that is another one than `day`. */
export function toClockOn(ms: number, day: string): string {
  const [ownDay, clock] = toDayAndClock(ms)
  return ownDay === day ? clock : `${clock} on ${ownDay}`
}

/** The day and the time that clocks show, with seconds where it has some. */
export function toDayAndClock(ms: number): [day: string, clock: string] {
  const text = toIso(ms)
  return [text.slice(0, 10), text.slice(11, 19).replace(/:00$/, "")]
}
