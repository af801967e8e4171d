import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { runApi } from "../../../test/support/run-api.ts"
import type { RunContext } from "../contract.ts"
import { timezoneconverter } from "./index.ts"

type Input = Parameters<typeof timezoneconverter.run>[0]
const now = Date.UTC(2026, 10, 23, 12)
const clock = { now: () => now, monotonicMs: () => 0 }
const convert = (input: Partial<Input>) => runApi(timezoneconverter, { to: ["UTC"], ...input }, { clock })
const locals = (input: Partial<Input>) => convert(input).times.map(({ local }) => local)

test.each([
  ["2027-01-31T12:00", "Asia/Tokyo", "2027-01-31T03:00:00+00:00"],
  ["2027-01-31t12:00:30.5", "asia/tokyo", "2027-01-31T03:00:30+00:00"],
  ["2027-01-31", "America/New_York", "2027-01-31T05:00:00+00:00"],
  ["2027-01-31T12:00Z", undefined, "2027-01-31T12:00:00+00:00"],
  ["2027-01-31T12:00+05:30", "Asia/Tokyo", "2027-01-31T06:30:00+00:00"],
  ["2027-01-31T12:00", "-03:30", "2027-01-31T15:30:00+00:00"],
  ["2024-02-29T23:59", undefined, "2024-02-29T23:59:00+00:00"],
  [undefined, undefined, "2026-11-23T12:00:00+00:00"],
])("%p in %p is %s", (time, from, utc) => {
  expect(locals({ ...(time && { time }), ...(from && { from }) })).toEqual([utc])
})

test("the zones of the answer are those of the question, in their order and with their own capitals", () => {
  const to = ["asia/tokyo", "UTC", "Asia/Tokyo", "+05:45"]
  const { times, from } = convert({ time: "2027-01-31T12:00Z", to })
  expect(times.map(({ timezone }) => timezone)).toEqual(["Asia/Tokyo", "UTC", "Asia/Tokyo", "+05:45"])
  expect(from).toBeNull()
  expect(convert({ time: "2027-01-31T12:00Z", from: "Asia/Tokyo" }).from?.local).toBe(
    "2027-01-31T21:00:00+09:00",
  )
  expect(convert({ time: "2027-01-31T12:00" }).from?.timezone).toBe("UTC")
})

describe("times that clocks leave out or show twice", () => {
  const berlin = (time: string, disambiguation?: Input["disambiguation"]) => {
    const { is_valid, problems, utc } = convert({
      time,
      from: "Europe/Berlin",
      ...(disambiguation && { disambiguation }),
    })
    return [is_valid, problems.map(({ code }) => code).join(), utc.slice(0, 16)]
  }

  test.each([
    ["2027-03-28T01:59", undefined, [true, "", "2027-03-28T00:59"]],
    ["2027-03-28T02:00", undefined, [false, "left_out", "2027-03-28T01:00"]],
    ["2027-03-28T02:30", "earlier", [false, "left_out", "2027-03-28T00:30"]],
    ["2027-03-28T02:30", "later", [false, "left_out", "2027-03-28T01:30"]],
    ["2027-03-28T03:00", undefined, [true, "", "2027-03-28T01:00"]],
    ["2027-10-31T01:59", undefined, [true, "", "2027-10-30T23:59"]],
    ["2027-10-31T02:30", undefined, [true, "repeated", "2027-10-31T00:30"]],
    ["2027-10-31T02:30", "later", [true, "repeated", "2027-10-31T01:30"]],
    ["2027-10-31T03:00", undefined, [true, "", "2027-10-31T02:00"]],
  ] as const)("%s, %p", (time, disambiguation, expected) => {
    expect(berlin(time, disambiguation)).toEqual([...expected])
  })

  test("a whole day", () => {
    expect(convert({ time: "2011-12-30T12:00", from: "Pacific/Apia" }).problems[0]?.message).toBe(
      "On 2011-12-30, clocks in Pacific/Apia go from 00:00 to 00:00 on 2011-12-31: there is no 12:00. The answer is for 2011-12-31T12:00:00+14:00.",
    )
  })

  test("an instant is never one of them", () => {
    expect(convert({ time: "2027-10-31T00:30Z", from: "Europe/Berlin" }).problems).toEqual([])
  })
})

test("changes of the clocks: the next one, and on plans with premium fields those of the year", async () => {
  const input = { time: "2027-10-31T00:59:59Z", to: ["Europe/Berlin", "Asia/Kolkata", "Europe/Berlin"] }
  const { times, year_changes } = convert(input)
  expect(times.map(({ next_change }) => next_change?.utc)).toEqual([
    ...["2027-10-31T01:00:00.000Z", undefined, "2027-10-31T01:00:00.000Z"],
  ])
  expect(year_changes.map(({ utc }) => utc)).toEqual(["2027-03-28T01:00:00.000Z", "2027-10-31T01:00:00.000Z"])
  const free = { ports: { clock }, giveWay() {}, premium: false } as unknown as RunContext
  expect((await timezoneconverter.run(input, free)).year_changes).toEqual([])
})

test.each([
  [{ time: "2027-02-29" }, "time"],
  [{ time: "2027-13-01T00:00" }, "time"],
  [{ time: "2027-01-31T24:00" }, "time"],
  [{ time: "2027-01-31T23:59:60Z" }, "time"],
  [{ time: "2027-01-31T12:00+24:00" }, "time"],
  [{ time: "2027-01-31T12:00[Europe/Berlin]" }, "time"],
  [{ time: "1899-12-31T12:00" }, "time"],
  [{ time: "2200-01-01" }, "time"],
  [{ time: "+002027-01-31" }, "time"],
  [{ time: "٢٠٢٧-01-31" }, "time"],
  [{ time: "" }, "time"],
  [{ from: "Europe/Nowhere" }, "from"],
  [{ from: "" }, "from"],
  [{ to: ["UTC", "PST"] }, "to"],
  [{ to: ["__proto__"] }, "to"],
])("%p names %s", (input, parameter) => {
  expect(() => convert(input)).toThrow(`The '${parameter}' parameter must be `)
})

test("converted there and back, any time is the same", () => {
  const zone = fc.constantFrom(...Intl.supportedValuesOf("timeZone"))
  fc.assert(
    fc.property(
      fc.integer({ min: Date.UTC(1950, 0), max: Date.UTC(2150, 0) }),
      zone,
      zone,
      (ms, from, to) => {
        const utc = new Date(Math.floor(ms / 1_000) * 1_000).toISOString()
        const [there] = convert({ time: utc, to: [from] }).times
        const back = convert({ time: there?.local ?? "", to: [to] })
        // An offset with seconds is rounded where ISO 8601 writes it.
        if (there?.offset.length === 6) expect(back.utc).toBe(utc)
        expect(there?.next_change === null || (there?.next_change?.utc ?? "") > utc).toBe(true)
      },
    ),
    { numRuns: 300, seed: 20261123 },
  )
})
