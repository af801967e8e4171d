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
  left_out: ["error", "the time does not exist: clocks go forward over it"],
  repeated: ["warning", "the time comes twice: clocks go back over it"],
})

const zone = (description: string) => Type.String({ maxLength: 64, description })

const changeFields = {
  utc: Type.String({ description: "When the clocks change, in UTC." }),
  local_before: Type.String({ description: "What they would have shown, with the offset until then." }),
  local_after: Type.String({ description: "What they show, with the offset from then on." }),
}

const placeFields = {
  timezone: Type.String({ description: "The time zone, as the IANA database writes it." }),
  local: Type.String({ description: "The time there, with its offset from UTC." }),
  offset: Type.String({
    description: "The offset from UTC, as `+02:00`; with seconds before zones had whole minutes.",
  }),
  next_change: nullable(Type.Object(changeFields), {
    description: "The next change of its clocks; null if none is known.",
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
    "Converts a time from one time zone to others, tells their offsets and the next change of their clocks, and says when a time does not exist or comes twice.",
  method: "GET",
  credits: 1,
  input: Type.Object({
    time: Type.Optional(
      Type.String({
        maxLength: 40,
        "x-requirement": timeForm,
        description:
          "The time as ISO 8601 writes it: `2027-03-28T14:30` on the clocks of `from`, or with an offset, `2027-03-28T12:30Z`. Default: now.",
      }),
    ),
    from: Type.Optional(zone("The time zone of a `time` without an offset. Default: UTC.")),
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
          "Which time to take if clocks leave it out or show it twice: the one with the offset before the change (`compatible`, RFC 5545), or the earlier or later one.",
      }),
    ),
  }),
  output: Type.Object({
    is_valid: Type.Boolean({ description: "False if the time does not exist on the clocks of `from`." }),
    problems: problemList,
    utc: Type.String({ description: "The time in UTC." }),
    unix_time: Type.Integer({ description: "The time in whole seconds since 1970-01-01T00:00Z." }),
    from: nullable(Type.Object(placeFields), {
      description:
        "The time on the clocks of `from`; null if neither `from` was given nor a time without offset.",
    }),
    times: Type.Array(Type.Object(placeFields), {
      description: "The time in each zone of `to`, in that order.",
    }),
    year_changes: premium(
      Type.Array(Type.Object({ timezone: placeFields.timezone, ...changeFields }), {
        description: "All changes of the clocks of these zones in the year of the time, in UTC.",
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
      unix_time: Math.floor(taken.epochMilliseconds / 1_000),
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
