import { Cron, CronPattern } from "croner"
import { atZone, type ClockChange, clockChangesAfter } from "../../values/time-zone.ts"

/** A cron expression in a time zone. */
export interface Schedule {
  readonly pattern: CronPattern
  readonly zone: string
  /** The first run after a time, both in milliseconds since the Unix epoch; null if there is none. */
  readonly next: (afterMs: number) => number | null
  /** The same for the time that clocks show, both written as if it were UTC. */
  readonly nextOnClock: (afterMs: number) => number | null
}

/**
 * Reads a cron expression.
 * @throws Error with the reason, if croner cannot read it
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
