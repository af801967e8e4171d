import { latencyBoundsMs } from "../values/latency-bounds.ts"
import type { Surface } from "../values/request-events.ts"

/** The requests of one API, or of a kind of request without API, on one surface. */
export interface Tally {
  readonly api: string
  readonly surface: Surface
  /** Requests by HTTP status: an array, since most tallies have one or two, and a map takes more. */
  readonly statuses: { readonly status: number; requests: number }[]
  /** Seconds. */
  readonly latency: Histogram
  /** Failed requests by fault code, since they were taken last. */
  faults: Map<string, FaultTally> | null
}

/** Requests that failed with one fault. Times are milliseconds since the Unix epoch. */
type FaultTally = { calls: number; readonly firstMs: number; lastMs: number }

/** Successful calls of one API on one surface, and the credits that they cost. */
export type ChargedTally = { readonly api: string; readonly surface: Surface; calls: number; credits: number }

/**
 * Everything counted since the start, in plain numbers: prom-client's counters hash their labels on every call. Labels never
 * come from a request, so no client can add series.
 */
export type Counts = ReturnType<typeof createCounts>

const latencyBounds = latencyBoundsMs.map((ms) => ms / 1_000)

/** @param faultCodes the faults that are reported from the start, with the value 0 */
export function createCounts(faultCodes: readonly string[]) {
  const tallies: Tally[] = []
  const charged: ChargedTally[] = []
  const faults = new Map<string, number>()

  function chargedTally(api: string, surface: Surface): ChargedTally {
    for (const known of charged) if (known.api === api && known.surface === surface) return known
    const tally = { api, surface, calls: 0, credits: 0 }
    charged.push(tally)
    return tally
  }

  return {
    tallies: tallies as readonly Tally[],
    charged: charged as readonly ChargedTally[],
    /** Failed requests by fault code. */
    get faults(): ReadonlyMap<string, number> {
      return new Map([...faultCodes.map((code) => [code, 0] as const), ...faults])
    },
    /** Returns the tally of an API on a surface and creates it if needed. Call it once and keep it, not for each request. */
    tallyOf(api: string, surface: Surface): Tally {
      const known = tallies.find((tally) => tally.api === api && tally.surface === surface)
      if (known) return known
      const latency = createHistogram(latencyBounds)
      const tally: Tally = { api, surface, statuses: [], latency, faults: null }
      tallies.push(tally)
      return tally
    },
    add({ statuses, latency }: Tally, status: number, durationMs: number): void {
      record(latency, durationMs / 1_000)
      for (const known of statuses) if (known.status === status) return void known.requests++
      statuses.push({ status, requests: 1 })
    },
    addCharged(api: string, surface: Surface, calls: number, credits: number): void {
      const tally = chargedTally(api, surface)
      tally.calls += calls
      tally.credits += credits
    },
    /** @param nowMs the wall clock */
    addFault(tally: Tally, code: string, nowMs: number): void {
      faults.set(code, (faults.get(code) ?? 0) + 1)
      tally.faults ??= new Map()
      const known = tally.faults.get(code)
      if (!known) {
        tally.faults.set(code, { calls: 1, firstMs: nowMs, lastMs: nowMs })
        return
      }
      known.calls++
      known.lastMs = nowMs
    },
  }
}

/** The charges of each account since the last `take`. */
export type AccountSums = ReturnType<typeof createAccountSums>

type AccountSum = { calls: number; credits: number }

/**
 * @param maxAccounts accounts that are kept at once, which bounds the memory
 * @param isOn whether anything is kept
 */
export function createAccountSums(maxAccounts: number, isOn: () => boolean) {
  let sums = new Map<string, AccountSum>()
  let leftOut = 0
  return {
    add(accountId: string, calls: number, credits: number): void {
      if (!isOn()) return
      const sum = sums.get(accountId)
      if (sum) {
        sum.calls += calls
        sum.credits += credits
      } else if (sums.size < maxAccounts) sums.set(accountId, { calls, credits })
      else leftOut += calls
    },
    /** Returns the sums by account, and starts anew. */
    take(): ReadonlyMap<string, AccountSum> {
      const taken = sums
      sums = new Map()
      return taken
    },
    /** Calls that were left out since the start, because there were too many accounts. */
    leftOut: () => leftOut,
  }
}

/** Counts values by size. `counts[i]` is the number of values up to `bounds[i]`; the last count is for larger values. */
export type Histogram = { readonly bounds: readonly number[]; readonly counts: Float64Array; sum: number }

/** @param bounds upper bounds in ascending order */
export function createHistogram(bounds: readonly number[]): Histogram {
  return { bounds, counts: new Float64Array(bounds.length + 1), sum: 0 }
}

/** Counts a value. */
export function record(histogram: Histogram, value: number): void {
  const { bounds, counts } = histogram
  let index = 0
  // Most values are small, so this is faster than a binary search.
  while (index < bounds.length && value > (bounds[index] ?? 0)) index++
  counts[index] = (counts[index] ?? 0) + 1
  histogram.sum += value
}
