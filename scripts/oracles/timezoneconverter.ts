import fc from "fast-check"
import { timezoneconverter } from "../../src/apis/timezoneconverter/index.ts"
import { changeAfter } from "../../src/values/time-zone.ts"
import { ask, byPython, defineOracle } from "./oracle.ts"
import { zoneNames, zoneOf } from "./shared/zones.ts"

interface Case {
  readonly time: string
  readonly from: string
  readonly to: string
}
interface Answer {
  readonly utc: string
  readonly kind: string | null
  readonly local: string
  readonly offset: number
  /** The next change in 200 days. */
  readonly next: string | null
}

const zone = fc.constantFrom(...Intl.supportedValuesOf("timeZone"))
const [first, last] = [Date.UTC(1970, 0), Date.UTC(2100, 0)]
const toText = (ms: number) => new Date(Math.floor(ms / 60_000) * 60_000).toISOString().slice(0, 16)
const anyTime = fc
  .tuple(fc.integer({ min: first, max: last }), zone, zone)
  .map(([ms, from, to]): Case => ({ time: toText(ms), from, to }))
/** Within two hours of a change of the clocks, so that many times do not exist or come twice. */
const nearChange = fc
  .tuple(fc.integer({ min: first, max: last }), zone, zone, fc.integer({ min: -120, max: 120 }))
  .map(([ms, from, to, minutes]): Case => {
    const change = changeAfter(zoneOf(from), ms)
    return { time: toText((change?.before ?? ms) + minutes * 60_000), from, to }
  })

const conversions = defineOracle<Case, Answer | null>({
  api: "timezoneconverter",
  against: "Python zoneinfo, Debian tzdata",
  cases: 8_000,
  generate: fc.oneof(anyTime, nearChange),
  async ours({ time, from, to }) {
    const answer = await ask(timezoneconverter, { time, from, to: [to] })
    const [place] = answer?.times ?? []
    if (!answer || !place) return null
    const next = place.next_change?.utc ?? null
    const isSoon = next !== null && Date.parse(next) - Date.parse(answer.utc) <= 200 * 86_400_000
    return {
      utc: answer.utc,
      kind: answer.problems[0]?.code ?? null,
      local: place.local.slice(0, 19),
      offset: secondsOf(place.offset),
      next: isSoon ? next : null,
    }
  },
  ...byPython("timezoneconverter.py", "tzdata"),
  known: [],
})

interface YearCase {
  readonly zone: string
  readonly year: number
}
/** The offset in seconds at the beginning of the year, and the clock changes in it: when, and the seconds afterwards. */
type YearAnswer =
  | readonly [offset: number, ...changes: readonly (readonly [at: string, offset: number])[]]
  | null

const everyYear = Array.from({ length: 2101 - 1900 }, (_, index) => 1900 + index)
const cases = zoneNames.flatMap((zone) => everyYear.map((year): YearCase => ({ zone, year })))

/** Names that are links to other zones in the main data of the database, and zones of their own in Debian's (`backzone`). */
const ownInDebian = ["EET", "WET"]

const years = defineOracle<YearCase, YearAnswer>({
  api: "timezoneconverter",
  against: "Python zoneinfo, each zone and year from 1900 to 2100, Debian tzdata",
  cases: 1,
  generate: fc.constantFrom(...cases),
  fixed: cases,
  async ours({ zone, year }) {
    const answer = await ask(timezoneconverter, { time: `${year}-01-01T00:00:00Z`, to: [zone] })
    const [place] = answer?.times ?? []
    if (!answer || !place) return null
    // The API lists the changes after the last moment of the year before, as Python's side does.
    const changes = answer.year_changes.map(({ utc, local_after }) => [utc, secondsOf(local_after)] as const)
    return [secondsOf(place.local), ...changes]
  },
  ...byPython("timezoneconverter-years.py", "tzdata"),
  known: [
    {
      reason: "names that are links in the main data, and zones of their own in Debian's",
      fits: ({ zone }) => ownInDebian.includes(zone),
    },
    {
      reason: "before 1970, Debian adds zones that the main data has left out since (backzone)",
      fits: ({ year }) => year < 1970,
    },
  ],
})

/** The offset at the end of a time, in seconds. */
function secondsOf(local: string): number {
  const [, sign, hours, minutes, seconds = "0"] = /([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(local) ?? []
  return (sign === "-" ? -1 : 1) * (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds))
}

export const oracles = [conversions, years]
