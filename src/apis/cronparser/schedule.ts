import { Cron, CronPattern } from "croner"
import { atZone, type ClockChange, clockChangesAfter } from "../../values/time-zone.ts"
import { jumpOverSkipped, type Search } from "./skipped-times.ts"
import { withoutEmptyYears } from "./years.ts"

/** A cron expression in a time zone. */
export interface Schedule {
  readonly pattern: CronPattern
  readonly zone: string
  /** The first run after a time, both in milliseconds since the Unix epoch; null if there is none. */
  readonly next: Search
  /** The same for the time that clocks show, both written as if it were UTC. */
  readonly nextOnClock: Search
}

/**
 * Reads a cron expression.
 * @throws Error with the reason, if croner cannot read it
 */
export function readSchedule(expression: string, zone: string): Schedule {
  const pattern = new CronPattern(expression)
  const text = withoutEmptyYears(expression, pattern)
  if (text === null) return { pattern, zone, next: () => null, nextOnClock: () => null }
  return { pattern, zone, next: searchIn(zone, text, pattern), nextOnClock: searchOnClock(text) }
}

function searchIn(zone: string, expression: string, { isFixedTime, starYear }: CronPattern): Search {
  const cron = new Cron(expression, { timezone: zone })
  // A schedule with one time a day runs after the change if its time is skipped.
  if (isFixedTime || zone === "UTC") return searchOf(cron)
  const jump = (one: Cron, text: string, search: Search, isEver: (afterMs: number) => boolean) => {
    const runsAt = (ms: number) => one.match(new Date(ms))
    return jumpOverSkipped({ zone, search, nextOnClock: searchOnClock(text), runsAt }, isEver)
  }
  if (starYear) return jump(cron, expression, searchOf(cron), () => true)
  const inAnyYear = expression.replace(/\S+\s*$/, "*")
  const ever = jump(
    new Cron(inAnyYear, { timezone: zone }),
    inAnyYear,
    (fromMs) => fromMs,
    () => true,
  )
  return jump(cron, expression, searchOf(cron), (afterMs) => ever(afterMs) !== null)
}

/** croner is faster with an offset than with a zone. */
function searchOnClock(expression: string): Search {
  return searchOf(new Cron(expression, { utcOffset: 0 }))
}

function searchOf(cron: Cron): Search {
  return (afterMs) => cron.nextRun(new Date(afterMs))?.getTime() ?? null
}

/** A clock change, and the first time of a schedule that it skips or repeats. */
export interface MetChange extends ClockChange {
  readonly met: number
  /**
   * Whether the schedule has one second, minute and hour. Then it runs after the change if its time is skipped, and once if it
   * is repeated. Other schedules do not run at a skipped time, and run twice at a repeated one.
   */
  readonly isFixedTime: boolean
}

const maxChanges = 20

/** The next clock change that skips times of a schedule, and the next that repeats them, among the next 20 changes. */
export function metChanges({ pattern, zone, nextOnClock }: Schedule, afterMs: number): MetChange[] {
  const found = new Map<"left out" | "repeated", MetChange>()
  let count = 0
  let met: number | null = Number.NEGATIVE_INFINITY
  for (const change of clockChangesAfter(atZone(afterMs, zone))) {
    if (++count > maxChanges || found.size === 2) break
    const kind = change.after > change.before ? "left out" : "repeated"
    const first = Math.min(change.before, change.after)
    if (met < first) met = nextOnClock(first - 1_000)
    if (met === null) break
    const isMet = met < Math.max(change.before, change.after) && !isUnnoticed(pattern, change)
    if (isMet && !found.has(kind)) found.set(kind, { ...change, met, isFixedTime: pattern.isFixedTime })
  }
  return [...found.values()]
}

/** Whether nobody notices a change: a schedule for every hour goes on as before if clocks move by whole hours. */
function isUnnoticed({ hour }: CronPattern, { before, after }: ClockChange): boolean {
  return hour.every((isIn) => isIn) && (after - before) % 3_600_000 === 0
}
