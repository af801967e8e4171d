import type { AccountSums, ChargedTally, Counts, Tally } from "../observe/counts.ts"
import type { CallsRow, CreditsSum, FaultRow } from "../store/history.ts"
import { latencyBoundsMs } from "../values/latency-bounds.ts"
import { callSurfaces, type Surface } from "../values/request-events.ts"

/** The counts of one part of time. */
export interface Minute {
  readonly calls: readonly CallsRow[]
  readonly faults: readonly FaultRow[]
  readonly credits: readonly CreditsSum[]
}

type Sum = { calls: number; errors: number; charged: number; credits: number; readonly latency: number[] }

const counted: ReadonlySet<Surface> = new Set(callSurfaces)
/** A request for a path that does not exist fails too. */
const withFaults: ReadonlySet<Surface> = new Set([...callSurfaces, "none"])

/**
 * Returns a function that returns the counts since its last call, for a minute. It subtracts the totals that it saw then, so that
 * counting costs a call nothing more.
 */
export function createMinutes(
  counts: Pick<Counts, "tallies" | "charged">,
  accounts: Pick<AccountSums, "take">,
): (atMs: number) => Minute {
  const seenCounts = new Map<Tally, Float64Array>()
  const seenCharges = new Map<ChargedTally, Pick<Sum, "calls" | "credits">>()

  function addRequests(sum: Sum, tally: Tally): void {
    const now = tally.latency.counts
    const before = seenCounts.get(tally) ?? new Float64Array(now.length)
    now.forEach((count, index) => {
      const more = count - (before[index] ?? 0)
      sum.latency[index] = (sum.latency[index] ?? 0) + more
      sum.calls += more
    })
    for (const { calls } of tally.faults?.values() ?? []) sum.errors += calls
    before.set(now)
    seenCounts.set(tally, before)
  }

  function addCharges(sum: Sum, tally: ChargedTally): void {
    const { calls, credits } = tally
    const before = seenCharges.get(tally)
    sum.charged += calls - (before?.calls ?? 0)
    sum.credits += credits - (before?.credits ?? 0)
    seenCharges.set(tally, { calls, credits })
  }

  return (atMs) => {
    const sums = new Map<string, Sum>()
    const faults: FaultRow[] = []
    for (const tally of counts.tallies) {
      if (counted.has(tally.surface)) addRequests(sumOf(sums, tally.api), tally)
      if (tally.faults && withFaults.has(tally.surface)) addFaults(faults, atMs, tally)
      tally.faults = null
    }
    for (const tally of counts.charged) addCharges(sumOf(sums, tally.api), tally)
    return {
      calls: [...sums].flatMap(([api, sum]) => (sum.calls + sum.charged > 0 ? [{ atMs, api, ...sum }] : [])),
      faults,
      credits: [...accounts.take()].map(([account, sum]) => ({ atMs, account, ...sum })),
    }
  }
}

function sumOf(sums: Map<string, Sum>, api: string): Sum {
  return sums.getOrInsertComputed(api, () => {
    const latency = Array.from({ length: latencyBoundsMs.length + 1 }, () => 0)
    return { calls: 0, errors: 0, charged: 0, credits: 0, latency }
  })
}

/** An API has a tally for each surface, and one row for each fault. */
function addFaults(rows: FaultRow[], atMs: number, { api, faults }: Tally): void {
  for (const [fault, { calls, firstMs, lastMs }] of faults ?? []) {
    const known = rows.findIndex((row) => row.api === api && row.fault === fault)
    const row = rows[known] ?? { atMs, api, fault, calls: 0, firstMs, lastMs }
    const times = { firstMs: Math.min(row.firstMs, firstMs), lastMs: Math.max(row.lastMs, lastMs) }
    rows[known === -1 ? rows.length : known] = { ...row, calls: row.calls + calls, ...times }
  }
}
