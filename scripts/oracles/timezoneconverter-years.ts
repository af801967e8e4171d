import fc from "fast-check"
import { timezoneconverter } from "../../src/apis/timezoneconverter/index.ts"
import { ask, askPython, debianVersion, defineOracle } from "./oracle.ts"
import { zoneNames } from "./suites/zones.ts"

interface Case {
  readonly zone: string
  readonly year: number
}
/** The offset in seconds at the beginning of the year, and the clock changes in it: when, and the seconds afterwards. */
type Answer = readonly [offset: number, ...changes: readonly (readonly [at: string, offset: number])[]] | null

const [first, last] = [1900, 2100]
const years = Array.from({ length: last - first + 1 }, (_, index) => first + index)
const cases = zoneNames.flatMap((zone) => years.map((year): Case => ({ zone, year })))

/** Names that are links to other zones in the main data of the database, and zones of their own in Debian's (`backzone`). */
const ownInDebian = ["EET", "WET"]

export const oracle = defineOracle<Case, Answer>({
  api: "timezoneconverter",
  against: "Python zoneinfo, each zone and year from 1900 to 2100, Debian tzdata",
  cases: 1,
  generate: fc.constantFrom(...cases),
  fixed: cases,
  version: () => debianVersion("tzdata"),
  async ours({ zone, year }) {
    const answer = await ask(timezoneconverter, { time: `${year}-01-01T00:00:00Z`, to: [zone] })
    const [place] = answer?.times ?? []
    if (!answer || !place) return null
    // The API lists the changes after the last moment of the year before, as Python's side does.
    const changes = answer.year_changes.map(({ utc, local_after }) => [utc, secondsOf(local_after)] as const)
    return [secondsOf(place.local), ...changes]
  },
  theirs: (tests) => askPython("timezoneconverter-years.py", tests, "tzdata"),
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
