import { CronPattern } from "croner"
import { type Answer, type Case, generateCases, needsBothDays, ours } from "./cronparser.ts"
import { askPython, debianVersion, defineOracle } from "./oracle.ts"

export const oracle = defineOracle<Case, Answer>({
  api: "cronparser",
  against: "python3-croniter",
  cases: 4_000,
  // With other zones, version 1.3.5 is hours off in summer; they are compared with cron-parser.
  generate: generateCases().map((test) => ({ ...test, timezone: "UTC" })),
  version: () => debianVersion("python3-croniter"),
  ours,
  theirs: (cases) => askPython("cronparser.py", cases, "python3-croniter"),
  known: [
    {
      reason:
        "one of the two days begins with *: cron runs on days that fit both (DOM_STAR in its entry.c), croniter on days that fit either",
      fits: ({ expression }) => needsBothDays(expression),
    },
    {
      reason:
        "a day of the month or of the week that allows every value without being *, such as */1: croniter takes it for *, cron-parser and croner do not",
      fits({ expression }) {
        const { day, dayOfWeek, starDOM, starDOW } = new CronPattern(expression)
        return (!starDOM && day.every(Boolean)) || (!starDOW && dayOfWeek.slice(0, 7).every(Boolean))
      },
    },
    {
      reason: "croniter finds no day of the week when the month lacks the day of the month",
      fits: (_test, ours, theirs) => theirs?.length === 0 && ours !== null && ours.length > 0,
    },
    {
      reason:
        "after a month that lacks a day of the expression, croniter also leaves out as many days of the next month",
      fits({ expression }, ours, theirs) {
        const last = theirs?.at(-1) ?? ""
        const leftOut = ours?.filter((time) => !theirs?.includes(time) && time < last) ?? []
        const hasLateDay = new CronPattern(expression).day.slice(28, 31).some(Boolean)
        return hasLateDay && leftOut.length > 0 && leftOut.every((time) => new Date(time).getUTCDate() <= 3)
      },
    },
  ],
})
