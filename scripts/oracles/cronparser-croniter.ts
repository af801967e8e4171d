import { CronPattern } from "croner"
import { type Answer, type Case, generateCases, ours } from "./cronparser.ts"
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
  ],
})
