import { expect, test } from "bun:test"
import fc from "fast-check"
import { periodAt } from "./period.ts"

const at = (iso: string) => Date.parse(iso)
const iso = (ms: number) => new Date(ms).toISOString()

test.each([
  // created, now, start, end
  [
    "2025-01-15T10:30:00.000Z",
    "2025-01-15T10:30:00.000Z",
    "2025-01-15T10:30:00.000Z",
    "2025-02-15T10:30:00.000Z",
  ],
  [
    "2025-01-15T10:30:00.000Z",
    "2025-02-15T10:29:59.999Z",
    "2025-01-15T10:30:00.000Z",
    "2025-02-15T10:30:00.000Z",
  ],
  [
    "2025-01-15T10:30:00.000Z",
    "2025-02-15T10:30:00.000Z",
    "2025-02-15T10:30:00.000Z",
    "2025-03-15T10:30:00.000Z",
  ],
  // A 31st falls on the last day of shorter months, and is back in the next long one.
  [
    "2025-01-31T12:00:00.000Z",
    "2025-02-28T12:00:00.000Z",
    "2025-02-28T12:00:00.000Z",
    "2025-03-31T12:00:00.000Z",
  ],
  [
    "2025-01-31T12:00:00.000Z",
    "2025-04-30T11:59:59.999Z",
    "2025-03-31T12:00:00.000Z",
    "2025-04-30T12:00:00.000Z",
  ],
  [
    "2024-01-31T00:00:00.000Z",
    "2024-02-29T00:00:00.000Z",
    "2024-02-29T00:00:00.000Z",
    "2024-03-31T00:00:00.000Z",
  ],
  [
    "2024-02-29T00:00:00.000Z",
    "2025-02-28T00:00:00.000Z",
    "2025-02-28T00:00:00.000Z",
    "2025-03-29T00:00:00.000Z",
  ],
  // A clock set back before the creation.
  [
    "2025-06-01T00:00:00.000Z",
    "2024-01-01T00:00:00.000Z",
    "2025-06-01T00:00:00.000Z",
    "2025-07-01T00:00:00.000Z",
  ],
])("created %s, at %s: from %s to %s", (created, now, start, end) => {
  const period = periodAt(at(created), at(now))
  expect([iso(period.startMs), iso(period.endMs)]).toEqual([start, end])
})

test("months follow one another without gap or overlap, and hold the instant asked for", () => {
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
    { seed: 20250101, numRuns: 2_000 },
  )
})
