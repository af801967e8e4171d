import { Type } from "@sinclair/typebox"
import { defineProblems, isValid } from "../../values/problems.ts"
import { toIso } from "../../values/time-text.ts"
import {
  atZone,
  type ClockChange,
  clockChangesAfter,
  timeZoneForm,
  toChangeText,
  toLocalText,
  toTimeZone,
} from "../../values/time-zone.ts"
import { choice, defineApi, nullable, premium, reject } from "../contract.ts"
import { examples } from "./examples.ts"
import { type GivenTime, readTime, timeForm } from "./read-time.ts"

const { problemList, problem } = defineProblems({
  left_out: ["error", "the time does not exist: clocks go forward and skip it"],
  repeated: ["warning", "the time comes twice: clocks go back and repeat it"],
})

const zone = (description: string) => Type.String({ maxLength: 64, description })

const changeFields = {
  utc: Type.String({ description: "When the clocks change, in UTC." }),
  local_before: Type.String({ description: "This moment with the offset before the change." }),
  local_after: Type.String({ description: "This moment with the offset after the change." }),
}

const placeFields = {
  timezone: Type.String({ description: "The name of the time zone in the IANA database." }),
  local: Type.String({ description: "The time there, with its offset from UTC." }),
  offset: Type.String({
    description: "The offset from UTC, such as `+02:00`. Some old offsets have seconds.",
  }),
  next_change: nullable(Type.Object(changeFields), {
    description: "The next clock change of the zone; null if none is known.",
  }),
}

export const timezoneconverter = defineApi({
  id: "timezoneconverter",
  title: "Time zone converter",
  category: "time and place",
  keywords: [
    "timezone",
    "UTC",
    "daylight saving",
    "summer time",
    "world clock",
    "meeting",
    "IANA",
    "local time",
    "offset",
  ],
  description:
    "Converts a time from one time zone to others, with their offsets and next clock changes. Reports a time that does not exist or comes twice.",
  method: "GET",
  credits: 1,
  input: Type.Object({
    time: Type.Optional(
      Type.String({
        maxLength: 40,
        "x-requirement": timeForm,
        description:
          "The time in ISO 8601: `2027-03-28T14:30` in the time zone `from`, or with an offset, `2027-03-28T12:30Z`. Default: now.",
      }),
    ),
    from: Type.Optional(zone("The time zone of `time`, if that has no offset. Default: UTC.")),
    to: Type.Array(zone("A time zone."), {
      minItems: 1,
      maxItems: 20,
      description:
        "The time zones to convert to, by name, such as `Asia/Tokyo`, or offset, such as `+05:30`.",
    }),
    disambiguation: Type.Optional(
      choice(["compatible", "earlier", "later"], {
        default: "compatible",
        description:
          "Which time is meant if a clock change skips or repeats it: the one with the offset before the change (`compatible`, RFC 5545), the earlier or the later one.",
      }),
    ),
  }),
  output: Type.Object({
    is_valid: Type.Boolean({ description: "False if the time does not exist in the time zone `from`." }),
    problems: problemList,
    utc: Type.String({ description: "The time in UTC." }),
    unix_seconds: Type.Integer({ description: "The time in whole seconds since 1970-01-01T00:00Z." }),
    from: nullable(Type.Object(placeFields), {
      description:
        "The time in the time zone `from`; null if `from` was left out and `time` is now or has an offset.",
    }),
    times: Type.Array(Type.Object(placeFields), {
      description: "The time in each zone of `to`, in that order.",
    }),
    year_changes: premium(
      Type.Array(Type.Object({ timezone: placeFields.timezone, ...changeFields }), {
        description: "All clock changes of these zones in the UTC year of the time.",
      }),
    ),
  }),
  examples,
  run({ time, from, to, disambiguation = "compatible" }, { ports, premium: isPremium }) {
    const fromZone = from === undefined ? null : (toTimeZone(from) ?? reject("from", timeZoneForm))
    const zones = to.map((name) => toTimeZone(name) ?? reject("to", `${timeZoneForm}, each`))
    const given = readTime(time, fromZone ?? "UTC", ports.clock.now(), disambiguation)
    const { taken, change } = given
    const problems = change ? [toProblem({ ...given, change })] : []
    const hasFrom = fromZone !== null || !given.isInstant
    const all = new Set([...(hasFrom ? [taken.timeZoneId] : []), ...zones])
    return {
      is_valid: isValid(problems),
      problems,
      utc: toIso(taken.epochMilliseconds),
      unix_seconds: Math.floor(taken.epochMilliseconds / 1_000),
      from: hasFrom ? toPlace(taken) : null,
      times: zones.map((name) => toPlace(taken.withTimeZone(name))),
      year_changes: isPremium ? [...all].flatMap((name) => changesOf(taken, name)) : [],
    }
  },
})

function toPlace(time: Temporal.ZonedDateTime) {
  const [next] = clockChangesAfter(time)
  return {
    timezone: time.timeZoneId,
    local: toLocalText(time),
    offset: time.offset,
    next_change: next ? toChange(next) : null,
  }
}

function toChange({ time }: ClockChange) {
  const before = time.subtract({ nanoseconds: 1 }).offset
  // A time with seconds in its offset is written with the nearest minute.
  const local_before = toLocalText(time.withTimeZone(before.slice(0, 6)))
  return { utc: toIso(time.epochMilliseconds), local_before, local_after: toLocalText(time) }
}

function changesOf({ epochMilliseconds }: Temporal.ZonedDateTime, timezone: string) {
  const year = new Date(epochMilliseconds).getUTCFullYear()
  const changes = []
  for (const change of clockChangesAfter(atZone(Date.UTC(year, 0) - 1, timezone))) {
    if (change.time.epochMilliseconds >= Date.UTC(year + 1, 0)) break
    changes.push({ timezone, ...toChange(change) })
  }
  return changes
}

function toProblem({ change, plain, taken }: GivenTime & { change: ClockChange }) {
  const [, clock] = plain.toString({ smallestUnit: "minute" }).split("T")
  const [code, fate] =
    change.after > change.before
      ? (["left_out", `there is no ${clock}`] as const)
      : (["repeated", `${clock} comes twice`] as const)
  return problem(code, "time", `${toChangeText(change)}: ${fate}. The answer is for ${toLocalText(taken)}.`)
}
