import { atZone, clockChangesAfter } from "../../values/time-zone.ts"

/** The first run after a time, both in milliseconds since the Unix epoch; null if there is none. */
export type Search = (afterMs: number) => number | null

/** What a search in a time zone needs. */
interface Parts {
  readonly zone: string
  /** The search of croner in the zone. */
  readonly search: Search
  /** The search for the time that clocks show, as if it were UTC. */
  readonly nextOnClock: Search
  /** Whether a schedule runs at a time. */
  readonly runsAt: (ms: number) => boolean
}

/** The calendar repeats after 400 years. Times begin in 1970, and some zones have special rules until 2087. */
const cycleMs = 520 * 366 * 86_400_000
/** After so many jumps, it is worth finding out whether the schedule runs at all. */
const manyJumps = 20

/**
 * Searches as croner does, but jumps over the times that a clock change skips. croner tries each second of them, and a schedule
 * such as `* * 2 25-31 3 +SUN#L` in Europe has no other times.
 * @param isEver whether the schedule runs after a time if its years do not count
 */
export function jumpOverSkipped(
  { zone, search, nextOnClock, runsAt }: Parts,
  isEver: (afterMs: number) => boolean,
): Search {
  return (afterMs) => {
    let fromMs = afterMs
    for (let jumps = 0; fromMs < afterMs + cycleMs; jumps++) {
      if (jumps === manyJumps && !isEver(fromMs)) return null
      const met = nextOnClock(lowestClockAfter(atZone(fromMs, zone)))
      const end = met === null ? null : endOfSkipped(met, zone)
      if (end === null || end <= fromMs) return search(fromMs)
      if (runsAt(end)) return end
      fromMs = end
    }
    return null
  }
}

/** The time that clocks show, as if it were UTC; or a lower one that they show again after the next change. */
function lowestClockAfter(time: Temporal.ZonedDateTime): number {
  const shown = time.epochMilliseconds + time.offsetNanoseconds / 1e6
  const [change] = clockChangesAfter(time)
  return change && change.after <= shown ? change.after - 1_000 : shown
}

/** When the clocks of a zone change and skip a time; null if they show it. */
function endOfSkipped(clock: number, zone: string): number | null {
  const plain = atZone(clock, "UTC").toPlainDateTime()
  const before = plain.toZonedDateTime(zone, { disambiguation: "earlier" })
  if (before.epochMilliseconds + before.offsetNanoseconds / 1e6 === clock) return null
  return before.getTimeZoneTransition("next")?.epochMilliseconds ?? null
}
