import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { Random } from "../apis/contract.ts"
import { systemRandom } from "../ports/random.ts"
import { backoffMs, giveUpAfterMs, maxDelayMs, nextDelayMs } from "./backoff.ts"

const always = (byte: number): Random => ({ bytes: (length) => new Uint8Array(length).fill(byte) })
const nowMs = Date.parse("2025-01-01T00:00:00Z")

describe("the wait after a failure", () => {
  test.each([
    [1, 2_500, 5_000],
    [2, 5_000, 10_000],
    [3, 10_000, 20_000],
    [10, 1_280_000, 2_560_000],
    [11, 1_800_000, 3_600_000],
    [50, 1_800_000, 3_600_000],
    [5_000, 1_800_000, 3_600_000],
  ])("number %d is from %d to %d ms", (failures, least, most) => {
    expect(backoffMs(failures, always(0))).toBe(least)
    expect(backoffMs(failures, always(255))).toBe(most)
    const drawn = Array.from({ length: 100 }, () => backoffMs(failures, systemRandom))
    for (const delay of drawn) expect(delay >= least && delay <= most).toBe(true)
    expect(new Set(drawn).size).toBeGreaterThan(50)
  })
})

describe("the next attempt", () => {
  const next = (waitedMs: number, retryAfter: string | null = null) =>
    nextDelayMs({ failures: 1, waitedMs, retryAfter }, nowMs, always(0))

  test("the last one is at the end of the day, then the notice is given up", () => {
    expect(next(0)).toBe(2_500)
    expect(next(giveUpAfterMs - 1_000)).toBe(1_000)
    expect(next(giveUpAfterMs)).toBeNull()
    expect(next(giveUpAfterMs + 1)).toBeNull()
  })

  test.each([
    ["17", 17_000],
    ["1", 2_500],
    ["0", 2_500],
    ["-5", 2_500],
    ["86400", maxDelayMs],
    ["99999999999999999999", maxDelayMs],
    ["Wed, 01 Jan 2025 00:01:00 GMT", 60_000],
    ["Wed, 01 Jan 2020 00:00:00 GMT", 2_500],
    ["soon", 2_500],
    ["", 2_500],
  ])("Retry-After %p makes it %d ms", (text, delay) => {
    expect(next(0, text)).toBe(delay)
  })

  test("a Retry-After does not lengthen the day", () => {
    expect(next(giveUpAfterMs - 10_000, "3600")).toBe(10_000)
  })

  test("with any random numbers, a day has 25 to 75 attempts", () => {
    const bytes = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 1, maxLength: 50 })
    fc.assert(
      fc.property(bytes, (drawn) => {
        let draws = 0
        const random: Random = {
          bytes: (length) => new Uint8Array(length).fill(drawn[draws++ % drawn.length] ?? 0),
        }
        let waitedMs = 0
        let failures = 1
        for (;;) {
          const delay = nextDelayMs({ failures, waitedMs, retryAfter: null }, nowMs, random)
          if (delay === null) break
          expect(delay).toBeGreaterThan(0)
          expect(delay).toBeLessThanOrEqual(maxDelayMs)
          waitedMs += delay
          failures++
        }
        expect(waitedMs).toBe(giveUpAfterMs)
        expect(failures).toBeGreaterThanOrEqual(25)
        expect(failures).toBeLessThanOrEqual(75)
      }),
      { numRuns: 200 },
    )
  })
})
