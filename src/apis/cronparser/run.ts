import { verdictOf } from "../../values/problems.ts"
import { parseTime, toIso } from "../../values/time-text.ts"
import { toChangeText, toClockOn, toDayAndClock, toLocalText } from "../../values/time-zone.ts"
import type { TimeZone } from "../../values/time-zones/zone-data.ts"
import { type RunContext, reject } from "../contract.ts"
import { type CronExpression, CronMistake, type Dialect, readExpression } from "./expression.ts"
import { afterForm, type CronInput, problem, shownToAll } from "./index.ts"
import { type MetChange, metChanges, readSchedule, type Schedule } from "./schedule.ts"
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

function read(
  expression: string,
  asked: Dialect | undefined,
  zone: TimeZone,
): CronExpression & { schedule: Schedule } {
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
