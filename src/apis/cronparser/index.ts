import { Type } from "@sinclair/typebox"
import { choice, defineIsolatedApi, nullable, premium } from "../contract.ts"
import { examples } from "./examples.ts"
import { problemList } from "./problems.ts"
import { languages } from "./words.ts"

/** The runs on plans without premium fields, and where `count` is left out. */
export const shownToAll = 5
export const afterForm =
  "must be a time from 1970 to 2199 as ISO 8601 writes it, such as 2027-01-31T12:00:00Z, or a date"

export const cronparser = defineIsolatedApi({
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
  isolated: { limitMs: 2_000 },
})
