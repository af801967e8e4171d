import { expect, test } from "bun:test"
import fc from "fast-check"
import type { RunContext } from "../contract.ts"
import { timezoneconverter } from "./index.ts"

type Input = Parameters<typeof timezoneconverter.run>[0]
const now = Date.UTC(2026, 10, 23, 12)
const clock = { now: () => now, monotonicMs: () => 0 }
const context = { ports: { clock }, giveWay() {}, premium: true } as unknown as RunContext
const convert = async (input: Partial<Input>) => timezoneconverter.run({ to: ["UTC"], ...input }, context)
const locals = async (input: Partial<Input>) => (await convert(input)).times.map(({ local }) => local)

test.each([
  ["2027-01-31T12:00", "Asia/Tokyo", "2027-01-31T03:00:00+00:00"],
  ["2027-01-31t12:00:30.5", "asia/tokyo", "2027-01-31T03:00:30+00:00"],
  ["2027-01-31", "America/New_York", "2027-01-31T05:00:00+00:00"],
  ["2027-01-31T12:00Z", undefined, "2027-01-31T12:00:00+00:00"],
  ["2027-01-31T12:00+05:30", "Asia/Tokyo", "2027-01-31T06:30:00+00:00"],
  ["2027-01-31T12:00", "-03:30", "2027-01-31T15:30:00+00:00"],
  ["2024-02-29T23:59", undefined, "2024-02-29T23:59:00+00:00"],
  [undefined, undefined, "2026-11-23T12:00:00+00:00"],
])("%p in %p is %s", async (time, from, utc) =>
  expect(await locals({ ...(time && { time }), ...(from && { from }) })).toEqual([utc]),
)

// RFC 3339 §5.6 and §5.8, and what ISO 8601 has besides.
test.each([
  ["1985-04-12T23:20:50.52Z", "1985-04-12T23:20:50.520Z"],
  ["1996-12-19T16:39:57-08:00", "1996-12-20T00:39:57.000Z"],
  ["1990-12-31T23:59:60Z", "1991-01-01T00:00:00.000Z"],
  ["1990-12-31T15:59:60-08:00", "1991-01-01T00:00:00.000Z"],
  ["1937-01-01T12:00:27.87+00:20", "1937-01-01T11:40:27.870Z"],
  ["2026-06-15T14:30:00.123456789+00:00", "2026-06-15T14:30:00.123Z"],
  ["2026-06-15t14:30:00,5z", "2026-06-15T14:30:00.500Z"],
  ["2026-06-15T14:30:00+0200", "2026-06-15T12:30:00.000Z"],
  ["2026-06-15 14:30:00 02:00", "2026-06-15T12:30:00.000Z"],
  ["2026-06-15T14:30:00-04", "2026-06-15T18:30:00.000Z"],
  ["2026-12-31T24:00:00Z", "2027-01-01T00:00:00.000Z"],
  ["2026-06-15T24:00", "2026-06-16T00:00:00.000Z"],
  ["1805205600", "2027-03-16T14:00:00.000Z"],
  ["1805205600.25", "2027-03-16T14:00:00.250Z"],
])("the time %s is %s", async (time, utc) => expect((await convert({ time })).utc).toBe(utc))

test("offsets with seconds, of local mean time", async () => {
  const { utc, from } = await convert({ time: "1920-04-30T23:59", from: "America/Argentina/Buenos_Aires" })
  expect(utc).toBe("1920-05-01T04:15:48.000Z")
  expect(from).toMatchObject({ local: "1920-04-30T23:59:00-04:16:48", offset: "-04:16:48" })
  expect(from?.next_change).toMatchObject({
    local_before: "1920-05-01T00:00:00-04:16:48",
    local_after: "1920-05-01T00:16:48-04:00",
  })
})

test("half an hour that Lord Howe Island skips, and one that it repeats", async () => {
  const at = async (time: string) =>
    (await convert({ time, from: "Australia/Lord_Howe" })).problems[0]?.message
  expect(await at("2027-10-03T02:15")).toBe(
    "On 2027-10-03, clocks in Australia/Lord_Howe go from 02:00 to 02:30: there is no 02:15. The answer is for 2027-10-03T02:45:00+11:00.",
  )
  expect(await at("2027-04-04T01:45")).toBe(
    "On 2027-04-04, clocks in Australia/Lord_Howe go from 02:00 to 01:30: 01:45 comes twice. The answer is for 2027-04-04T01:45:00+11:00.",
  )
  expect([await at("2027-10-03T02:30"), await at("2027-04-04T02:00")]).toEqual([undefined, undefined])
})

// Changes that the runtime's data of 2026a lack: Morocco, British Columbia, Alberta and Cuba.
test.each([
  ["Africa/Casablanca", "+00:00"],
  ["America/Vancouver", "-07:00"],
  ["America/Edmonton", "-06:00"],
])("%s is at %s in the winter of 2027", async (timezone, offset) => {
  const { times, data_version } = await convert({ time: "2027-01-15T12:00Z", to: [timezone] })
  expect([times[0]?.offset, data_version]).toEqual([offset, "2026f"])
})

test("the zones of the answer are those of the question, in their order and with their own capitals", async () => {
  const to = ["asia/tokyo", "UTC", "Asia/Tokyo", "+05:45"]
  const { times, from } = await convert({ time: "2027-01-31T12:00Z", to })
  expect(times.map(({ timezone }) => timezone)).toEqual(["Asia/Tokyo", "UTC", "Asia/Tokyo", "+05:45"])
  expect(from).toBeNull()
  const tokyo = await convert({ time: "2027-01-31T12:00Z", from: "Asia/Tokyo" })
  expect(tokyo.from?.local).toBe("2027-01-31T21:00:00+09:00")
  expect((await convert({ time: "2027-01-31T12:00" })).from?.timezone).toBe("UTC")
})

const berlin = async (time: string, disambiguation?: Input["disambiguation"]) => {
  const { is_valid, problems, utc } = await convert({
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
] as const)("times that clocks leave out or show twice: %s, %p", async (time, disambiguation, expected) =>
  expect(await berlin(time, disambiguation)).toEqual([...expected]),
)

test("times that clocks leave out or show twice: a whole day", async () =>
  expect((await convert({ time: "2011-12-30T12:00", from: "Pacific/Apia" })).problems[0]?.message).toBe(
    "On 2011-12-30, clocks in Pacific/Apia go from 00:00 to 00:00 on 2011-12-31: there is no 12:00. The answer is for 2011-12-31T12:00:00+14:00.",
  ))

test("times that clocks leave out or show twice: an instant is never one of them", async () =>
  expect((await convert({ time: "2027-10-31T00:30Z", from: "Europe/Berlin" })).problems).toEqual([]))

test("changes of the clocks: the next one, and on plans with premium fields those of the year", async () => {
  const input = { time: "2027-10-31T00:59:59Z", to: ["Europe/Berlin", "Asia/Kolkata", "Europe/Berlin"] }
  const { times, year_changes } = await convert(input)
  expect(times.map(({ next_change }) => next_change?.utc)).toEqual([
    ...["2027-10-31T01:00:00.000Z", undefined, "2027-10-31T01:00:00.000Z"],
  ])
  expect(year_changes.map(({ utc }) => utc)).toEqual(["2027-03-28T01:00:00.000Z", "2027-10-31T01:00:00.000Z"])
  const free = { ...context, premium: false }
  expect((await timezoneconverter.run(input, free)).year_changes).toEqual([])
})

test.each([
  [{ time: "2027-02-29" }, "time"],
  [{ time: "2027-13-01T00:00" }, "time"],
  [{ time: "2027-01-31T24:01" }, "time"],
  [{ time: "2027-01-31T12:60" }, "time"],
  [{ time: "20270131" }, "time"],
  [{ time: "1805205600000" }, "time"],
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
])("%p names %s", (input, parameter) =>
  expect(convert(input)).rejects.toThrow(`The '${parameter}' parameter must be `),
)

test("converted there and back, any time is the same", async () => {
  const zone = fc.constantFrom(...Intl.supportedValuesOf("timeZone"))
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: Date.UTC(1901, 0), max: Date.UTC(2150, 0) }),
      zone,
      zone,
      async (ms, from, to) => {
        const utc = new Date(Math.floor(ms / 1_000) * 1_000).toISOString()
        const [there] = (await convert({ time: utc, to: [from] })).times
        expect((await convert({ time: there?.local ?? "", to: [to] })).utc).toBe(utc)
        expect(there?.next_change === null || (there?.next_change?.utc ?? "") > utc).toBe(true)
      },
    ),
    { numRuns: 300, seed: 20261123 },
  )
})
