import { describe, expect, test } from "bun:test"
import { Body, Observer, SearchAltitude, SearchHourAngle, SearchRiseSet } from "astronomy-engine"
import fc from "fast-check"
import { getPosition } from "suncalc"
import { computeSunDay, type SunEvent, type SunTimes, toSuncalcAltitude } from "./sun-times.ts"

const computeSunTimes = (...place: Parameters<typeof computeSunDay>) => computeSunDay(...place).times

const dayMs = 86_400_000
const pairs = [
  [-0.833, "sunrise", "sunset"],
  [-0.3, "sunriseEnd", "sunsetStart"],
  [-6, "dawn", "dusk"],
  [-12, "nauticalDawn", "nauticalDusk"],
  [-18, "nightEnd", "night"],
  [6, "goldenHourEnd", "goldenHour"],
] as const

const noonUtc = (firstYear: number, lastYear: number) =>
  fc
    .integer({ min: Date.UTC(firstYear, 0, 1) / dayMs, max: Date.UTC(lastYear, 11, 31) / dayMs })
    .map((day) => (day + 0.5) * dayMs)
const longitude = fc.oneof(fc.constantFrom(-180, 0, 180), fc.double({ min: -180, max: 180, noNaN: true }))
const upTo = (degrees: number) =>
  fc.oneof(fc.constantFrom(-degrees, degrees), fc.double({ min: -degrees, max: degrees, noNaN: true }))

describe("compared with Astronomy Engine, an ephemeris after VSOP87", () => {
  for (const [firstYear, lastYear] of [
    [1900, 1949],
    [1950, 2100],
    [2101, 2500],
  ] as const) {
    test(`between 65° S and 65° N, ${firstYear} to ${lastYear}`, () => {
      fc.assert(
        fc.property(noonUtc(firstYear, lastYear), upTo(65), longitude, (noon, lat, lon) => {
          compareDay(noon, lat, lon)
        }),
        { numRuns: 100 },
      )
      // Enough for a busy machine.
    })
  }

  test("at 65° about the solstices, where the sun rises at its slowest", () => {
    for (let year = 1950; year <= 2100; year += 10)
      for (const month of [5, 11])
        for (const lat of [-65, 65])
          compareDay(Date.UTC(year, month, 10 + ((year / 10) % 25), 12), lat, year - 2025)
  })

  /** Astronomy Engine uses the sun's real radius of the day and not always 16′, which differs by half a minute of arc. */
  function compareDay(noon: number, lat: number, lon: number) {
    const times = computeSunTimes(noon, lat, lon)
    const observer = new Observer(lat, lon, 0)
    const localMidnight = new Date(noon - (lon / 360) * dayMs - dayMs / 2)
    const transit = SearchHourAngle(Body.Sun, observer, 0, localMidnight, 1).time.date
    expect(Math.abs(times.solarNoon - transit.getTime())).toBeLessThan(6_000)

    const midnight = new Date(transit.getTime() - dayMs / 2)
    const disc = [
      [times.sunrise, SearchRiseSet(Body.Sun, observer, 1, midnight, 1)],
      [times.sunset, SearchRiseSet(Body.Sun, observer, -1, transit, 1)],
    ] as const
    for (const [ours, theirs] of disc)
      expect(Math.abs(requireTime(ours) - requireTime(theirs?.date.getTime()))).toBeLessThan(15_000)

    for (const [degrees, rising, setting] of pairs)
      for (const [name, direction, from] of [
        [rising, 1, midnight],
        [setting, -1, transit],
      ] as const) {
        const reached = (altitude: number) =>
          SearchAltitude(Body.Sun, observer, direction, from, 0.5001, altitude)?.date.getTime() ?? null
        compareEvent(
          times[name],
          reached(degrees),
          () => reached(degrees - 0.1),
          () => reached(degrees + 0.1),
        )
      }
  }

  /**
   * Allows 15 seconds. Where the sun barely reaches an altitude, a tiny change of it moves the event by minutes; there the
   * events at a tenth of a degree more and less decide.
   */
  function compareEvent(
    ours: number | null,
    theirs: number | null,
    lower: () => number | null,
    higher: () => number | null,
  ) {
    if (ours !== null && theirs !== null && Math.abs(ours - theirs) < 15_000) return
    if (ours === null && theirs === null) return
    const [below, above] = [lower(), higher()]
    const isGrazing = below === null || above === null || Math.abs(above - below) > 180_000
    expect({ ours, theirs, isGrazing }).toMatchObject({ isGrazing: true })
    if (ours === null || theirs === null) return
    expect(Math.abs(ours - theirs)).toBeLessThan(300_000)
  }
})

const anyPlace = [fc.double({ min: -90, max: 90, noNaN: true }), longitude] as const

test("days: within two milliseconds of each event, suncalc's sun passes its altitude", () =>
  fc.assert(
    fc.property(noonUtc(1900, 2500), ...anyPlace, (noon, lat, lon) => {
      const times = computeSunTimes(noon, lat, lon)
      const altitude = (ms: number) => getPosition(new Date(ms), lat, lon).altitude
      for (const [degrees, rising, setting] of pairs)
        for (const [at, direction] of [
          [times[rising], 1],
          [times[setting], -1],
        ] as const) {
          if (at === null) continue
          const [before, after] = [altitude(at - 2), altitude(at + 2)]
          expect((after - before) * direction).toBeGreaterThan(0)
          const wanted = toSuncalcAltitude(degrees)
          const [from, to] = [before * direction, after * direction]
          expect([from < wanted * direction, to > wanted * direction]).toEqual([true, true])
        }
    }),
    { numRuns: 300 },
  ))

test("days: the events of a date are in order, within the solar day around its noon", () =>
  fc.assert(
    fc.property(noonUtc(1900, 2500), upTo(85), longitude, (noon, lat, lon) => {
      const times = computeSunTimes(noon, lat, lon)
      // The equation of time is at most 16.5 minutes.
      expect(Math.abs(times.solarNoon - (noon - (lon / 360) * dayMs))).toBeLessThan(17 * 60_000)
      const rising = [times.nightEnd, times.nauticalDawn, times.dawn, times.sunrise, times.sunriseEnd]
      const setting = [times.sunsetStart, times.sunset, times.dusk, times.nauticalDusk, times.night]
      const day = [
        times.solarNoon - dayMs / 2 - 60_000,
        ...[...rising, times.goldenHourEnd].filter((time) => time !== null),
        times.solarNoon,
        ...[times.goldenHour, ...setting].filter((time) => time !== null),
        times.solarNoon + dayMs / 2 + 60_000,
      ]
      expect(day).toEqual(day.toSorted((a, b) => a - b))
    }),
    { numRuns: 100 },
  ))

test("days: all around the earth the times change by 4 minutes per degree, without a jump", () => {
  const lat = 50
  const noon = Date.UTC(2025, 9, 10, 12)
  const step = 0.25
  for (let lon = -180; lon < 180; lon += step) {
    const [here, there] = [computeSunTimes(noon, lat, lon), computeSunTimes(noon, lat, lon + step)]
    for (const name of names(here)) {
      const earlier = requireTime(here[name]) - requireTime(there[name])
      expect(Math.abs(earlier - step * 240_000)).toBeLessThan(1_000)
    }
  }
})

test("days at the date line, one side has the times of the other side's next date", () => {
  const noon = Date.UTC(2025, 5, 1, 12)
  const [east, west] = [computeSunTimes(noon, 40, -180), computeSunTimes(noon + dayMs, 40, 180)]
  for (const name of names(east))
    expect(Math.abs(requireTime(east[name]) - requireTime(west[name]))).toBeLessThan(2)
})

test("days from one date to the next, no event is skipped or repeated", () =>
  fc.assert(
    fc.property(noonUtc(1900, 2500), ...anyPlace, (noon, lat, lon) => {
      const days = Array.from({ length: 5 }, (_, day) => computeSunTimes(noon + day * dayMs, lat, lon))
      for (const [degrees, rising, setting] of pairs) {
        const crossings = days
          .flatMap((times) => [
            { up: true, at: times[rising] },
            { up: false, at: times[setting] },
          ])
          .filter(({ at }) => at !== null)
          .toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0))
        for (const [index, { up, at }] of crossings.entries()) {
          const next = crossings[index + 1]
          if (next === undefined) continue
          expect({ degrees, lat, lon, at, up: next.up }).toEqual({ degrees, lat, lon, at, up: !up })
          expect(requireTime(next.at)).toBeGreaterThan(requireTime(at))
        }
      }
    }),
    { numRuns: 100 },
  ))

test("high latitudes: midnight sun and polar night have noon, and null for what does not happen", () => {
  const summer = computeSunTimes(Date.UTC(2025, 5, 21, 12), 78.2, 15.6)
  const left = Object.entries(summer).filter(([, time]) => time !== null)
  expect(left).toEqual([["solarNoon", summer.solarNoon]])
  const winter = computeSunTimes(Date.UTC(2025, 11, 21, 12), 78.2, 15.6)
  const happening = Object.entries(winter).filter(([, time]) => time !== null)
  expect(happening.map(([name]) => name).sort()).toEqual(
    ["nauticalDawn", "nauticalDusk", "night", "nightEnd", "solarNoon"].sort(),
  )
})

test("high latitudes at the poles the sun rises and sets once a year", () => {
  for (const [lat, rises, sets] of [
    [90, [2], [8]],
    [-90, [8], [2]],
  ] as const) {
    const days = Array.from({ length: 365 }, (_, day) =>
      computeSunTimes(Date.UTC(2025, 0, 1 + day, 12), lat, 0),
    )
    const months = (event: SunEvent) =>
      days.flatMap((times) => (times[event] === null ? [] : [new Date(times[event]).getUTCMonth()]))
    expect(months("sunrise")).toEqual([...rises])
    expect(months("sunset")).toEqual([...sets])
  }
})

const names = (times: SunTimes): (keyof SunTimes)[] =>
  ["solarNoon", ...pairs.flatMap(([, rising, setting]) => [rising, setting])].filter(
    (name): name is keyof SunTimes => name in times,
  )

function requireTime(time: number | null | undefined): number {
  if (typeof time !== "number") throw new Error("an event is missing")
  return time
}
