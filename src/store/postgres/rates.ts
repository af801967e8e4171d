import type { Ports } from "../../apis/contract.ts"
import { stateOf } from "../sqlite/rates.ts"
import type { RateOutcome, RateTake } from "../store.ts"
import { createBatchSlots } from "./batch-slots.ts"
import { type Connection, toArray, tooLate } from "./connection.ts"
import takeStatement from "./take-rates.sql" with { type: "text" }

/** A minute, and the ticks that a call takes; see `sqlite/rates.ts`. */
const minuteUs = 60_000_000

interface TakenRow {
  readonly granted: number
  readonly ticksBefore: readonly number[]
}

/** Accounts in a statement. */
const maxBatch = 512

interface Pending {
  readonly accountId: string
  readonly take: RateTake
  /** Its place in the request. */
  readonly index: number
  readonly request: Request
}

/** Takes that were asked for together. */
interface Request {
  isOver: boolean
  grant(outcome: RateOutcome, index: number): void
  fail(cause: unknown): void
}

/**
 * Prepares `takeRates` of the store. One statement is under way at a time, and those that come meanwhile go together in the next:
 * the connection would run them one after the other anyway, and most of the database's time is the statement's own.
 * @param limitMs the most that a take waits; once its time is over it is not made
 */
export function prepareRates(
  connection: Connection,
  { clock, timer }: Pick<Ports, "clock" | "timer">,
  limitMs: number,
): (takes: readonly RateTake[]) => Promise<readonly RateOutcome[]> {
  const sizes = { slots: 1, smallBatch: maxBatch, maxBatch }
  const slots = createBatchSlots<Pending>(sizes, { clock, timer }, async (_slot, batch) => {
    const waiting = batch.filter(({ request }) => !request.isOver)
    if (waiting.length === 0) return
    try {
      const outcomes = await takeAll(
        connection,
        waiting.map(({ take }) => take),
      )
      for (const [number, { request, index }] of waiting.entries()) {
        const outcome = outcomes[number]
        if (!outcome) throw new Error("each take must have an outcome")
        request.grant(outcome, index)
      }
    } catch (cause) {
      for (const { request } of waiting) request.fail(cause)
    }
  })

  return (takes) =>
    new Promise((resolve, reject) => {
      const outcomes: RateOutcome[] = []
      let left = takes.length
      const cancelTimer = timer.after(limitMs, () => request.fail(tooLate(limitMs)))
      const request: Request = {
        isOver: false,
        grant(outcome, index) {
          outcomes[index] = outcome
          left--
          if (left === 0) end()
        },
        fail(cause) {
          request.isOver = true
          cancelTimer()
          reject(cause)
        },
      }
      function end(): void {
        cancelTimer()
        resolve(outcomes)
      }
      if (left === 0) end()
      slots.submit(
        takes.map((take, index) => ({ accountId: take.buckets[0]?.id ?? "", take, index, request })),
      )
    })
}

/** Takes that need more than a row of their own: from several buckets, from one that others take from too, and from new ones. */
const takeAnyStatement = `SELECT calls_granted AS granted, ticks_before AS "ticksBefore" FROM take_rates($1::text::jsonb)`

/** Two statements at most, each of which commits by itself. */
async function takeAll(connection: Connection, takes: readonly RateTake[]): Promise<readonly RateOutcome[]> {
  const groups = groupTakes(takes)
  const taken = new Map<TakeGroup, TakenRow>()
  const simple = onePerBucket(groups)
  if (simple.length > 0) {
    const rows = await connection.run<TakenRow & { number: number }>(takeStatement, [
      toArray(simple.map(({ buckets: [bucket] }) => bucket?.id ?? null)),
      toArray(simple.map(({ buckets: [bucket] }) => bucket?.perMinute ?? null)),
      toArray(simple.map(({ indexes }) => indexes.length)),
    ])
    for (const row of rows) {
      const group = simple[row.number - 1]
      if (group) taken.set(group, row)
    }
  }
  const others = groups.filter((group) => !taken.has(group))
  if (others.length > 0) {
    const asked = others.map(({ buckets, indexes }) => ({
      buckets: buckets.map(({ id, perMinute }) => ({ id, limit: perMinute })),
      count: indexes.length,
    }))
    const rows = await connection.run<TakenRow>(takeAnyStatement, [JSON.stringify(asked)])
    others.forEach((group, number) => {
      const row = rows[number]
      if (row) taken.set(group, row)
    })
  }
  const outcomes: RateOutcome[] = []
  for (const group of groups) {
    const row = taken.get(group)
    if (!row) throw new Error("the database must give one row per group of takes")
    for (const [place, index] of group.indexes.entries())
      outcomes[index] = outcomeOf(group.buckets, row, place)
  }
  return outcomes
}

/** The groups that take from one bucket, one for each bucket: a statement updates a row once. */
function onePerBucket(groups: readonly TakeGroup[]): TakeGroup[] {
  const ids = new Set<string>()
  return groups.filter(({ buckets: [bucket, ...more] }) => {
    if (!bucket || more.length > 0 || ids.has(bucket.id)) return false
    ids.add(bucket.id)
    return true
  })
}

interface TakeGroup {
  readonly buckets: RateTake["buckets"]
  /** Places of the takes in the list. */
  readonly indexes: number[]
}

/** Takes from the same buckets become one. */
function groupTakes(takes: readonly RateTake[]): TakeGroup[] {
  const groups = new Map<string, TakeGroup>()
  for (const [index, { buckets }] of takes.entries()) {
    const name = JSON.stringify(buckets)
    groups.getOrInsertComputed(name, () => ({ buckets, indexes: [] })).indexes.push(index)
  }
  return [...groups.values()]
}

/** The outcome of the take at a place of its group: the first ones are granted. */
function outcomeOf(buckets: RateTake["buckets"], { granted, ticksBefore }: TakenRow, place: number) {
  const calls = Math.min(place + 1, granted)
  return {
    granted: place < granted,
    buckets: buckets.map(({ perMinute }, number) =>
      stateOf((ticksBefore[number] ?? 0) + calls * minuteUs, perMinute),
    ),
  }
}
