import { createHistogram, type Histogram, record } from "./histogram.ts"

/** How a request came in: `unkeyed` are health, metrics and documentation, `none` is what no path takes. */
export type Surface = "rest" | "batch" | "graphql" | "unkeyed" | "none"

/** What one API, or a kind of request without one, has seen on one surface. */
export interface Tally {
  readonly api: string
  readonly surface: Surface
  /** Requests by HTTP status, 0 to 599. */
  readonly statuses: Float64Array
  /** Seconds. */
  readonly latency: Histogram
}

export interface ChargedTally {
  readonly api: string
  readonly surface: Surface
  calls: number
  credits: number
}

/**
 * What this process has counted since its start, in plain numbers: the libraries' counters hash their labels on every call.
 * Labels come from the catalog and from tables of the code, never from a request, so that nobody can make them grow.
 */
export interface Counts {
  readonly tallies: readonly Tally[]
  readonly charged: readonly ChargedTally[]
  /** Requests that failed, by what was wrong. */
  readonly faults: ReadonlyMap<string, number>
  /** The tally of an API on a surface, made where there is none yet. For the start: requests use what it gave. */
  tallyOf(api: string, surface: Surface): Tally
  add(tally: Tally, status: number, durationMs: number): void
  addCharged(api: string, surface: Surface, calls: number, credits: number): void
  addFault(code: string): void
}

const latencyBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** @param faultCodes what is shown from the start, with 0 */
export function createCounts(faultCodes: readonly string[]): Counts {
  const tallies: Tally[] = []
  const charged: ChargedTally[] = []
  const chargedBy = new Map<Surface, Map<string, ChargedTally>>()
  const faults = new Map(faultCodes.map((code) => [code, 0]))

  function chargedTally(api: string, surface: Surface): ChargedTally {
    let apis = chargedBy.get(surface)
    if (!apis) {
      apis = new Map()
      chargedBy.set(surface, apis)
    }
    let tally = apis.get(api)
    if (!tally) {
      tally = { api, surface, calls: 0, credits: 0 }
      apis.set(api, tally)
      charged.push(tally)
    }
    return tally
  }

  return {
    tallies,
    charged,
    faults,
    tallyOf(api, surface) {
      const known = tallies.find((tally) => tally.api === api && tally.surface === surface)
      if (known) return known
      const tally = { api, surface, statuses: new Float64Array(600), latency: createHistogram(latencyBounds) }
      tallies.push(tally)
      return tally
    },
    add({ statuses, latency }, status, durationMs) {
      statuses[status] = (statuses[status] ?? 0) + 1
      record(latency, durationMs / 1_000)
    },
    addCharged(api, surface, calls, credits) {
      const tally = chargedTally(api, surface)
      tally.calls += calls
      tally.credits += credits
    },
    addFault(code) {
      faults.set(code, (faults.get(code) ?? 0) + 1)
    },
  }
}
