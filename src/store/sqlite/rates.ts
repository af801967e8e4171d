import type { Database } from "bun:sqlite"
import type { RateOutcome, RateState, RateTake } from "../store.ts"

/** Prepares `takeRates` of the store: all takes in one transaction, which reads the time once it has the lock. */
export function prepareRates(database: Database) {
  const read = database.query<RateBucket, [string]>(
    "SELECT full_at_us AS fullAtUs, ticks, per_minute AS perMinute FROM rates WHERE id = ?1",
  )
  const write = database.query<unknown, [string, number, number, number]>(
    `INSERT INTO rates (id, full_at_us, ticks, per_minute) VALUES (?1, ?2, ?3, ?4)
     ON CONFLICT DO UPDATE SET full_at_us = excluded.full_at_us, ticks = excluded.ticks, per_minute = excluded.per_minute`,
  )

  function take({ buckets }: RateTake, nowUs: number): RateOutcome {
    const save = (id: string, ticksUntilFull: number, limit: number) => {
      const { fullAtUs, ticks, perMinute } = bucketAt(ticksUntilFull, limit, nowUs)
      write.run(id, fullAtUs, ticks, perMinute)
    }
    const fills = buckets.map(({ id, perMinute }) => {
      const fill = fillOf(read.get(id), perMinute, nowUs)
      if (fill.isMisdated) save(id, fill.ticksUntilFull, perMinute)
      return { id, perMinute, ...fill }
    })
    const granted = fills.every((fill) => hasCall(fill, fill.perMinute))
    if (granted) for (const { id, ticksAfterCall, perMinute } of fills) save(id, ticksAfterCall, perMinute)
    return {
      granted,
      buckets: fills.map(({ perMinute, ticksUntilFull, ticksAfterCall }) =>
        stateOf(granted ? ticksAfterCall : ticksUntilFull, perMinute),
      ),
    }
  }

  return database.transaction((takes: readonly RateTake[], now: () => number) => {
    const nowUs = now() * 1_000
    return takes.map((one) => take(one, nowUs))
  }).immediate
}

/**
 * The generic cell rate algorithm (ITU-T I.371 annex A) in whole numbers. A bucket holds a minute's calls and refills evenly.
 * It is stored as the instant at which it is full again.
 */

/** A minute in microseconds, and the ticks that a call takes: a tick is a microsecond divided by the calls per minute. */
const minuteUs = 60_000_000

/** A stored bucket: the time when it is full, in microseconds since the Unix epoch, plus some ticks of its limit. */
export interface RateBucket {
  readonly fullAtUs: number
  readonly ticks: number
  readonly perMinute: number
}

/**
 * If a bucket would fill later than an empty one, the clock went back since its last change. Up to this difference it stays
 * unchanged: a caller with an older time must not get calls twice. Beyond it the clock was set back.
 */
const setBackUs = 1_000_000

/** Ticks until a bucket is full, now and after one more call. */
interface RateFill {
  readonly ticksUntilFull: number
  readonly ticksAfterCall: number
  /** Whether the clock was set back since the bucket was last changed. */
  readonly isMisdated: boolean
}

/**
 * Reads a bucket under the present limit. A misdated bucket counts as empty, so that it does not throttle for as long as the
 * clock was set back.
 */
export function fillOf(bucket: RateBucket | null, perMinute: number, nowUs: number): RateFill {
  const ticks = bucket === null ? 0 : (bucket.fullAtUs - nowUs) * perMinute + restOf(bucket, perMinute)
  const isMisdated = ticks > (minuteUs + setBackUs) * perMinute
  const ticksUntilFull = isMisdated ? minuteUs * perMinute : Math.max(ticks, 0)
  return { ticksUntilFull, ticksAfterCall: ticksUntilFull + minuteUs, isMisdated }
}

/** Whether a bucket grants a call now. */
export function hasCall({ ticksAfterCall }: RateFill, perMinute: number): boolean {
  return ticksAfterCall <= minuteUs * perMinute
}

/** The bucket that is full after a number of ticks. */
export function bucketAt(ticks: number, perMinute: number, nowUs: number): RateBucket {
  return { fullAtUs: nowUs + Math.floor(ticks / perMinute), ticks: ticks % perMinute, perMinute }
}

/** The state of a bucket that is full after a number of ticks. */
export function stateOf(ticks: number, perMinute: number): RateState {
  const minuteTicks = minuteUs * perMinute
  const ticksPerMs = perMinute * 1_000
  return {
    perMinute,
    remaining: Math.max(0, Math.floor((minuteTicks - ticks) / minuteUs)),
    fullInMs: Math.ceil(ticks / ticksPerMs),
    retryInMs: Math.max(0, Math.ceil((ticks + minuteUs - minuteTicks) / ticksPerMs)),
  }
}

/** Rounded up when the limit has changed, so that a change adds no call. */
function restOf({ ticks, perMinute }: RateBucket, current: number): number {
  return perMinute === current ? ticks : Math.ceil((ticks * current) / perMinute)
}
