import { expect, test } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import fc from "fast-check"
import { createManualClock } from "../../../test/support/clock.ts"
import { runApi } from "../../../test/support/run-api.ts"
import { isPremium, type RunContext } from "../contract.ts"
import { noonOfUtcDay, parseCalendarDate, sunrisesunset } from "./index.ts"

const accepted: readonly [text: string, noon: string][] = [
  ["01-01-2025", "2025-01-01T12:00:00.000Z"],
  ["12-31-2025", "2025-12-31T12:00:00.000Z"],
  ["02-29-2024", "2024-02-29T12:00:00.000Z"],
  ["02-29-2000", "2000-02-29T12:00:00.000Z"],
  ["01-01-1900", "1900-01-01T12:00:00.000Z"],
  ["12-31-2500", "2500-12-31T12:00:00.000Z"],
]
for (const [text, noon] of accepted)
  test(`date: ${text} is read`, () => {
    expect(new Date(parseCalendarDate(text) ?? NaN).toISOString()).toBe(noon)
    expect(Value.Check(sunrisesunset.input, { lat: 0, lon: 0, date: text })).toBe(true)
  })

const refused =
  "|02-30-2025|02-29-2025|02-29-1900|04-31-2025|13-01-2025|00-10-2025|01-00-2025|01-32-2025|2025-01-01|01/01/2025|1-1-2025|01-01-25|01-01-02025| 01-01-2025|01-01-2025\n|12-31-1899|01-01-2501|01-01-0000|٠١-٠١-٢٠٢٥|today".split(
    "|",
  )
for (const text of refused)
  test(`date: ${JSON.stringify(text)} is refused`, () => {
    expect(parseCalendarDate(text)).toBeNull()
    expect(Value.Check(sunrisesunset.input, { lat: 0, lon: 0, date: text })).toBe(false)
    expect(() => run({ lat: 0, lon: 0, date: text })).toThrow("The 'date' parameter must be a real date")
  })

test("date has its limits in the description of the API and of the parameter", () => {
  expect(sunrisesunset.description).toContain("from 1900 to 2500")
  expect(sunrisesunset.input.properties.date.description).toContain("from 1900 to 2500")
})

test("date is the day in UTC when it is left out", () => {
  expect(noonOfUtcDay(Date.parse("2025-03-09T00:00:00Z"))).toBe(Date.parse("2025-03-09T12:00:00Z"))
  expect(noonOfUtcDay(Date.parse("2025-03-09T23:59:59.999Z"))).toBe(Date.parse("2025-03-09T12:00:00Z"))
  for (const now of ["2025-03-09T00:00:00Z", "2025-03-09T23:59:59.999Z"])
    expect(run({ lat: 10, lon: 170 }, now)).toEqual(run({ lat: 10, lon: 170, date: "03-09-2025" }))
  const local = run({ lat: 10, lon: 170, date: "03-09-2025" })
  expect(run({ lat: 10, lon: 170 }, "2025-03-10T00:00:00Z")).not.toEqual(local)
})

test("coordinates outside the globe are refused, its edges are not", () => {
  const isAccepted = (lat: unknown, lon: unknown) => Value.Check(sunrisesunset.input, { lat, lon })
  for (const [lat, lon] of [
    [90, 180],
    [-90, -180],
    [0, 0],
  ] as const)
    expect([isAccepted(lat, lon), Value.Check(sunrisesunset.output, run({ lat, lon }))]).toEqual([true, true])
  for (const [lat, lon] of [
    [90.001, 0],
    [-90.001, 0],
    [0, 180.001],
    [0, -180.001],
    [NaN, 0],
    ["0", 0],
  ])
    expect(isAccepted(lat, lon)).toBe(false)
})

test("times are ISO 8601 in UTC with milliseconds", () => {
  for (const time of Object.values(run({ lat: 48, lon: 11, date: "05-05-2025" })))
    expect(time).toMatch(/^2025-05-0[56]T\d\d:\d\d:\d\d\.\d{3}Z$/)
})

test("premium: solarNoon and date, nothing else", () => {
  const marked = ({ properties }: { properties: Record<string, Parameters<typeof isPremium>[0]> }) =>
    Object.entries(properties).flatMap(([name, schema]) => (isPremium(schema) ? [name] : []))
  expect(marked(sunrisesunset.input)).toEqual(["date"])
  expect(marked(sunrisesunset.output)).toEqual(["solarNoon"])
})

const explain = async (lat: number, lon: number, date: string, timezone = "UTC") => {
  const ports = { clock: createManualClock("2025-01-01T00:00:00Z") } as unknown as RunContext["ports"]
  return sunrisesunset.run({ lat, lon, date, timezone }, { ports, giveWay() {}, premium: true })
}
const kindOf = (answer: Awaited<ReturnType<typeof explain>>, wanted: string) =>
  answer.missing?.find(({ name }) => name === wanted)?.kind ?? null

test("a time zone adds local times, the length of the day and why times are null without it, the answer has the contract's fields alone", () =>
  expect(Object.keys(run({ lat: 51, lon: 0 })).toSorted()).toEqual(
    "dawn dusk goldenHour goldenHourEnd nauticalDawn nauticalDusk night nightEnd solarNoon sunrise sunriseEnd sunset sunsetStart".split(
      " ",
    ),
  ))

test("a time zone adds local times, the length of the day and why times are null: London at New Year: 7 hours 56 minutes, nothing is missing", async () => {
  const answer = await explain(51.5074, -0.1278, "01-01-2025", "Europe/London")
  // timeanddate.com has 7:56 for this day.
  expect([answer.day_length_seconds, answer.missing]).toEqual([28576, []])
  expect(answer.local?.sunrise).toBe("2025-01-01T08:06:10+00:00")
})

test("a time zone adds local times, the length of the day and why times are null: Tromsø: the midnight sun, and the days on which it begins and ends", async () => {
  const midsummer = await explain(69.6492, 18.9553, "06-21-2025", "Europe/Oslo")
  expect([kindOf(midsummer, "sunrise"), kindOf(midsummer, "night")]).toEqual(["always_above", "always_above"])
  expect(Math.abs((midsummer.day_length_seconds ?? 0) - 86_400)).toBeLessThan(60)
  expect(midsummer.local?.goldenHourEnd).toBe("2025-06-21T02:56:56+02:00")
})

test("a time zone adds local times, the length of the day and why times are null: the length of the day and the kinds agree with the times, anywhere", async () => {
  const degrees = fc.double({ min: -89.9, max: 89.9, noNaN: true })
  const day = fc
    .integer({ min: 0, max: 365 * 5 })
    .map((days) => new Date(Date.UTC(2025, 0, 1 + days)).toISOString())
  await fc.assert(
    fc.asyncProperty(degrees, degrees, day, async (lat, lon, iso) => {
      const answer = await explain(lat, lon, `${iso.slice(5, 10)}-${iso.slice(0, 4)}`)
      const { sunrise, sunset, day_length_seconds = -1 } = answer
      const between = sunrise && sunset ? (Date.parse(sunset) - Date.parse(sunrise)) / 1_000 : null
      if (between !== null)
        expect(Math.abs(day_length_seconds - (between < 0 ? between + 86_400 : between))).toBeLessThan(60)
      expect(day_length_seconds).toBeWithin(0, 86_461)
      if (kindOf(answer, "sunrise") === "always_below") expect(day_length_seconds).toBe(0)
      const missing = Object.entries(answer).flatMap(([name, value]) => (value === null ? [name] : []))
      expect(answer.missing?.map(({ name }) => name as string).toSorted()).toEqual(missing.toSorted())
    }),
  )
})

const run = (input: { lat: number; lon: number; date?: string }, now = "2025-01-01T00:00:00Z") =>
  runApi(sunrisesunset, input, { clock: createManualClock(now) })
