import type { RateState } from "../store.ts"

/**
 * A minute in microseconds, and what a call takes in ticks. A tick is a microsecond divided by the bucket's calls per
 * minute, so that a call takes a whole number of ticks at any limit, and a minute's calls take exactly a minute.
 */
const windowUs = 60_000_000

/** When a bucket is full again: so many microseconds since the Unix epoch, and a rest in ticks of its limit. */
export interface RateBucket {
  readonly fullAtUs: number
  readonly ticks: number
  readonly perMinute: number
}

/** How long until a bucket is full, and how long after one more call, in ticks; `late` when the clock was set back. */
export interface RateFill {
  readonly fullIn: number
  readonly next: number
  readonly late: boolean
}

/**
 * Reads a bucket at an instant, under the limit that holds now. What is full later than any bucket can be (the clock was
 * set back) counts as empty: it must not throttle for longer than an empty bucket does.
 */
export function fillOf(bucket: RateBucket | null, perMinute: number, nowUs: number): RateFill {
  const ticks = bucket === null ? 0 : (bucket.fullAtUs - nowUs) * perMinute + restOf(bucket, perMinute)
  const fullIn = Math.min(Math.max(ticks, 0), windowUs * perMinute)
  return { fullIn, next: fullIn + windowUs, late: fullIn < ticks }
}

/** Whether a bucket has a call left (generic cell rate algorithm, ITU-T I.371 A). */
export function hasCall({ next }: RateFill, perMinute: number): boolean {
  return next <= windowUs * perMinute
}

/** The bucket that is full in so many ticks. */
export function bucketAt(ticks: number, perMinute: number, nowUs: number): RateBucket {
  return { fullAtUs: nowUs + Math.floor(ticks / perMinute), ticks: ticks % perMinute, perMinute }
}

/** How a bucket stands that is full in so many ticks. */
export function stateOf(ticks: number, perMinute: number): RateState {
  const windowTicks = windowUs * perMinute
  const ticksPerMs = perMinute * 1_000
  return {
    perMinute,
    remaining: Math.floor((windowTicks - ticks) / windowUs),
    fullInMs: Math.ceil(ticks / ticksPerMs),
    retryInMs: Math.max(0, Math.ceil((ticks + windowUs - windowTicks) / ticksPerMs)),
  }
}

/** Under another limit than before the rest is rounded up: a change of limits gives no call away. */
function restOf({ ticks, perMinute }: RateBucket, current: number): number {
  return perMinute === current ? ticks : Math.ceil((ticks * current) / perMinute)
}
