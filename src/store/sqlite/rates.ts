import type { Database } from "bun:sqlite"
import type { RateOutcome, RateTake } from "../store.ts"
import { bucketAt, fillOf, hasCall, type RateBucket, stateOf } from "./rate-bucket.ts"

/** Prepares `takeRates` of the store: all takes in one transaction, which reads the time once it has the lock. */
export function prepareRates(
  database: Database,
): (takes: readonly RateTake[], now: () => number) => readonly RateOutcome[] {
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
