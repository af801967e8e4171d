import type { Balance } from "../accounts/credits.ts"
import type { Plan } from "../accounts/plan.ts"
import type { RateState } from "../store/store.ts"

/** Headers that tell a caller where they stand. */
export type StandingHeaders = Readonly<Record<string, string>>

export const noStanding: StandingHeaders = {}

/** Where a caller stands, in two parts, since headers that stay the same from call to call need be made only once. */
export interface Standing {
  readonly changing: StandingHeaders
  /** The same object for as long as nothing in it changes. */
  readonly stable: StandingHeaders
}

export const unknownCaller: Standing = { changing: noStanding, stable: noStanding }

/** Credits used of the month, and left in all where that has an end. */
export function creditHeaders({ used, remaining }: Balance): StandingHeaders {
  if (remaining === null) return { "x-api-credits-used": String(used) }
  return { "x-api-credits-used": String(used), "x-api-remaining-credits": String(remaining) }
}

/** The month's allowance, when it renews (unix seconds), and the plan. */
export function monthHeaders({ allowance, period }: Balance, { name }: Plan): StandingHeaders {
  const renewal = String(Math.ceil(period.endMs / 1_000))
  if (allowance !== null) {
    return {
      "x-api-max-credits": String(allowance),
      "x-api-renewal": renewal,
      "x-api-current-plan": name,
    }
  }
  return {
    "x-api-remaining-credits": unlimited,
    "x-api-max-credits": unlimited,
    "x-api-renewal": renewal,
    "x-api-current-plan": name,
  }
}

const unlimited = "unlimited"

/** The limit that is nearest to being reached: calls a minute, calls left now, whole seconds until all are back. */
export function rateHeaders(buckets: readonly RateState[]): StandingHeaders {
  const tightest = tightestOf(buckets)
  if (!tightest) return noStanding
  return {
    "x-ratelimit-limit": String(tightest.perMinute),
    "x-ratelimit-remaining": String(tightest.remaining),
    "x-ratelimit-reset": String(Math.ceil(tightest.fullInMs / 1_000)),
  }
}

/** The bucket that makes a caller wait longest, or that grants the fewest further calls. */
export function tightestOf(buckets: readonly RateState[]): RateState | undefined {
  return [...buckets].sort((a, b) => b.retryInMs - a.retryInMs || a.remaining - b.remaining)[0]
}
