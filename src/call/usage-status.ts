import type { Balance } from "../accounts/credits.ts"
import type { RateState } from "../store/store.ts"

/** What an account has used and may still use: every reply to a known caller carries it as data. */
export interface UsageStatus {
  /** The name of the account's plan. */
  readonly plan: string
  readonly balance: Balance
  /** The per-minute limit that is closest to being reached; null when none applies. */
  readonly rate: RateState | null
}

/** The limit with the longest wait, or with the fewest calls left. Null without limits. */
export function tightestOf(limits: readonly RateState[]): RateState | null {
  const sorted = [...limits].sort((a, b) => b.retryInMs - a.retryInMs || a.remaining - b.remaining)
  return sorted[0] ?? null
}
