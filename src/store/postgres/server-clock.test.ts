import { expect, test } from "bun:test"
import { StoreUnavailable } from "../store.ts"
import { createClockSkew, createServerClock } from "./server-clock.ts"

test("gives the database's time or an earlier one, by the quickest of the latest answers", () => {
  let localMs = 0
  const clock = createServerClock({ monotonicMs: () => localMs })
  const observe = (serverMs: number, answeredMs: number, sentMs = answeredMs - 50) =>
    clock.observe(serverMs, { sentMs, answeredMs })
  expect(clock.at(0)).toBeNull()
  // The answer took 50 ms, so the database's clock was further when it came.
  observe(1_000_000, 50)
  expect([clock.at(50), clock.at(550)]).toEqual([1_000_000, 1_000_500])
  observe(1_000_100, 110)
  expect(clock.at(110)).toBe(1_000_100)
  observe(1_000_150, 400, 110)
  expect(clock.at(400)).toBe(1_000_390)
  // A clock that lost half a second is followed after a minute, and one that was set back at once.
  for (localMs = 30_500; localMs < 95_000; localMs += 1_000) observe(999_500 + localMs, localMs)
  expect(clock.at(95_000)).toBe(1_094_500)
  observe(595_000, 95_000)
  expect(clock.at(95_000)).toBe(595_000)
})

/** Clocks that differ by `aheadMs`, which the test sets. */
function setUp() {
  const lines: string[] = []
  let aheadMs = 0
  const skew = createClockSkew(
    { now: () => 1_000_000 + aheadMs, monotonicMs: () => 5_000 },
    { at: (localMs) => localMs + 995_000, observe() {} },
    { log: { warn: (_, fields) => void lines.push(String(fields.consequence)) } },
  )
  return {
    lines,
    /** Whether a charge is made with clocks so far apart, in seconds. */
    mayCharge(seconds: number): boolean {
      aheadMs = seconds * 1_000
      try {
        skew.require()
        return true
      } catch (cause) {
        expect(cause).toBeInstanceOf(StoreUnavailable)
        return false
      }
    },
  }
}

test.each([1, -1])("clocks that differ by 60 s charge nothing, less does; sign %d", (sign) => {
  const { mayCharge } = setUp()
  expect([59, 59.999, 60].map((seconds) => mayCharge(sign * seconds))).toEqual([true, true, false])
})

test.each([1, -1])(
  "clocks that differ by about 60 s do not charge one call and refuse the next; sign %d",
  (sign) => {
    const { mayCharge, lines } = setUp()
    const found = [60, 59.99, 60.01, 58.1, 57.9, 59.99, 60].map((seconds) => mayCharge(sign * seconds))
    expect(found).toEqual([false, false, false, false, true, true, false])
    expect(lines).toEqual([expect.stringContaining("refused until the clocks agree")])
  },
)
