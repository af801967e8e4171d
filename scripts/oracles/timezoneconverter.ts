import fc from "fast-check"
import { timezoneconverter } from "../../src/apis/timezoneconverter/index.ts"
import { changeAfter } from "../../src/values/time-zone.ts"
import { ask, askPython, debianVersion, defineOracle } from "./oracle.ts"
import { zoneOf } from "./suites/zones.ts"

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

export const oracle = defineOracle<Case, Answer | null>({
  api: "timezoneconverter",
  against: "Python zoneinfo, Debian tzdata",
  cases: 8_000,
  generate: fc.oneof(anyTime, nearChange),
  version: () => debianVersion("tzdata"),
  async ours({ time, from, to }) {
    const answer = await ask(timezoneconverter, { time, from, to: [to] })
    const [place] = answer?.times ?? []
    if (!answer || !place) return null
    const [, sign, hours, minutes, seconds = "0"] =
      /^([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(place.offset) ?? []
    const offset = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)
    const next = place.next_change?.utc ?? null
    const isSoon = next !== null && Date.parse(next) - Date.parse(answer.utc) <= 200 * 86_400_000
    return {
      utc: answer.utc,
      kind: answer.problems[0]?.code ?? null,
      local: place.local.slice(0, 19),
      offset: sign === "-" ? -offset : offset,
      next: isSoon ? next : null,
    }
  },
  theirs: (cases) => askPython("timezoneconverter.py", cases, "tzdata"),
  known: [],
})
