import type { Database } from "bun:sqlite"
import type { RateOutcome, RateTake } from "../store.ts"
import { bucketAt, fillOf, hasCall, type RateBucket, stateOf } from "./rate-bucket.ts"

/** Prepares {@link import("../store.ts").Store.takeRates}: all takes in one transaction. */
export function prepareRates(database: Database): (takes: readonly RateTake[]) => readonly RateOutcome[] {
  const read = database.query<RateBucket, [string]>(
    "SELECT full_at_us AS fullAtUs, ticks, per_minute AS perMinute FROM rates WHERE id = ?1",
  )
  const write = database.query<unknown, [string, number, number, number]>(
    `INSERT INTO rates (id, full_at_us, ticks, per_minute) VALUES (?1, ?2, ?3, ?4)
     ON CONFLICT DO UPDATE SET full_at_us = excluded.full_at_us, ticks = excluded.ticks, per_minute = excluded.per_minute`,
  )

  function take({ buckets, nowMs }: RateTake): RateOutcome {
    const nowUs = nowMs * 1_000
    const save = (id: string, fullInTicks: number, limit: number) => {
      const { fullAtUs, ticks, perMinute } = bucketAt(fullInTicks, limit, nowUs)
      write.run(id, fullAtUs, ticks, perMinute)
    }
    const fills = buckets.map(({ id, perMinute }) => {
      const fill = fillOf(read.get(id), perMinute, nowUs)
      if (fill.isMisdated) save(id, fill.fullIn, perMinute)
      return { id, perMinute, ...fill }
    })
    const granted = fills.every((fill) => hasCall(fill, fill.perMinute))
    if (granted) for (const { id, fullInAfterCall, perMinute } of fills) save(id, fullInAfterCall, perMinute)
    return {
      granted,
      buckets: fills.map(({ perMinute, fullIn, fullInAfterCall }) =>
        stateOf(granted ? fullInAfterCall : fullIn, perMinute),
      ),
    }
  }

  return database.transaction((takes: readonly RateTake[]) => takes.map(take)).immediate
}
