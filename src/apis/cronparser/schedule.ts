import { Cron, CronPattern } from "croner"
import { atZone, type ClockChange, clockChangesAfter } from "../../values/time-zone.ts"

/** An expression that was read, in a time zone. */
export interface Schedule {
  readonly pattern: CronPattern
  readonly zone: string
  /** The first run after a time, both in milliseconds since the Unix epoch; null if there is none. */
  readonly next: (afterMs: number) => number | null
  /** The same for the time that clocks show, as if it were UTC. */
  readonly nextOnClock: (afterMs: number) => number | null
}

/**
 * Reads an expression.
 * @throws Error with the reason, for one that croner cannot read
 */
export function readSchedule(expression: string, zone: string): Schedule {
  const pattern = new CronPattern(expression)
  const next = (cron: Cron) => (afterMs: number) => cron.nextRun(new Date(afterMs))?.getTime() ?? null
  return {
    pattern,
    zone,
    next: next(new Cron(expression, { timezone: zone })),
    nextOnClock: next(new Cron(expression, { timezone: "UTC" })),
  }
}

/** A change of the clocks, and the first time of a schedule that clocks do not show then, or show twice. */
export interface MetChange extends ClockChange {
  readonly met: number
  /**
   * Whether the schedule has one second, minute and hour: then a time that is left out runs after the change, and one that comes
   * twice runs once. Other schedules do not run at a time that is left out, and run both times.
   */
  readonly isFixedTime: boolean
}

const maxChanges = 20

/** The next change that leaves out times of a schedule, and the next that repeats them, if they are among the next 20 changes. */
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

/** A schedule with the same minutes in each hour goes on as if no clock had changed. */
function isUnnoticed({ hour }: CronPattern, { before, after }: ClockChange): boolean {
  return hour.every((isIn) => isIn) && (after - before) % 3_600_000 === 0
}
