import { expect, test } from "bun:test"
import { Cron } from "croner"
import fc from "fast-check"
import { locals, type More, now, parse, zoneOf } from "../../../test/support/cron-runs.ts"
import { processorMs } from "../../../test/support/processor-time.ts"
import { clockChangesAfter, toLocalText } from "../../values/time-zone.ts"
import { builtInZones, readTimeZones } from "../../values/time-zones/zone-data.ts"
import { createCronparser } from "./index.ts"
import { readSchedule } from "./run.ts"
import { languages } from "./words.ts"

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
])("%s", async (expression, times) => expect(await locals(expression, { count: 2 })).toEqual(times))

const codes = async (expression: string): Promise<string[]> =>
  (await parse(expression)).problems.map(({ code }) => code)

// find_jobs() in cron.c of cron and cronie: both must fit if DOM_STAR or DOW_STAR is set, which load_entry() does at a first *.
test.each([
  ["0 0 */2 * MON", ["2026-12-07", "2026-12-21", "2027-01-11"], ["both_days"]],
  ["0 0 */1 * MON", ["2026-11-30", "2026-12-07", "2026-12-14"], ["both_days"]],
  ["0 0 1-7 * */2", ["2026-12-01", "2026-12-03", "2026-12-05"], ["both_days"]],
  ["30 0 0 *,5 * MON", ["2026-11-30", "2026-12-07", "2026-12-14"], ["both_days"]],
  ["0 0 */2 * +MON", ["2026-12-07", "2026-12-21", "2027-01-11"], []],
  ["0 0 1-31/2 * MON", ["2026-11-25", "2026-11-27", "2026-11-29"], ["either_day"]],
  ["0 0 */2 * *", ["2026-11-25", "2026-11-27", "2026-11-29"], []],
  ["0 0 ? * */2", ["2026-11-24", "2026-11-26", "2026-11-28"], []],
])("two fields for the day of which one begins with *: %s runs on %p", async (expression, days, problems) => {
  expect((await locals(expression, { count: 3 })).map((time) => time.slice(0, 10))).toEqual(days)
  expect(await codes(expression)).toEqual(problems)
})

test("two fields for the day of which one begins with *: such days are those of cron, and said so in words", async () => {
  const days = fc.constantFrom("*", "*/2", "*/5", "*,3", "1-31/2", "13", "1-7")
  const weekdays = fc.constantFrom("*", "*/2", "*/3", "*,1", "1-5", "5", "0,6")
  const values = (field: string, most: number) => {
    const [range = "", step = "1"] = (field.startsWith("*,") ? "*" : field).split("/")
    const all = Array.from({ length: most + 1 }, (_, value) => value)
    const ends = range === "*" ? [most === 31 ? 1 : 0, most] : range.split("-").map(Number)
    if (range.includes(",")) return all.filter((value) => range.split(",").includes(String(value)))
    const [first = 0, last = first] = ends
    return all.filter((value) => value >= first && value <= last && (value - first) % Number(step) === 0)
  }
  await fc.assert(
    fc.asyncProperty(days, weekdays, async (day, weekday) => {
      const [inMonth, inWeek] = [values(day, 31), values(weekday, 6)]
      const isStar = day.startsWith("*") || weekday.startsWith("*")
      const wanted = Array.from({ length: 370 }, (_, index) => new Date(now + (index + 1) * 86_400_000))
        .filter((date) => {
          const fits = [inMonth.includes(date.getUTCDate()), inWeek.includes(date.getUTCDay())]
          return isStar ? fits.every(Boolean) : fits.some(Boolean)
        })
        .map((date) => date.toISOString().slice(0, 10))
      const expression = `0 0 ${day} * ${weekday}`
      const runs = await locals(expression, { count: 20 })
      expect(runs.map((time) => time.slice(0, 10)).slice(0, wanted.length)).toEqual(wanted.slice(0, 20))
      const { description } = await parse(expression, { count: 1 })
      if ((await codes(expression)).includes("both_days")) expect(description).not.toContain(", and on ")
    }),
    { numRuns: 49 },
  )
})

test("the first run is after now, or after a given time, never at it", async () => {
  expect(await locals("* * * * *", { count: 1 })).toEqual(["2026-11-23T12:01"])
  const atNoon = { count: 1, after: "2026-11-23T12:00:00Z" }
  expect(await locals("0 12 * * *", atNoon)).toEqual(["2026-11-24T12:00"])
})

test.each([
  ["0 0 13 * +5", "At 00:00, on day 13 of the month, only on Friday"],
  ["0 0 * * 5#L", "At 00:00, on the last Friday of the month"],
  ["0 0 12 1 1 * 2030", "At 12:00, on day 1 of the month, only in January, only in 2030"],
  ["0 0 1,15W * *", null],
  [" @HOURLY ", "Every hour"],
  ["30 0 12 * * mon-fri", "At 12:00:30, Monday through Friday"],
])("words: %s: %p", async (expression, words) => expect((await parse(expression)).description).toBe(words))

test("words: each language has its own words, only on plans with premium fields", async () => {
  const all = await Promise.all(languages.map((language) => parse("0 9 * * 1-5", { language, count: 1 })))
  expect(new Set(all.map(({ description }) => description)).size).toBeGreaterThan(languages.length - 3)
  const { description } = await parse("0 9 * * 1-5", { language: "de" }, false)
  expect(description).toBe("At 09:00, Monday through Friday")
})

test("plans without premium fields get five runs", async () => {
  expect((await parse("* * * * *", { count: 100 })).runs).toHaveLength(100)
  expect((await parse("* * * * *", { count: 100 }, false)).runs).toHaveLength(5)
  expect((await parse("* * * * *", { count: 2 }, false)).runs).toHaveLength(2)
})

const first = async (expression: string, more: More = {}) => {
  const { dialect, runs, description } = await parse(expression, { after: "2026-01-01T00:00:00Z", ...more })
  return [dialect, runs[0]?.local.slice(0, 16), description]
}

// Quartz: CronExpression; AWS: "Cron expressions" of EventBridge. Both count Sunday as 1, and one of the two days is ?.
test.each([
  ["0 12 * * 1", "unix", "2026-01-05T12:00", "At 12:00, only on Monday"],
  ["0 12 ? * MON", "unix", "2026-01-05T12:00", "At 12:00, only on Monday"],
  ["0 0 12 * * 1", "unix", "2026-01-05T12:00", "At 12:00, only on Monday"],
  ["0 12 * * ? *", "aws", "2026-01-01T12:00", "At 12:00"],
  ["cron(0 12 * * ? *)", "aws", "2026-01-01T12:00", "At 12:00"],
  ["*/5 * * * ? *", "aws", "2026-01-01T00:05", "Every 5 minutes"],
  ["15 10 ? * 2 *", "aws", "2026-01-05T10:15", "At 10:15, only on Monday"],
  ["15 10 ? * 6L 2027", "aws", "2027-01-29T10:15", "At 10:15, on the last Friday of the month, only in 2027"],
  ["0 0 12 ? * 2", "quartz", "2026-01-05T12:00", "At 12:00, only on Monday"],
  ["0 0 12 ? * MON-FRI", "quartz", "2026-01-01T12:00", "At 12:00, Monday through Friday"],
  [
    "0 0 12 ? * FRI-MON",
    "quartz",
    "2026-01-02T12:00",
    "At 12:00, only on Sunday, Monday, Friday, and Saturday",
  ],
  ["0 0 12 ? * 6#3", "quartz", "2026-01-16T12:00", "At 12:00, on the third Friday of the month"],
  ["0 0 12 ? * L", "quartz", "2026-01-03T12:00", "At 12:00, only on Saturday"],
  ["0 0 12 L * ? 2027", "quartz", "2027-01-31T12:00", "At 12:00, on the last day of the month, only in 2027"],
  [
    "0 5/20 12 * * ?",
    "quartz",
    "2026-01-01T12:05",
    "Every 20 minutes, minutes 5 through 59 past the hour, between 12:00 and 12:59",
  ],
] as const)("the dialect: %s is %s", async (expression, dialect, time, words) =>
  expect(await first(expression)).toEqual([dialect, time, words]),
)

test("the dialect: an expression that is valid in two dialects is read as told", async () => {
  const told = async (dialect: "quartz" | "unix") => (await first("0 0 12 ? * 2", { dialect })).slice(0, 2)
  expect(await told("quartz")).toEqual(["quartz", "2026-01-05T12:00"])
  expect(await told("unix")).toEqual(["unix", "2026-01-06T12:00"])
})

test.each([
  ["rate(5 minutes)", {}, "rate() is no cron expression: write */5 * * * * for each 5 minutes"],
  ["0 0 0 L-3 * ?", {}, "days counted back from the last, such as 'L-3', cannot be read"],
  ["0 0 0 * *", {}, "the day of the month '0' is not from 1 to 31"],
  ["0 0 * 13 *", {}, "the month '13' is not from 1 to 12 or from JAN to DEC"],
  ["0 ? * * *", {}, "the hour is ?, which stands only for a day of the month or of the week"],
  ["0 12 * * 1 *", { dialect: "aws" }, "in aws, either the day of the month or the day of the week is ?"],
  [
    "0 0 12 * * *",
    { dialect: "quartz" },
    "in quartz, either the day of the month or the day of the week is ?",
  ],
  ["0 0 12 ? * 0", {}, "the day of the week '0' is not from 1 to 7 or from SUN to SAT"],
  ["5/10 * * * *", {}, "a step needs a range: write 5-59/10 for the minute '5/10'"],
  ["* * * *", {}, "it has 4 fields; unix has 5 or 6 or 7"],
  ["*/0 * * * *", {}, "the step 0 of the minute is not from 1 to 60"],
  ["1,,2 * * * *", {}, "'' cannot be the minute"],
  [
    "@reboot",
    {},
    "words that stand for a schedule are @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly",
  ],
] as const)("the dialect: %s %p: %s", (expression, more, mistake) =>
  expect(parse(expression, more)).rejects.toThrow(
    `The 'expression' parameter must be a cron expression, such as 0 9 * * 1-5. The mistake: ${mistake}.`,
  ),
)

test("words for steps that begin anew too soon name the times", async () => {
  const step = fc.integer({ min: 2, max: 59 })
  const place = fc.constantFrom([0, 60, "minute"], [1, 24, "hour"], [2, 31, "day"], [3, 12, "month"] as const)
  await fc.assert(
    fc.asyncProperty(step, place, async (by, [index, size, unit]) => {
      fc.pre(by < Number(size))
      const fields = ["0", "0", "1", "1", "*"].map((field, at) => (at === index ? `*/${by}` : field))
      const { description } = await parse(fields.join(" "), { count: 1 })
      const says = new RegExp(`every ${by} ${unit}s`, "i").test(description ?? "")
      expect(says && (Number(size) % by !== 0 || unit === "day")).toBe(false)
    }),
  )
  expect((await parse("*/50 * * * *", { count: 1 })).description).toBe("At 0 and 50 minutes past the hour")
})

test("another version of the database of time zones", async () => {
  const text = await Bun.file("node_modules/moment-timezone/data/packed/latest.json").json()
  const berlin = text.zones.find((line: string) => line.startsWith("Europe/Berlin|"))
  const zones = [berlin.replace("Europe/Berlin", "Mars/Olympus"), berlin]
  const api = createCronparser(readTimeZones(JSON.stringify({ version: "2031b", zones, links: [] })))
  const answer = await parse("0 12 * * *", { timezone: "mars/olympus", count: 1 }, true, api)
  expect(answer).toMatchObject({ timezone: "Mars/Olympus", data_version: "2031b" })
  expect(parse("0 12 * * *", { timezone: "Asia/Tokyo" }, true, api)).rejects.toThrow(
    "'timezone' parameter must be a time zone",
  )
  const said = /expected an object with version|must be one such as 2026f|until 2499/
  const dated = ["new", "2031b"].map((version) => `{"version": "${version}", "zones": [], "links": []}`)
  for (const wrong of ["{}", ...dated]) expect(() => readTimeZones(wrong)).toThrow(said)
})

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
])("%p %p names %s", (expression, more, parameter) =>
  expect(parse(expression, more)).rejects.toThrow(`The '${parameter}' parameter must be `),
)

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
      if (answer instanceof Error) {
        expect(answer.name).toBe("InputRejected")
        // Messages of croner begin so, or end so.
        const theirs = /CronPattern|not a number|Syntax error|configuration entry|-1\b.*range/
        expect(answer.message).not.toMatch(theirs)
      } else expect(answer.is_valid).toBe(answer.runs.length > 0)
    }),
    { numRuns: 500, seed: 20261123 },
  )
})

const plain = (expression: string, timezone: string, afterMs: number) =>
  new Cron(expression, { timezone }).nextRun(new Date(afterMs))?.getTime() ?? null

test("the search agrees with that of croner, which takes longer: near changes of the clocks", () => {
  const minute = fc.constantFrom("*", "0", "30", "*/20", "0,59", "45-50")
  const hour = fc.constantFrom("*", "0", "1", "2", "3", "1-3", "0,2", "*/2", "23")
  const march = "25-31 3 +SUN#L"
  const day = fc.constantFrom("* * *", march, "25-31 10 +SUN#L", "* 3,4,9-11 +SUN", "30 12 *", "1-7 * SUN")
  const zone = fc.constantFrom(
    ..."Europe/Berlin America/New_York Australia/Lord_Howe Pacific/Auckland Africa/Casablanca".split(" "),
    ...["America/Sao_Paulo", "Asia/Kolkata", "+05:30"],
  )
  const from = fc.integer({ min: Date.UTC(2010, 0), max: Date.UTC(2012, 0) })
  const nearness = fc.integer({ min: -5, max: 5 })
  return fc.assert(
    fc.asyncProperty(
      minute,
      hour,
      day,
      zone,
      from,
      nearness,
      async (minutes, hours, days, timezone, ms, halfHours) => {
        const expression = `0 ${minutes} ${hours} ${days} 2010-2012`
        const zone = await zoneOf(timezone)
        const [change] = clockChangesAfter(zone, ms)
        const afterMs = (change?.at ?? ms) + halfHours * 1_800_000
        expect(readSchedule(expression, zone).next(afterMs)).toBe(plain(expression, timezone, afterMs))
      },
    ),
    { numRuns: 120, seed: 20261123 },
  )
})

test("the search agrees with that of croner, which takes longer for days of any kind", () => {
  const day = fc.constantFrom("*", "29", "30", "31", "29-31", "L", "LW", "1W", "31W", "15,30W", "?")
  const month = fc.constantFrom("*", "2", "FEB,APR", "4,6,9,11", "12")
  const weekday = fc.constantFrom("*", "1", "+1", "+MON#1", "+5#5", "+0#L", "6#5", "+1#2,3#4", "+7")
  return fc.assert(
    fc.asyncProperty(day, month, weekday, async (...days) => {
      const expression = `0 0 0 ${days.join(" ")} 1998-2030`
      const afterMs = Date.UTC(2000, 0)
      const found = readSchedule(expression, await zoneOf("UTC")).next(afterMs)
      expect(found).toBe(plain(expression, "UTC", afterMs))
    }),
    { numRuns: 120, seed: 20261123 },
  )
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

test("names of time zones in any capitals, and offsets", async () => {
  const names = ["europe/berlin", "+05:30", "Etc/GMT+3", "utc", "Asia/Calcutta", "-00:00"]
  const found = await Promise.all(names.map(async (name) => (await zoneOf(name)).name))
  expect(found).toEqual(["Europe/Berlin", "+05:30", "Etc/GMT+3", "UTC", "Asia/Calcutta", "+00:00"])
  for (const text of ["", "Z", "PST", "Europe", "../../etc", "+5", "+25:00", "__proto__", "Europe/Berlin\n"])
    expect(await builtInZones.find(text)).toBeNull()
  const change = Date.UTC(2027, 2, 28, 1)
  expect(toLocalText(await zoneOf("Europe/Berlin"), change)).toBe("2027-03-28T03:00:00+02:00")
})
