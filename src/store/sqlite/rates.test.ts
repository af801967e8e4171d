import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { bucketAt, fillOf, hasCall, type RateBucket, stateOf } from "./rates.ts"

const minuteUs = 60_000_000
const startUs = 1_700_000_000_000_000

/** A bucket that is asked at instants of a test's choosing. */
function createBucket(perMinute: number) {
  let bucket: RateBucket | null = null
  return {
    take(nowUs: number, limit = perMinute): boolean {
      const fill = fillOf(bucket, limit, nowUs)
      const granted = hasCall(fill, limit)
      if (fill.isMisdated) bucket = bucketAt(fill.ticksUntilFull, limit, nowUs)
      if (granted) bucket = bucketAt(fill.ticksAfterCall, limit, nowUs)
      return granted
    },
    state: (nowUs: number) => stateOf(fillOf(bucket, perMinute, nowUs).ticksUntilFull, perMinute),
  }
}

// 7,768 was the first at which whole microseconds were too coarse; the others leave every kind of rest.
describe.each([1, 7, 59, 7_768, 10_000, 123_457, 999_999, 1_000_000])("a limit of %d", (limit) => {
  test("grants exactly that many at once, then none, and all of them again after a minute", () => {
    const bucket = createBucket(limit)
    let granted = 0
    for (let i = 0; i < limit; i++) granted += bucket.take(startUs) ? 1 : 0
    expect(granted).toBe(limit)
    expect(bucket.take(startUs)).toBe(false)
    expect(bucket.state(startUs)).toMatchObject({ perMinute: limit, remaining: 0, fullInMs: 60_000 })
    const full = { perMinute: limit, remaining: limit, fullInMs: 0, retryInMs: 0 }
    expect(bucket.state(startUs + minuteUs)).toEqual(full)
  })

  test("asked every millisecond it grants exactly as many in every further minute", () => {
    const bucket = createBucket(limit)
    while (bucket.take(startUs)) {}
    for (let minute = 0; minute < 2; minute++) {
      let granted = 0
      for (let ms = 1; ms <= 60_000; ms++) {
        while (bucket.take(startUs + minute * minuteUs + ms * 1_000)) granted++
      }
      expect(granted).toBe(limit)
    }
  })
})

test("at any instants it grants what an exact bucket of fractions does", () => {
  const limits = fc.oneof(fc.integer({ min: 1, max: 1_000_000 }), fc.integer({ min: 1, max: 10 }))
  const gaps = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3_000_000 })), { maxLength: 200 })
  fc.assert(
    fc.property(limits, gaps, (limit, gapsUs) => {
      const bucket = createBucket(limit)
      const minute = BigInt(minuteUs) * BigInt(limit)
      let nowUs = startUs
      // In parts of a microsecond, `limit` to each.
      let fullAt = 0n
      for (const gap of gapsUs) {
        nowUs += gap
        const now = BigInt(nowUs) * BigInt(limit)
        const next = (fullAt > now ? fullAt : now) + BigInt(minuteUs)
        const expected = next - now <= minute
        if (expected) fullAt = next
        expect(bucket.take(nowUs)).toBe(expected)
      }
    }),
    { numRuns: 100 },
  )
})

test.each([1, 600, 6_000, 60_000, 1_000_000])(
  "at %d a minute, two callers whose clocks differ by 1 ms get exactly what one gets",
  (limit) => {
    const [alone, shared] = [createBucket(limit), createBucket(limit)]
    let granted = 0
    let grantedToTwo = 0
    const endMs = limit > 60_000 ? 10_000 : 120_000
    for (let ms = 1; ms <= endMs; ms++) {
      const nowUs = startUs + ms * 1_000
      while (alone.take(nowUs)) granted++
      while (shared.take(nowUs)) grantedToTwo++
      while (shared.take(nowUs - 1_000)) grantedToTwo++
    }
    expect(grantedToTwo).toBe(granted)
  },
)

test("a clock set back by less than a second moves no bucket back, and an empty one stays closed as much longer", () => {
  const bucket = createBucket(60)
  while (bucket.take(startUs)) {}
  expect(bucket.take(startUs - 500_000)).toBe(false)
  expect(bucket.state(startUs - 500_000)).toMatchObject({ remaining: 0, fullInMs: 60_500, retryInMs: 1_500 })
  expect([bucket.take(startUs + 999_000), bucket.take(startUs + 1_000_000)]).toEqual([false, true])
})

test("a change of the limit gives no call away", () =>
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 1_000_000 }), { maxLength: 50 }), (limits) => {
      const bucket = createBucket(1)
      let spentUs = 0
      for (const limit of limits) if (bucket.take(startUs, limit)) spentUs += minuteUs / limit
      expect(spentUs).toBeLessThanOrEqual(minuteUs + 1e-3)
    }),
    { numRuns: 100 },
  ))

test("a clock set back by years leaves a bucket empty, not closed for years", () => {
  const bucket = createBucket(1_000_000)
  while (bucket.take(startUs)) {}
  expect(bucket.take(0)).toBe(false)
  expect(bucket.state(0)).toMatchObject({ remaining: 0, fullInMs: 60_000, retryInMs: 1 })
})
