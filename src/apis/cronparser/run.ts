import { isValid } from "../../values/problems.ts"
import { parseInstant, toIso } from "../../values/time-text.ts"
import {
  atZone,
  timeZoneForm,
  toChangeText,
  toDayAndClock,
  toLocalText,
  toTimeZone,
} from "../../values/time-zone.ts"
import { type RunOf, reject } from "../contract.ts"
import { afterForm, type cronparser, problem, shownToAll } from "./index.ts"
import { type MetChange, metChanges, readSchedule, type Schedule } from "./schedule.ts"
import { describe } from "./words.ts"

export const run: RunOf<typeof cronparser> = async (
  { expression, timezone = "UTC", count = shownToAll, after, language = "en" },
  { ports, premium },
) => {
  const zone = toTimeZone(timezone) ?? reject("timezone", timeZoneForm)
  const afterMs = after === undefined ? ports.clock.now() : toAfter(after)
  const schedule = read(expression, zone)
  const description = await describe(expression, premium ? language : "en")
  const runs: number[] = []
  const wanted = premium ? count : Math.min(count, shownToAll)
  for (let last: number | null = afterMs; runs.length < wanted; runs.push(last)) {
    last = schedule.next(last)
    if (last === null) break
  }
  const changes = runs.length === 0 ? [] : metChanges(schedule, afterMs)
  const problems = [
    ...(runs.length === 0 ? [neverRuns(schedule, afterMs)] : []),
    ...eitherDay(schedule),
    ...changes.map(toProblem),
  ]
  return {
    is_valid: isValid(problems),
    problems,
    description,
    timezone: zone,
    runs: runs.map((ms) => ({ local: toLocalText(atZone(ms, zone)), utc: toIso(ms) })),
  }
}

function toAfter(text: string): number {
  const ms = parseInstant(text)
  if (ms === null || ms < 0 || ms >= Date.UTC(2200, 0)) reject("after", afterForm)
  return ms
}

function read(expression: string, zone: string): Schedule {
  try {
    return readSchedule(expression, zone)
  } catch (error) {
    // croner's messages begin with a class name.
    const reason = error instanceof Error ? error.message.replace(/^\w+: |\.$/g, "") : String(error)
    reject("expression", `must be a cron expression, such as 0 9 * * 1-5. The mistake: ${reason}`)
  }
}

function neverRuns({ pattern }: Schedule, afterMs: number) {
  const until = pattern.starYear ? " until the year 2999" : ""
  return problem("no_run", "expression", `No time after ${toIso(afterMs)} fits the expression${until}.`)
}

function eitherDay({ pattern: { starDOM, starDOW, useAndLogic } }: Schedule) {
  if (starDOM || starDOW || useAndLogic) return []
  const message =
    "It runs on each day that fits the day of the month or the day of the week. Put + before the day of the week for days that fit both. Some programs decide otherwise if one of the two fields begins with *."
  return [problem("either_day", "day of the month and day of the week", message)]
}

function toProblem(change: MetChange) {
  const [day, clock] = toDayAndClock(change.met)
  const text = toChangeText(change)
  if (change.after > change.before) {
    const [, instead] = toDayAndClock(change.after)
    const fate = change.isFixedTime
      ? `the run of ${clock} takes place at ${instead}`
      : "it does not run at the times between"
    return problem("left_out", day, `${text}: ${fate}.`)
  }
  const often = change.isFixedTime ? "it runs only the first time" : "it runs both times"
  return problem("repeated", day, `${text}. ${clock} comes twice: ${often}.`)
}
