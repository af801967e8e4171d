import { Cron, CronPattern } from "croner"
import { verdictOf } from "../../values/problems.ts"
import { parseTime, toIso } from "../../values/time-text.ts"
import {
  type ClockChange,
  clockChangesAfter,
  instantsOf,
  offsetAt,
  toChangeText,
  toClockOn,
  toDayAndClock,
  toLocalText,
} from "../../values/time-zone.ts"
import type { TimeZone } from "../../values/time-zones/zone-data.ts"
import { type RunContext, reject } from "../contract.ts"
import { type CronExpression, CronMistake, type Dialect, readExpression } from "./expression.ts"
import { afterForm, type CronInput, problem, shownToAll } from "./index.ts"
import { describe } from "./words.ts"

export async function run(
  { expression, dialect: asked, zone, count = shownToAll, after, language = "en" }: CronInput,
  { ports, premium }: RunContext,
) {
  const afterMs = after === undefined ? ports.clock.now() : toAfter(after)
  const { dialect, schedule, text } = read(expression, asked, zone)
  const description = await describe(text, premium ? language : "en")
  const runs: number[] = []
  const wanted = premium ? count : Math.min(count, shownToAll)
  for (let last: number | null = afterMs; runs.length < wanted; runs.push(last)) {
    last = schedule.next(last)
    if (last === null) break
  }
  const changes = runs.length === 0 ? [] : metChanges(schedule, afterMs)
  const problems = [
    ...(runs.length === 0 ? [neverRuns(schedule, afterMs)] : []),
    ...twoDays(schedule, expression),
    ...changes.map(toProblem),
  ]
  return {
    ...verdictOf(problems),
    description,
    dialect,
    timezone: zone.name,
    runs: runs.map((ms) => ({ local: toLocalText(zone, ms), utc: toIso(ms) })),
    data_version: zone.version,
  }
}

function toAfter(text: string): number {
  const ms = parseTime(text)
  if (ms === null || ms < 0 || ms >= Date.UTC(2200, 0)) reject("after", afterForm)
  return ms
}

function read(expression: string, asked: Dialect | undefined, zone: TimeZone) {
  const form = "must be a cron expression, such as 0 9 * * 1-5"
  let found: CronExpression
  try {
    found = readExpression(expression, asked)
  } catch (error) {
    if (error instanceof CronMistake) reject("expression", `${form}. The mistake: ${error.message}`)
    throw error
  }
  try {
    return { ...found, schedule: readSchedule(found.text, zone) }
  } catch {
    // croner's reasons are about its own form of the expression.
    reject("expression", `${form}. It has a combination of values that is not supported`)
  }
}

function neverRuns({ pattern }: Schedule, afterMs: number) {
  const until = pattern.starYear ? " until the year 2999" : ""
  return problem("no_run", "expression", `No time after ${toIso(afterMs)} fits the expression${until}.`)
}

function twoDays({ pattern: { starDOM, starDOW, useAndLogic } }: Schedule, expression: string) {
  if (starDOM || starDOW || (useAndLogic && expression.includes("+"))) return []
  const where = "day of the month and day of the week"
  const both =
    "It runs only on days that fit the day of the month and the day of the week, as in cron, since one of them begins with *. Some programs run on days that fit either."
  const either =
    "It runs on each day that fits the day of the month or the day of the week. Put + before the day of the week for days that fit both."
  return [useAndLogic ? problem("both_days", where, both) : problem("either_day", where, either)]
}

function toProblem(change: MetChange) {
  const [day, clock] = toDayAndClock(change.met)
  const text = toChangeText(change)
  if (change.after > change.before) {
    const fate = change.isFixedTime
      ? `the run of ${clock} takes place at ${toClockOn(change.after, day)}`
      : "it does not run at the times between"
    return problem("left_out", day, `${text}: ${fate}.`)
  }
  const often = change.isFixedTime ? "it runs only the first time" : "it runs both times"
  return problem("repeated", day, `${text}. ${clock} comes twice: ${often}.`)
}

/**
 * Removes years without a matching day from a cron expression, since croner would look at each of their days, up to the year
 * 9999. Returns null if no year is left. Which days match depends on the length of a year and the day of the week on which it
 * begins.
 */
function withoutEmptyYears(expression: string, { year, starYear }: CronPattern): string | null {
  const fields = expression.trim().split(/\s+/)
  // Words such as @daily match in each year.
  if (fields.length < 5) return expression
  const [day, month, weekday] = fields.slice(fields.length === 5 ? 2 : 3)
  const days = new Cron(`0 0 0 ${day} ${month} ${weekday} ${samples.join(",")}`, { utcOffset: 0 })
  if (days.nextRun(new Date(Date.UTC(2000, 11, 31))) === null) return null
  if (starYear) return expression
  const kinds = new Set(samples.filter((sample) => hasRunIn(days, sample)).map(kindOf))
  const asked = year.flatMap((isAsked, one) => (isAsked ? [one] : []))
  const left = asked.filter((one) => kinds.has(kindOf(one)))
  if (left.length === asked.length) return expression
  return left.length === 0 ? null : [...fields.slice(0, 6), left.join(",")].join(" ")
}

/** There are 14 kinds of years. 28 years in a row have all of them, if 4 always divides those with 366 days. */
const samples = Array.from({ length: 28 }, (_, index) => 2001 + index)

/** The kind of a year: the days of the week on which it begins and ends. */
function kindOf(year: number): string {
  // Years before 100 would be taken for those of the last century; 400 years later is the same day.
  const dayOf = (month: number, day: number) => new Date(Date.UTC(year + 400, month, day)).getUTCDay()
  return `${dayOf(0, 1)} ${dayOf(11, 31)}`
}

function hasRunIn(cron: Cron, year: number): boolean {
  return cron.nextRun(new Date(Date.UTC(year - 1, 11, 31)))?.getUTCFullYear() === year
}

/** The first run after a time, both in milliseconds since the Unix epoch; null if there is none. */
type Search = (afterMs: number) => number | null

/** A cron expression in a time zone. */
interface Schedule {
  readonly pattern: CronPattern
  readonly zone: TimeZone
  readonly next: Search
  /** The same for the time that clocks show, both written as if it were UTC. */
  readonly nextOnClock: Search
}

/**
 * Reads a cron expression in the form of croner.
 * @throws Error if croner cannot read it
 */
export function readSchedule(expression: string, zone: TimeZone): Schedule {
  const pattern = new CronPattern(expression)
  const text = withoutEmptyYears(expression, pattern)
  if (text === null) return { pattern, zone, next: () => null, nextOnClock: () => null }
  // croner searches on the clock: its zones are those of the runtime, which may be old.
  const cron = new Cron(text, { utcOffset: 0 })
  const nextOnClock = (afterMs: number) => cron.nextRun(new Date(afterMs))?.getTime() ?? null
  return { pattern, zone, next: searchIn(zone, nextOnClock, pattern), nextOnClock }
}

/**
 * The calendar repeats after 400 years, and some zones have special rules until 2087. So a schedule whose times were skipped this
 * often has no others.
 */
const maxSkipped = 1_040

/**
 * Searches on the clock, and finds when clocks show that time. A schedule with one time a day runs at the change if its time is
 * skipped, and the first time if it is repeated. Others do not run at skipped times, and run twice at repeated ones.
 */
function searchIn(zone: TimeZone, nextOnClock: Search, { isFixedTime }: CronPattern): Search {
  return (afterMs) => {
    const from = Math.floor(afterMs / 1_000) * 1_000
    let offset = offsetAt(zone, from)
    let start = from + offset
    let met = nextOnClock(start)
    // Leave out a time that clocks have shown before and repeat.
    const hasRun = (clock: number) => (instantsOf(zone, clock).instants[0] ?? clock - offset) <= from
    while (isFixedTime && met !== null && hasRun(met)) met = nextOnClock(met)
    let skipped = 0
    for (const change of clockChangesAfter(zone, from)) {
      if (met === null || met - offset < change.at) break
      const { before, after } = change
      offset = after - change.at
      if (met < after) {
        if (isFixedTime) return change.at
        if (++skipped > maxSkipped) return null
        start = after - 1_000
        met = nextOnClock(start)
      } else if (!isFixedTime && after < before && start >= after) {
        start = after - 1_000
        met = nextOnClock(start)
      }
    }
    return met === null ? null : met - offset
  }
}

/** A clock change, and the first time of a schedule that it skips or repeats. */
interface MetChange extends ClockChange {
  readonly met: number
  /**
   * Whether the schedule has one second, minute and hour. Then it runs after the change if its time is skipped, and once if it
   * is repeated. Other schedules do not run at a skipped time, and run twice at a repeated one.
   */
  readonly isFixedTime: boolean
}

const maxChanges = 20

/** The next clock change that skips times of a schedule, and the next that repeats them, among the next 20 changes. */
function metChanges({ pattern, zone, nextOnClock }: Schedule, afterMs: number): MetChange[] {
  const found = new Map<"left out" | "repeated", MetChange>()
  let count = 0
  let met: number | null = Number.NEGATIVE_INFINITY
  for (const change of clockChangesAfter(zone, afterMs)) {
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
