/** Runs at times that clocks skip or repeat. */
import { expect, test } from "bun:test"
import { CronPattern } from "croner"
import fc from "fast-check"
import { now, parse, zoneOf } from "../../../test/support/cron-runs.ts"
import { clockChangesAfter, toLocalText } from "../../values/time-zone.ts"
import { readSchedule } from "./run.ts"

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
])("clock changes: %s in %s: %p", async (expression, timezone, expected) =>
  expect(await codes(expression, timezone)).toEqual(expected),
)

test("clock changes: the message about a clock change agrees with the runs", async () => {
  const hours = fc.constantFrom("0", "1", "2", "3", "1-3", "*/2", "0,2")
  const minutes = fc.constantFrom("0", "15", "30", "0,30", "*/20")
  const places = "Europe/London America/New_York Australia/Lord_Howe Africa/Casablanca"
  const zone = fc.constantFrom(...places.split(" "))
  await fc.assert(
    fc.asyncProperty(minutes, hours, zone, async (minute, hour, timezone) => {
      const expression = `${minute} ${hour} * * *`
      const { problems } = await parse(expression, { timezone })
      for (const { code, where } of problems) {
        const change = [...take(4, clockChangesAfter(await zoneOf(timezone), now))].find(
          ({ before, after }) => new Date(Math.min(before, after)).toISOString().slice(0, 10) === where,
        )
        const at = change?.at ?? 0
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

function* take<T>(count: number, all: Iterable<T>): Generator<T> {
  for (const one of all) {
    if (count-- <= 0) return
    yield one
  }
}

test("a time that clocks skip or repeat: a whole day that Samoa left out: the message and the run agree", async () => {
  const more = { timezone: "Pacific/Apia", after: "2011-12-01T00:00:00Z", count: 2 }
  const { runs, problems } = await parse("0 12 30 12 *", more)
  expect(runs.map(({ local }) => local)).toEqual(["2011-12-31T00:00:00+14:00", "2012-12-30T12:00:00+14:00"])
  expect(problems.find(({ code }) => code === "left_out")?.message).toBe(
    "On 2011-12-30, clocks in Pacific/Apia go from 00:00 to 00:00 on 2011-12-31: the run of 12:00 takes place at 00:00 on 2011-12-31.",
  )
})

// Midnights that clocks skip: a run at a fixed time takes place at the change.
test.each([
  ["America/Santiago", "2016-08-13T12:00:00Z", "2016-08-14T01:00:00-03:00"],
  ["Pacific/Apia", "2010-09-25T12:30:00Z", "2010-09-26T01:00:00-10:00"],
  ["America/Sao_Paulo", "2018-11-03T12:00:00Z", "2018-11-04T01:00:00-02:00"],
])("a time that clocks skip or repeat: midnight in %s", async (timezone, after, local) =>
  expect((await parse("0 0 * * *", { timezone, after, count: 1 })).runs[0]?.local).toBe(local),
)

test("a time that clocks skip or repeat: half an hour on Lord Howe Island", async () => {
  const runs = async (expression: string, after: string) =>
    (await parse(expression, { timezone: "Australia/Lord_Howe", after, count: 3 })).runs.map(
      ({ local }) => local,
    )
  // 02:00 becomes 02:30: 02:15 is skipped.
  expect(await runs("15 * * * *", "2027-10-02T15:00:00Z")).toEqual([
    ...["2027-10-03T01:45:00+10:30"].slice(1),
    ...["2027-10-03T03:15:00+11:00", "2027-10-03T04:15:00+11:00", "2027-10-03T05:15:00+11:00"],
  ])
  // 02:00 becomes 01:30: 01:45 comes twice, for a fixed time the first one counts.
  expect(await runs("45 * * * *", "2027-04-03T14:30:00Z")).toEqual([
    ...["2027-04-04T01:45:00+11:00", "2027-04-04T01:45:00+10:30", "2027-04-04T02:45:00+10:30"],
  ])
  expect((await runs("45 1 * * *", "2027-04-03T14:30:00Z")).slice(0, 2)).toEqual([
    ...["2027-04-04T01:45:00+11:00", "2027-04-05T01:45:00+10:30"],
  ])
})

test("a time that clocks skip or repeat: after the last year that is written out, the changes go on", async () => {
  const zone = await zoneOf("Europe/Berlin")
  const { next } = readSchedule("0 30 2 * * *", zone)
  expect(toLocalText(zone, next(Date.parse("2827-03-27T12:00:00Z")) ?? 0)).toBe("2827-03-28T03:00:00+02:00")
})
