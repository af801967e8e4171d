import type { Database } from "bun:sqlite"
import type { RateOutcome, RateState, RateTake } from "../store.ts"

const windowUs = 60_000_000

/**
 * Prepares `takeRates` of the store: the generic cell rate algorithm (a token bucket in one number: the instant at
 * which it is full again). A bucket holds a minute's calls and refills evenly. A take is granted by all its buckets or
 * changes none. Whole microseconds, so that a limit of 7 grants exactly 7.
 */
export function prepareRates(database: Database): (takes: readonly RateTake[]) => readonly RateOutcome[] {
  const read = database.query<{ full_at_us: number }, [string]>("SELECT full_at_us FROM rates WHERE id = ?1")
  const write = database.query<unknown, [string, number]>(
    "INSERT INTO rates (id, full_at_us) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET full_at_us = excluded.full_at_us",
  )

  function take({ buckets, nowMs }: RateTake): RateOutcome {
    const nowUs = nowMs * 1_000
    const states = buckets.map(({ id, perMinute }) => {
      const stored = read.get(id)?.full_at_us ?? nowUs
      const fullAtUs = Math.min(Math.max(stored, nowUs), nowUs + windowUs)
      // Later than any bucket can be: the clock was set back. It must not throttle for longer than an empty bucket does.
      if (fullAtUs < stored) write.run(id, fullAtUs)
      return { id, perMinute, fullAtUs, nextUs: fullAtUs + Math.floor(windowUs / perMinute) }
    })
    const granted = states.every(({ nextUs }) => nextUs - nowUs <= windowUs)
    if (granted) for (const { id, nextUs } of states) write.run(id, nextUs)
    return {
      granted,
      buckets: states.map(({ perMinute, fullAtUs, nextUs }) =>
        stateOf(perMinute, (granted ? nextUs : fullAtUs) - nowUs),
      ),
    }
  }

  return database.transaction((takes: readonly RateTake[]) => takes.map(take)).immediate
}

/** A bucket that is full again in `fullInUs`. */
function stateOf(perMinute: number, fullInUs: number): RateState {
  const intervalUs = Math.floor(windowUs / perMinute)
  return {
    perMinute,
    remaining: Math.floor((windowUs - fullInUs) / intervalUs),
    fullInMs: Math.ceil(fullInUs / 1_000),
    retryInMs: Math.max(0, Math.ceil((fullInUs + intervalUs - windowUs) / 1_000)),
  }
}
