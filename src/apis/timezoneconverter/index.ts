import { Type } from "@sinclair/typebox"
import { defineProblems, verdictOf } from "../../values/problems.ts"
import { readTime, toIso, toOffsetText } from "../../values/time-text.ts"
import {
  type ClockChange,
  changeAfter,
  clockChangesAfter,
  instantsOf,
  offsetAt,
  timeZoneForm,
  toChangeText,
  toDayAndClock,
  toLocalText,
} from "../../values/time-zone.ts"
import {
  builtInZones,
  type TimeZone,
  type TimeZones,
  zoneDataVersion,
  zoneList,
} from "../../values/time-zones/zone-data.ts"
import { defineApi, premium, reject } from "../contract.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"

const { problemList, problem } = defineProblems({
  left_out: "error: the time does not exist: clocks go forward and skip it",
  repeated: "warning: the time comes twice: clocks go back and repeat it",
})

/** The rules of zones are known from about 1900. Today's rules say little about years after 2199. */
const [firstYear, lastYear] = [1900, 2199]

const timeForm = `must be an existing date and time from ${firstYear} to ${lastYear}, such as 2027-03-28T14:30, 2027-03-28T12:30:00Z or 1806237000 (Unix seconds)`

const zone = (description: string) => field.text(description, { maxLength: 64 })

const changeFields = {
  utc: field.text("When the clocks change, in UTC."),
  local_before: field.text("This moment with the offset before the change."),
  local_after: field.text("This moment with the offset after the change."),
}

const placeFields = {
  timezone: field.text("The name of the time zone in the IANA database."),
  local: field.text("The time there, with its offset from UTC."),
  offset: field.text("The offset from UTC, such as `+02:00`. Some old offsets have seconds."),
  next_change: field.nullableGroup("The next clock change of the zone; null if none is known.", changeFields),
}

/** The converter with the zones of a version of the IANA database, such as a newer one that the operator configured. */
export function createTimezoneconverter(zones: TimeZones) {
  return defineApi({
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
    lists: [zoneList(zones)],
    input: Type.Object({
      time: field.optional.text(
        "The time in the time zone `from`, `2027-03-28T14:30`, or with an offset, `2027-03-28T12:30Z` (RFC 3339), or in Unix seconds. Default: now.",
        { maxLength: 40, "x-requirement": timeForm },
      ),
      from: Type.Optional(zone("The time zone of `time`, if that has no offset. Default: UTC.")),
      to: Type.Array(zone("A time zone."), {
        minItems: 1,
        maxItems: 20,
        description:
          "The time zones to convert to, by name, such as `Asia/Tokyo`, or offset, such as `+05:30`.",
      }),
      disambiguation: field.optional.choice(
        "Which time is meant if a clock change skips or repeats it: the one with the offset before the change (`compatible`, RFC 5545), the earlier or the later one.",
        ["compatible", "earlier", "later"],
        "compatible",
      ),
    }),
    output: Type.Object({
      is_valid: field.flag("False if the time does not exist in the time zone `from`."),
      problems: problemList,
      utc: field.text("The time in UTC."),
      unix_seconds: field.integer("The time in whole seconds since 1970-01-01T00:00Z."),
      from: field.nullableGroup(
        "The time in the time zone `from`; null if `from` was left out and `time` is now or has an offset.",
        placeFields,
      ),
      times: field.rows("The time in each zone of `to`, in that order.", placeFields),
      data_version: zoneDataVersion,
      year_changes: premium(
        field.rows("All clock changes of these zones in the UTC year of the time.", {
          timezone: placeFields.timezone,
          ...changeFields,
        }),
      ),
    }),
    examples: storedExamples(stored, answers),
    async run({ time, from, to, disambiguation = "compatible" }, { ports, premium: isPremium }) {
      const fromZone = from === undefined ? null : ((await zones.find(from)) ?? reject("from", timeZoneForm))
      const toZones: TimeZone[] = []
      for (const name of to) toZones.push((await zones.find(name)) ?? reject("to", `${timeZoneForm}, each`))
      const zone = fromZone ?? (await zones.find("UTC")) ?? reject("from", timeZoneForm)
      const given = readGivenTime(time, zone, ports.clock.now(), disambiguation)
      const { ms, change } = given
      const problems = change ? [toProblem({ ...given, change })] : []
      const hasFrom = fromZone !== null || !given.isInstant
      const all = new Map([...(hasFrom ? [zone] : []), ...toZones].map((one) => [one.name, one]))
      return {
        ...verdictOf(problems),
        utc: toIso(ms),
        unix_seconds: Math.floor(ms / 1_000),
        from: hasFrom ? toPlace(zone, ms) : null,
        times: toZones.map((one) => toPlace(one, ms)),
        data_version: zones.version,
        year_changes: isPremium ? [...all.values()].flatMap((one) => changesOf(one, ms)) : [],
      }
    },
  })
}

/** The converter with the built-in zones. */
export const timezoneconverter = createTimezoneconverter(builtInZones)

function toPlace(zone: TimeZone, ms: number) {
  const next = changeAfter(zone, ms)
  return {
    timezone: zone.name,
    local: toLocalText(zone, ms),
    offset: toOffsetText(offsetAt(zone, ms)),
    next_change: next && toChange(next),
  }
}

function toChange({ zone, at, before, after }: ClockChange) {
  return {
    utc: toIso(at),
    local_before: toLocalText(zone, at, before - at),
    local_after: toLocalText(zone, at, after - at),
  }
}

function changesOf(zone: TimeZone, ms: number) {
  const year = new Date(ms).getUTCFullYear()
  const changes = []
  for (const change of clockChangesAfter(zone, Date.UTC(year, 0) - 1)) {
    if (change.at >= Date.UTC(year + 1, 0)) break
    changes.push({ timezone: zone.name, ...toChange(change) })
  }
  return changes
}

function toProblem({ change, clockMs, ms }: GivenTime & { change: ClockChange }) {
  const [, clock] = toDayAndClock(clockMs)
  const [code, fate] =
    change.after > change.before
      ? (["left_out", `there is no ${clock}`] as const)
      : (["repeated", `${clock} comes twice`] as const)
  const answer = toLocalText(change.zone, ms)
  return problem(code, "time", `${toChangeText(change)}: ${fate}. The answer is for ${answer}.`)
}

/** The time that a caller gave. */
interface GivenTime {
  /** The moment that is meant, in milliseconds since the Unix epoch. */
  readonly ms: number
  /** The date and time as it was written, in milliseconds as if its offset were 0. */
  readonly clockMs: number
  /** Whether it needs no zone: it is now, or it has an offset. */
  readonly isInstant: boolean
  /** The clock change that skips or repeats it; null for any other time. */
  readonly change: ClockChange | null
}

/**
 * Reads a time in a zone, or one with an offset.
 * @param nowMs the time that is meant if `text` is undefined
 * @throws InputRejected for `time`
 */
function readGivenTime(
  text: string | undefined,
  zone: TimeZone,
  nowMs: number,
  disambiguation: "compatible" | "earlier" | "later",
): GivenTime {
  if (text === undefined) return { ms: nowMs, clockMs: nowMs, isInstant: true, change: null }
  const { clockMs, offsetMs } = readTime(text) ?? reject("time", timeForm)
  const year = new Date(clockMs).getUTCFullYear()
  if (!(year >= firstYear && year <= lastYear)) reject("time", timeForm)
  if (offsetMs !== null) return { ms: clockMs - offsetMs, clockMs, isInstant: true, change: null }
  const { instants, change } = instantsOf(zone, clockMs)
  if (change === null) return { ms: instants[0] ?? Number.NaN, clockMs, isInstant: false, change }
  // RFC 5545 §3.3.5: the offset before the change counts, whether it skips the time or repeats it.
  const compatible = clockMs - (change.before - change.at)
  const other = clockMs - (change.after - change.at)
  const least = Math.min(compatible, other)
  const later = Math.max(compatible, other)
  const ms = { compatible, earlier: least, later }[disambiguation]
  return { ms, clockMs, isInstant: false, change }
}
