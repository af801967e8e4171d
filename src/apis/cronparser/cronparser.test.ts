import { describe, expect, test } from "bun:test"
import { Cron, CronPattern } from "croner"
import fc from "fast-check"
import { processorMs } from "../../../test/support/processor-time.ts"
import { atZone, clockChangesAfter, toLocalText, toTimeZone } from "../../values/time-zone.ts"
import type { RunContext } from "../contract.ts"
import { run } from "./run.ts"
import { readSchedule } from "./schedule.ts"
import { languages } from "./words.ts"

const now = Date.UTC(2026, 10, 23, 12)
const context = { ports: { clock: { now: () => now } }, giveWay() {}, premium: true } as unknown as RunContext
type Input = Parameters<typeof run>[0]
const parse = async (expression: string, more: Omit<Input, "expression"> = {}, premium = true) =>
  run({ expression, ...more }, { ...context, premium })
const locals = async (expression: string, more: Omit<Input, "expression"> = {}) =>
  (await parse(expression, more)).runs.map(({ local }) => local.slice(0, 16))

test.each([
  ["*/15 9 * * *", ["2026-11-24T09:00", "2026-11-24T09:15"]],
  ["0 0 L * *", ["2026-11-30T00:00", "2026-12-31T00:00"]],
  ["0 0 LW * *", ["2026-11-30T00:00", "2026-12-31T00:00"]],
  ["0 0 1W * *", ["2026-12-01T00:00", "2027-01-01T00:00"]],
  ["0 0 * * 5#L", ["2026-11-27T00:00", "2026-12-25T00:00"]],
  ["0 0 * * MON#2", ["2026-12-14T00:00", "2027-01-11T00:00"]],
  ["0 0 13 * FRI", ["2026-11-27T00:00", "2026-12-04T00:00"]],
  ["0 0 13 * +FRI", ["2027-08-13T00:00", "2028-10-13T00:00"]],
  ["0 0 29 2 *", ["2028-02-29T00:00", "2032-02-29T00:00"]],
  ["30 59 23 31 12 * 2030", ["2030-12-31T23:59"]],
  ["@Weekly", ["2026-11-29T00:00", "2026-12-06T00:00"]],
])("%s", async (expression, times) => {
  expect(await locals(expression, { count: 2 })).toEqual(times)
})

test("the first run is after now, or after a given time, never at it", async () => {
  expect(await locals("* * * * *", { count: 1 })).toEqual(["2026-11-23T12:01"])
  expect(await locals("0 12 * * *", { count: 1, after: "2026-11-23T12:00:00Z" })).toEqual([
    "2026-11-24T12:00",
  ])
})

describe("words", () => {
  test.each([
    ["0 0 13 * +5", "At 00:00, on day 13 of the month, only on Friday"],
    ["0 0 * * 5#L", "At 00:00, on the last Friday of the month"],
    ["0 0 12 1 1 * 2030", "At 12:00, on day 1 of the month, only in January, only in 2030"],
    ["0 0 1,15W * *", null],
    [" @HOURLY ", "Every hour"],
    ["30 0 12 * * mon-fri", "At 12:00:30, Monday through Friday"],
  ])("%s: %p", async (expression, words) => {
    expect((await parse(expression)).description).toBe(words)
  })

  test("each language has its own words, only on plans with premium fields", async () => {
    const all = await Promise.all(languages.map((language) => parse("0 9 * * 1-5", { language, count: 1 })))
    expect(new Set(all.map(({ description }) => description)).size).toBeGreaterThan(languages.length - 3)
    expect((await parse("0 9 * * 1-5", { language: "de" }, false)).description).toBe(
      "At 09:00, Monday through Friday",
    )
  })
})

test("plans without premium fields get five runs", async () => {
  expect((await parse("* * * * *", { count: 100 })).runs).toHaveLength(100)
  expect((await parse("* * * * *", { count: 100 }, false)).runs).toHaveLength(5)
  expect((await parse("* * * * *", { count: 2 }, false)).runs).toHaveLength(2)
})

describe("clock changes", () => {
  const codes = async (expression: string, timezone: string) =>
    (await parse(expression, { timezone })).problems.map(({ code, where }) => `${code} ${where}`)

  test.each([
    ["30 2 * * *", "Europe/Berlin", ["left_out 2027-03-28", "repeated 2027-10-31"]],
    ["30 1 * * *", "Europe/Berlin", []],
    ["30 2 * * *", "UTC", []],
    ["30 2 * * *", "Asia/Kolkata", []],
    ["30 2 * * *", "+05:30", []],
    ["0 * * * *", "Europe/Berlin", []],
    ["15 * * * *", "Australia/Lord_Howe", ["left_out 2027-10-03"]],
    ["45 1 * * *", "Australia/Lord_Howe", ["repeated 2027-04-04"]],
    ["30 2 31 3 *", "Europe/Berlin", ["left_out 2030-03-31"]],
  ])("%s in %s: %p", async (expression, timezone, expected) => {
    expect(await codes(expression, timezone)).toEqual(expected)
  })

  test("the message about a clock change agrees with the runs", async () => {
    const hours = fc.constantFrom("0", "1", "2", "3", "1-3", "*/2", "0,2")
    const minutes = fc.constantFrom("0", "15", "30", "0,30", "*/20")
    const zone = fc.constantFrom(
      "Europe/London",
      "America/New_York",
      "Australia/Lord_Howe",
      "Africa/Casablanca",
    )
    await fc.assert(
      fc.asyncProperty(minutes, hours, zone, async (minute, hour, timezone) => {
        const expression = `${minute} ${hour} * * *`
        const { problems } = await parse(expression, { timezone })
        for (const { code, where } of problems) {
          const change = [...take(4, clockChangesAfter(atZone(now, timezone)))].find(
            ({ before, after }) => new Date(Math.min(before, after)).toISOString().slice(0, 10) === where,
          )
          const at = change?.time.epochMilliseconds ?? 0
          const after = new Date(at - 3 * 3_600_000).toISOString()
          const { runs } = await parse(expression, { timezone, after, count: 30 })
          const shown = runs.map(({ local }) => local.slice(0, 16))
          const isFixed = new CronPattern(expression).isFixedTime
          const isAtChange = runs.some(({ utc }) => Date.parse(utc) === at)
          if (code === "left_out" && isFixed) expect(isAtChange).toBe(true)
          if (code === "repeated") expect(new Set(shown).size === shown.length).toBe(isFixed)
        }
      }),
      { numRuns: 25, seed: 20261123 },
    )
  })
})

function* take<T>(count: number, all: Iterable<T>): Generator<T> {
  for (const one of all) {
    if (count-- <= 0) return
    yield one
  }
}

test.each([
  ["", {}, "expression"],
  ["* * * *", {}, "expression"],
  ["* * * * * * * *", {}, "expression"],
  ["60 * * * *", {}, "expression"],
  ["* * * * 8", {}, "expression"],
  ["*/0 * * * *", {}, "expression"],
  ["5-1 * * * *", {}, "expression"],
  ["@reboot", {}, "expression"],
  ["2026-11-23T12:00:00Z", {}, "expression"],
  ["٥ * * * *", {}, "expression"],
  ["* * * * *\u0000", {}, "expression"],
  ["* * * * *", { timezone: "Europe/Nowhere" }, "timezone"],
  ["* * * * *", { timezone: "2020-01-01T00:00[Europe/Berlin]" }, "timezone"],
  ["* * * * *", { after: "yesterday" }, "after"],
  ["* * * * *", { after: "2027-02-30T00:00:00Z" }, "after"],
  ["* * * * *", { after: "2200-01-01T00:00:00Z" }, "after"],
])("%p %p names %s", (expression, more, parameter) => {
  expect(parse(expression, more)).rejects.toThrow(`The '${parameter}' parameter must be `)
})

test("any text is answered or refused", async () => {
  const piece = fc.constantFrom(..."0123456789*/,-LW#+? @amonju".split(""), " ", " ")
  const text = fc.oneof(
    fc.string({ unit: piece, minLength: 1, maxLength: 200 }),
    fc
      .array(fc.string({ unit: piece, minLength: 1, maxLength: 6 }), { minLength: 5, maxLength: 7 })
      .map((all) => all.join(" ")),
  )
  await fc.assert(
    fc.asyncProperty(text, async (expression) => {
      const answer = await parse(expression, { count: 1 }).catch((error: Error) => error)
      if (answer instanceof Error) expect(answer.name).toBe("InputRejected")
      else expect(answer.is_valid).toBe(answer.runs.length > 0)
    }),
    { numRuns: 500, seed: 20261123 },
  )
})

describe("the search agrees with that of croner, which takes longer", () => {
  const plain = (expression: string, timezone: string, afterMs: number) =>
    new Cron(expression, { timezone }).nextRun(new Date(afterMs))?.getTime() ?? null

  test("near changes of the clocks", () => {
    const minute = fc.constantFrom("*", "0", "30", "*/20", "0,59", "45-50")
    const hour = fc.constantFrom("*", "0", "1", "2", "3", "1-3", "0,2", "*/2", "23")
    const day = fc.constantFrom(
      "* * *",
      "25-31 3 +SUN#L",
      "25-31 10 +SUN#L",
      "* 3,4,9-11 +SUN",
      "30 12 *",
      "1-7 * SUN",
    )
    const zone = fc.constantFrom(
      ...["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Casablanca"],
      ...["America/Sao_Paulo", "Asia/Kolkata", "+05:30"],
    )
    const from = fc.integer({ min: Date.UTC(2010, 0), max: Date.UTC(2012, 0) })
    const nearness = fc.integer({ min: -5, max: 5 })
    fc.assert(
      fc.property(
        minute,
        hour,
        day,
        zone,
        from,
        nearness,
        (minutes, hours, days, timezone, ms, halfHours) => {
          const expression = `0 ${minutes} ${hours} ${days} 2010-2012`
          const [change] = clockChangesAfter(atZone(ms, timezone))
          const afterMs = (change?.time.epochMilliseconds ?? ms) + halfHours * 1_800_000
          expect(readSchedule(expression, timezone).next(afterMs)).toBe(plain(expression, timezone, afterMs))
        },
      ),
      { numRuns: 120, seed: 20261123 },
    )
  })

  test("for days of any kind", () => {
    const day = fc.constantFrom("*", "29", "30", "31", "29-31", "L", "LW", "1W", "31W", "15,30W", "?")
    const month = fc.constantFrom("*", "2", "FEB,APR", "4,6,9,11", "12")
    const weekday = fc.constantFrom("*", "1", "+1", "+MON#1", "+5#5", "+0#L", "6#5", "+1#2,3#4", "+7")
    fc.assert(
      fc.property(day, month, weekday, (...days) => {
        const expression = `0 0 0 ${days.join(" ")} 1998-2030`
        const afterMs = Date.UTC(2000, 0)
        expect(readSchedule(expression, "UTC").next(afterMs)).toBe(plain(expression, "UTC", afterMs))
      }),
      { numRuns: 120, seed: 20261123 },
    )
  })
})

test.each([
  ["* * 2 25-31 3 +SUN#L", "Europe/Berlin"],
  ["* * 2 25-31 3 +SUN#L 1-9999", "Europe/Berlin"],
  ["0 0 0 31 * +1#1 1-9999", "UTC"],
  ["*/7 * * 1W * +MON#L *", "UTC"],
  ["* * * 31 4,6,9,11 +1-6 1-9999", "America/New_York"],
])("%s in %s never runs, and that is found soon", async (expression, timezone) => {
  await parse("* * * * *")
  const taken = processorMs(async () => {
    const { is_valid, runs } = await parse(expression, { timezone })
    expect({ is_valid, runs }).toEqual({ is_valid: false, runs: [] })
  })
  expect(await taken).toBeLessThan(1_000)
})

test("schedules that are rare or that never run end soon", async () => {
  const taken = processorMs(async () => {
    for (const expression of ["0 0 30 2 *", "* * * 30,31 2 +1L", "0 0 29 2 +1#5", "59 59 23 29 2 +0 9999"])
      await parse(expression, { count: 100, timezone: "Europe/Berlin" })
  })
  expect(await taken).toBeLessThan(1_000)
})

test("names of time zones in any capitals, and offsets", () => {
  expect(["europe/berlin", "+05:30", "Etc/GMT+3", "utc", "Asia/Calcutta"].map(toTimeZone)).toEqual([
    ...["Europe/Berlin", "+05:30", "Etc/GMT+3", "UTC", "Asia/Calcutta"],
  ])
  for (const text of ["", "Z", "PST", "Europe", "../../etc", "+5", "+25:00", "__proto__", "Europe/Berlin\n"])
    expect(toTimeZone(text)).toBeNull()
  expect(toLocalText(atZone(Date.UTC(2027, 2, 28, 1), "Europe/Berlin"))).toBe("2027-03-28T03:00:00+02:00")
})
