import { type Static, Type } from "@sinclair/typebox"
import { defineProblems } from "../../values/problems.ts"
import { timeZoneForm } from "../../values/time-zone.ts"
import {
  builtInZones,
  type TimeZone,
  type TimeZones,
  zoneDataVersion,
  zoneList,
} from "../../values/time-zones/zone-data.ts"
import { choice, defineIsolatedApi, nullableText, premium, reject } from "../contract.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"
import { CronMistake, type Dialect, dialects, readExpression } from "./expression.ts"
import { languages } from "./words.ts"

/** How many runs are computed by default, and at most on plans without premium fields. */
export const shownToAll = 5
export const afterForm =
  "must be a time from 1970 to 2199, such as 2027-01-31T12:00:00Z or 1801396800 (Unix seconds), or a date"

export const { problemList, problem } = defineProblems({
  no_run: "error: no time fits the expression",
  either_day: "warning: it runs on days that fit the day of the month or the day of the week, not only both",
  both_days: "warning: it runs on days that fit both, since one of the two fields begins with `*`",
  left_out: "warning: a clock change skips a run's time",
  repeated: "info: a clock change repeats a run's time",
})

const input = Type.Object({
  expression: field.text(
    "Minute, hour, day of the month, month and day of the week, as in `0 9 * * 1-5`. `dialect` tells what other fields there are. `L` is the last day, `W` the nearest weekday and `#` the n-th weekday. With `+` before the day of the week, the days of the month and of the week must both fit, as they must in cron if one of the two begins with `*`. Also `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`.",
    { minLength: 1, maxLength: 200 },
  ),
  dialect: Type.Optional(
    choice(dialects, {
      description:
        "How the expression is read. `unix`: five fields; with six, the first is the second; with seven, the last is also the year; 0 and 7 are Sunday. `quartz`: six or seven such fields, one of the two days is `?`, and 1 is Sunday. `aws` (EventBridge): five fields and the year, one of the two days is `?`, and 1 is Sunday. Default: the one that the number of fields and the place of `?` fit.",
    }),
  ),
  timezone: field.optional.text(
    "The time zone of the schedule, by its name in the IANA database, or an offset such as `+05:30`.",
    { maxLength: 64, default: "UTC" },
  ),
  count: field.optional.integer(
    `How many runs to compute. Plans without premium fields get at most ${shownToAll}.`,
    { minimum: 1, maximum: 100, default: shownToAll },
  ),
  after: field.optional.text("Computes runs after this time, such as `2027-01-31T12:00:00Z`. Default: now.", {
    maxLength: 40,
    "x-requirement": afterForm,
  }),
  language: Type.Optional(
    premium(choice(languages, { default: "en", description: "The language of `description`." })),
  ),
})

/** The input of a run: with the rules of the time zone instead of its name. */
export type CronInput = Omit<Static<typeof input>, "timezone"> & { readonly zone: TimeZone }

/** The API with the zones of a version of the IANA database, such as a newer one that the operator configured. */
export function createCronparser(zones: TimeZones) {
  return defineIsolatedApi({
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
      "Reads a cron expression, describes it in words, and computes its next runs in a time zone. Reports times that clock changes skip or repeat.",
    method: "GET",
    credits: 1,
    lists: [zoneList(zones)],
    input,
    output: Type.Object({
      is_valid: field.flag("False if it never runs."),
      problems: problemList,
      description: nullableText("When it runs, in words; null for a few forms that cannot be described."),
      dialect: choice(dialects, { description: "The dialect in which the expression was read." }),
      timezone: field.text("The name of the time zone in the IANA database."),
      runs: field.rows("The next runs; fewer than `count` if there are no more before the year 3000.", {
        local: field.text("The time in the time zone, with its offset from UTC."),
        utc: field.text("The same time in UTC."),
      }),
      data_version: zoneDataVersion,
    }),
    examples: storedExamples(stored, answers),
    isolated: {
      limitMs: 2_000,
      isBounded: ({ expression, dialect, language = "en" }) =>
        language === "en" && isDense(String(expression), dialect as Dialect | undefined),
      async prepare({ timezone = "UTC", ...rest }) {
        return { ...rest, zone: (await zones.find(String(timezone))) ?? reject("timezone", timeZoneForm) }
      },
    },
  })
}

/** The API with the built-in zones. */
export const cronparser = createCronparser(builtInZones)

/** Whether every few years have a day that fits. The nearest or last day, days that must fit twice and years may be far away. */
function isDense(expression: string, dialect?: Dialect): boolean {
  try {
    const { text } = readExpression(expression, dialect)
    return !/[+#LW]/.test(text) && [undefined, "*"].includes(text.split(" ")[6])
  } catch (thrown) {
    // The run refuses it at once.
    if (thrown instanceof CronMistake) return true
    throw thrown
  }
}
