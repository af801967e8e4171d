import { expect, test } from "bun:test"
import fc from "fast-check"
import { periodAt } from "./credits.ts"

test.each([
  // created, now, start, end
  ["2025-01-15T10:30", "2025-01-15T10:30", "2025-01-15T10:30", "2025-02-15T10:30"],
  ["2025-01-15T10:30", "2025-02-15T10:29:59.999", "2025-01-15T10:30", "2025-02-15T10:30"],
  ["2025-01-15T10:30", "2025-02-15T10:30", "2025-02-15T10:30", "2025-03-15T10:30"],
  // Months without a 31st begin on their last day.
  ["2025-01-31T12:00", "2025-02-28T12:00", "2025-02-28T12:00", "2025-03-31T12:00"],
  ["2025-01-31T12:00", "2025-04-30T11:59:59.999", "2025-03-31T12:00", "2025-04-30T12:00"],
  ["2024-01-31T00:00", "2024-02-29T00:00", "2024-02-29T00:00", "2024-03-31T00:00"],
  ["2024-02-29T00:00", "2025-02-28T00:00", "2025-02-28T00:00", "2025-03-29T00:00"],
  // Milliseconds count too.
  ["2025-01-15T10:30:00.007", "2025-02-15T10:30", "2025-01-15T10:30:00.007", "2025-02-15T10:30:00.007"],
  // The clock was set back to before the creation.
  ["2025-06-01T00:00", "2024-01-01T00:00", "2025-06-01T00:00", "2025-07-01T00:00"],
])("created %s, at %s: from %s to %s", (created, now, start, end) => {
  const [createdMs, nowMs, startMs, endMs] = [created, now, start, end].map((text) => Date.parse(`${text}Z`))
  expect(periodAt(createdMs ?? 0, nowMs ?? 0)).toEqual({ startMs: startMs ?? 0, endMs: endMs ?? 0 })
})

test("months follow each other without a gap or overlap, and contain the given instant", () => {
  const instant = fc.date({ min: new Date("2000-01-01"), max: new Date("2100-01-01"), noInvalidDate: true })
  fc.assert(
    fc.property(instant, instant, (a, b) => {
      const [created, now] = a <= b ? [a.getTime(), b.getTime()] : [b.getTime(), a.getTime()]
      const period = periodAt(created, now)
      expect(period.startMs).toBeLessThanOrEqual(now)
      expect(period.endMs).toBeGreaterThan(now)
      expect(periodAt(created, period.endMs).startMs).toBe(period.endMs)
      expect(periodAt(created, period.endMs - 1)).toEqual(period)
    }),
    { numRuns: 2_000 },
  )
})

test("months are added as Temporal adds them", () => {
  const instant = fc.date({ min: new Date("0001-01-01"), max: new Date("9000-01-01"), noInvalidDate: true })
  fc.assert(
    fc.property(instant, fc.integer({ min: 0, max: 5_000 }), (date, months) => {
      const created = Temporal.Instant.fromEpochMilliseconds(date.getTime()).toZonedDateTimeISO("UTC")
      const [startMs, endMs] = [months, months + 1].map((n) => created.add({ months: n }).epochMilliseconds)
      expect(periodAt(date.getTime(), startMs ?? 0)).toEqual({ startMs: startMs ?? 0, endMs: endMs ?? 0 })
    }),
    { numRuns: 2_000 },
  )
})
