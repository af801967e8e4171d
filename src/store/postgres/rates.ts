import { stateOf } from "../sqlite/rate-bucket.ts"
import type { RateOutcome, RateTake } from "../store.ts"
import type { Connection } from "./connection.ts"

/** A call takes a minute's microseconds; see `rate-bucket.ts`. */
const ticksPerCall = 60_000_000

interface TakenRow {
  readonly granted: number
  readonly ticksBefore: readonly number[]
}

/** Prepares `takeRates` of the store: one statement, on the database's clock. */
export function prepareRates(
  connection: Connection,
): (takes: readonly RateTake[]) => Promise<readonly RateOutcome[]> {
  return async (takes) => {
    const groups = groupTakes(takes)
    const statement = `SELECT calls_granted AS granted, ticks_before AS "ticksBefore" FROM take_rates($1::text::jsonb)`
    const asked = groups.map(({ buckets, indexes }) => ({
      buckets: buckets.map(({ id, perMinute }) => ({ id, limit: perMinute })),
      count: indexes.length,
    }))
    const rows = await connection.run<TakenRow>(statement, [JSON.stringify(asked)])
    const outcomes: RateOutcome[] = []
    for (const [number, { buckets, indexes }] of groups.entries()) {
      const row = rows[number]
      if (!row) throw new Error("the database must give one row per group of takes")
      for (const [place, index] of indexes.entries()) outcomes[index] = outcomeOf(buckets, row, place)
    }
    return outcomes
  }
}

interface TakeGroup {
  readonly buckets: RateTake["buckets"]
  /** Places of the takes in the list. */
  readonly indexes: number[]
}

/** Takes from the same buckets become one. Groups are in the order of their accounts, so that instances lock alike. */
function groupTakes(takes: readonly RateTake[]): TakeGroup[] {
  const groups = new Map<string, TakeGroup>()
  for (const [index, { buckets }] of takes.entries()) {
    const name = JSON.stringify(buckets)
    const group = groups.get(name)
    if (group) group.indexes.push(index)
    else groups.set(name, { buckets, indexes: [index] })
  }
  return [...groups.values()]
}

/** The outcome of the take at a place of its group: the first ones are granted. */
function outcomeOf(buckets: RateTake["buckets"], { granted, ticksBefore }: TakenRow, place: number) {
  const calls = Math.min(place + 1, granted)
  return {
    granted: place < granted,
    buckets: buckets.map(({ perMinute }, number) =>
      stateOf((ticksBefore[number] ?? 0) + calls * ticksPerCall, perMinute),
    ),
  }
}
