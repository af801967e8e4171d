import { CronExpressionParser } from "cron-parser"
import fc from "fast-check"
import packageJson from "../../package.json" with { type: "json" }
import { cronparser } from "../../src/apis/cronparser/index.ts"
import { run } from "../../src/apis/cronparser/run.ts"
import { changeAfter, offsetAt } from "../../src/values/time-zone.ts"
import { ask, defineOracle, type Judgement } from "./oracle.ts"
import { zoneOf } from "./shared/zones.ts"

interface Case {
  readonly expression: string
  readonly timezone: string
  readonly after: string
}
/** The next runs in UTC; null if the expression is refused. */
type Answer = readonly string[] | null

const shown = 5

/** A field of values from `least` to `most`: any, steps, single values, lists, ranges and ranges in steps. */
function field(least: number, most: number, ...others: string[]): fc.Arbitrary<string> {
  const value = fc.integer({ min: least, max: most })
  const range = fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`)
  // cron-parser refuses a list that has a value twice.
  const list = fc
    .uniqueArray(value, { minLength: 3, maxLength: 6 })
    .map((values) => values.toSorted((a, b) => a - b))
    .map(([first, second, ...rest]) => [`${first}-${second}`, ...rest].join(","))
  const step = fc.integer({ min: 1, max: Math.floor((most - least) / 2) })
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant("*") },
    { weight: 4, arbitrary: value.map(String) },
    { weight: 2, arbitrary: step.map((by) => `*/${by}`) },
    { weight: 2, arbitrary: list },
    { weight: 1, arbitrary: fc.tuple(range, step).map(([text, by]) => `${text}/${by}`) },
    { weight: 1, arbitrary: fc.constantFrom("*", ...others) },
  )
}

const zones =
  "UTC Europe/Berlin America/New_York Australia/Lord_Howe Asia/Kolkata America/Sao_Paulo Africa/Casablanca Pacific/Apia Asia/Tehran America/St_Johns".split(
    " ",
  )
const wholeMinute = (ms: number) => new Date(Math.floor(ms / 60_000) * 60_000).toISOString()

const nearChange = fc
  .tuple(
    fc.tuple(field(0, 59), fc.oneof(fc.constantFrom("0", "1", "2", "3"), field(0, 4))),
    fc.constantFrom(...zones.filter((zone) => zone !== "UTC")),
    fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2014, 0) }),
  )
  .map(([fields, timezone, from]): Case => {
    const change = changeAfter(zoneOf(timezone), from)?.at ?? from
    return { expression: [...fields, "* * *"].join(" "), timezone, after: wholeMinute(change - 7_200_000) }
  })

const anyCase = fc
  .tuple(
    fc.tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12, "JAN", "JUN-AUG", "feb,dec")),
    field(0, 6, "MON", "MON-FRI", "7", "5L", "1#2", "FRI#1"),
    fc.constantFrom(...zones),
    fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2037, 0) }),
  )
  .map(([fields, weekday, timezone, after]): Case => {
    return { expression: [...fields, weekday].join(" "), timezone, after: wholeMinute(after) }
  })

/** The runs that the API answers. */
async function ours({ expression, timezone, after }: Case): Promise<Answer> {
  const answer = await ask({ ...cronparser, run }, { expression, timezone, after, count: shown })
  return answer?.runs.map(({ utc }) => utc) ?? null
}

/** Whether the answers differ only on days on which the clocks of the zone change. */
function differAtChange({ timezone }: Case, ours: Answer, theirs: Answer): boolean {
  const day = 86_400_000
  const offset = (ms: number) => offsetAt(zoneOf(timezone), ms)
  const isFar = (time: string) => offset(Date.parse(time) - day) === offset(Date.parse(time) + day)
  const [our = [], their = []] = [ours?.filter(isFar), theirs?.filter(isFar)]
  const length = Math.min(our.length, their.length)
  return length < shown && Bun.deepEquals(our.slice(0, length), their.slice(0, length))
}

function theirs({ expression, timezone, after }: Case): Answer {
  try {
    const runs = CronExpressionParser.parse(expression, { tz: timezone, currentDate: new Date(after) })
    return Array.from({ length: shown }, () => runs.next().toDate().toISOString())
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("Invalid explicit day of month")) return []
    if (error instanceof Error && error.message.includes("loop limit")) return null
    throw error
  }
}

/** Whether cron runs on days that fit both the day of the month and the day of the week. */
function needsBothDays(expression: string): boolean {
  const [, , day = "", , weekday = ""] = expression.split(" ")
  return day !== "*" && weekday !== "*" && (day.startsWith("*") || weekday.startsWith("*"))
}

const known: Judgement<Case, Answer>[] = [
  {
    reason:
      "one of the two days begins with *: cron runs on days that fit both (DOM_STAR in its entry.c), cron-parser on days that fit either",
    fits: ({ expression }) => needsBothDays(expression),
  },
  {
    reason:
      "days on which clocks change: a schedule of several times does not run at a time that is left out, and runs twice at one that comes twice, as croner documents; cron-parser runs it later, and once",
    fits: differAtChange,
  },
  {
    reason: "Morocco from 2026-09-20 on: cron-parser has the time zones of the runtime, of 2026a",
    fits: ({ timezone }, _ours, theirs) =>
      timezone === "Africa/Casablanca" && (theirs?.at(-1) ?? "") > "2026-09-20",
  },
  { reason: "cron-parser gives up a rare schedule", fits: (_test, _ours, theirs) => theirs === null },
]

export const oracle = defineOracle<Case, Answer>({
  api: "cronparser",
  against: "cron-parser",
  cases: 4_000,
  // One of eight is near a change of the clocks.
  generate: fc.oneof({ weight: 7, arbitrary: anyCase }, { weight: 1, arbitrary: nearChange }),
  version: async () => packageJson.devDependencies["cron-parser"],
  ours,
  theirs: async (tests) => tests.map(theirs),
  known,
})
