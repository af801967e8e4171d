import { Type } from "@sinclair/typebox"
import { defineProblems, isValid } from "../../values/problems.ts"
import { parseInstant, toIso } from "../../values/time-text.ts"
import {
  atZone,
  timeZoneForm,
  toChangeText,
  toDayAndClock,
  toLocalText,
  toTimeZone,
} from "../../values/time-zone.ts"
import { choice, defineApi, nullable, premium, reject } from "../contract.ts"
import { examples } from "./examples.ts"
import { type MetChange, metChanges, readSchedule, type Schedule } from "./schedule.ts"
import { describe, languages } from "./words.ts"

const shownToAll = 5
const afterForm =
  "must be a time from 1970 to 2199 as ISO 8601 writes it, such as 2027-01-31T12:00:00Z, or a date"

const { problemList, problem } = defineProblems({
  no_run: ["error", "no time fits the expression"],
  either_day: ["warning", "it runs on days that fit one of two fields, not both"],
  left_out: ["warning", "a change of the clocks leaves out a time"],
  repeated: ["info", "a change of the clocks repeats a time"],
})

export const cronparser = defineApi({
  id: "cronparser",
  title: "Cron expression parser",
  category: "time and place",
  keywords: [
    "crontab",
    "schedule",
    "next run",
    "job",
    "Quartz",
    "explain",
    "recurring",
    "timer",
    "every minute",
  ],
  description:
    "Reads a cron expression, says in words when it runs, and computes its next runs in a time zone. Tells which times a change of the clocks leaves out or repeats.",
  method: "GET",
  credits: 1,
  input: Type.Object({
    expression: Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        "Minute, hour, day of the month, month and day of the week, as in `0 9 * * 1-5`. With six fields the first is the second, with seven the last is the year. `L`, `W` and `#` stand for last, nearest weekday and n-th weekday; `+` before the day of the week makes both days count. Also `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`.",
    }),
    timezone: Type.Optional(
      Type.String({
        maxLength: 64,
        default: "UTC",
        description:
          "The time zone of the schedule, by its name in the IANA database, or an offset such as `+05:30`.",
      }),
    ),
    count: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        default: shownToAll,
        description: `How many runs to compute. Plans without premium fields get at most ${shownToAll}.`,
      }),
    ),
    after: Type.Optional(
      Type.String({
        maxLength: 40,
        "x-requirement": afterForm,
        description: "The runs after this time, such as `2027-01-31T12:00:00Z`. Default: now.",
      }),
    ),
    language: Type.Optional(
      premium(choice(languages, { default: "en", description: "The language of `description`." })),
    ),
  }),
  output: Type.Object({
    is_valid: Type.Boolean({ description: "False if it never runs." }),
    problems: problemList,
    description: nullable(Type.String(), {
      description: "When it runs, in words; null for the few forms that have none.",
    }),
    timezone: Type.String({ description: "The time zone, as the IANA database writes it." }),
    runs: Type.Array(
      Type.Object({
        local: Type.String({ description: "The time in the time zone, with its offset from UTC." }),
        utc: Type.String({ description: "The same time in UTC." }),
      }),
      { description: "The next runs; fewer than `count` if there are no more until the year 2999." },
    ),
  }),
  examples,
  async run({ expression, timezone = "UTC", count = shownToAll, after, language = "en" }, context) {
    const zone = toTimeZone(timezone) ?? reject("timezone", timeZoneForm)
    const afterMs = after === undefined ? context.ports.clock.now() : toAfter(after)
    const schedule = read(await import("croner"), expression, zone)
    const description = await describe(expression, context.premium ? language : "en")
    const runs: number[] = []
    const wanted = context.premium ? count : Math.min(count, shownToAll)
    for (let last: number | null = afterMs; runs.length < wanted; runs.push(last)) {
      const pause = context.giveWay()
      if (pause) await pause
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
  },
})

function toAfter(text: string): number {
  const ms = parseInstant(text)
  if (ms === null || ms < 0 || ms >= Date.UTC(2200, 0)) reject("after", afterForm)
  return ms
}

function read(library: typeof import("croner"), expression: string, zone: string): Schedule {
  try {
    return readSchedule(library, expression, zone)
  } catch (error) {
    // croner's messages begin with the name of its class.
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
    "It runs on each day that fits the day of the month or the day of the week. Put + before the day of the week for days that fit both. Programs that take a field for unrestricted if it begins with * differ."
  return [problem("either_day", "day of the month and day of the week", message)]
}

function toProblem(change: MetChange) {
  const [day, clock] = toDayAndClock(change.met)
  const text = toChangeText(change)
  if (change.after > change.before) {
    const [, instead] = toDayAndClock(change.after)
    const fate = change.isFixedTime
      ? `the run at ${clock} takes place at ${instead}`
      : "there is no run at a time between"
    return problem("left_out", day, `${text}: ${fate}.`)
  }
  const often = change.isFixedTime ? "it runs the first time alone" : "it runs both times"
  return problem("repeated", day, `${text}. ${clock} comes twice then: ${often}.`)
}
