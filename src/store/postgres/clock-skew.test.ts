import { expect, test } from "bun:test"
import { StoreUnavailable } from "../store.ts"
import { createClockSkew } from "./server-clock.ts"

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
