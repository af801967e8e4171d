import type { Balance } from "../account/credits.ts"
import type { Plan } from "../account/plan.ts"
import type { RateState } from "../store/store.ts"

/** Headers that tell a caller where they stand. */
export type StandingHeaders = Readonly<Record<string, string>>

export const noStanding: StandingHeaders = {}

/** Credits used of the month, left in all, the month's allowance, when it renews (unix seconds), and the plan. */
export function creditHeaders(balance: Balance, plan: Plan): StandingHeaders {
  return {
    "x-api-credits-used": String(balance.used),
    "x-api-remaining-credits": balance.remaining === null ? "unlimited" : String(balance.remaining),
    "x-api-max-credits": balance.allowance === null ? "unlimited" : String(balance.allowance),
    "x-api-renewal": String(Math.ceil(balance.period.endMs / 1_000)),
    "x-api-current-plan": plan.name,
  }
}

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
