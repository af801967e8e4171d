/** What an account may do in a month and a minute. Every number is configuration; these are the defaults. */
export interface Plan {
  readonly name: string
  /** Credits of a month; null is unlimited. */
  readonly monthlyCredits: number | null
  /** Credits given once, at sign-up; spent after the monthly ones, never expiring. */
  readonly signUpBonus: number
  /** Calls a minute, {@link maxCallsPerMinute} at most; null is not throttled. */
  readonly requestsPerMinute: number | null
  /** Whether premium fields are present and premium parameters take effect. */
  readonly premium: boolean
  /** Distinct APIs one GraphQL query may name; null is unlimited. */
  readonly graphqlApis: number | null
}

/** The highest limit of calls a minute, of a plan or a key. Beyond it a limit is dearer to keep than the calls. */
export const maxCallsPerMinute = 1_000_000

export type Plans = ReadonlyMap<string, Plan>

/**
 * The most credits that a plan may give a month and that a bonus may grow to. Both together, and what is used of them,
 * stay numbers that are exact (up to 2^53 - 1).
 */
export const maxCredits = 4_000_000_000_000_000

export const defaultPlans: readonly Plan[] = [
  plan("free", 1_000, 500, 60, false, 1),
  plan("starter", 200_000, 0, null, true, 10),
  plan("pro", 1_000_000, 0, null, true, 25),
  plan("mega", 4_000_000, 0, null, true, 100),
  plan("enterprise", null, 0, null, true, null),
]

function plan(
  name: string,
  monthlyCredits: number | null,
  signUpBonus: number,
  requestsPerMinute: number | null,
  premium: boolean,
  graphqlApis: number | null,
): Plan {
  return { name, monthlyCredits, signUpBonus, requestsPerMinute, premium, graphqlApis }
}

/** What is wrong with an account whose plan the configuration does not have, and how to mend it. */
export function missingPlan({ id, plan }: { readonly id: string; readonly plan: string }): string {
  return (
    `Account ${id} has the plan '${plan}', which is not configured: choose another with ` +
    `'account set-plan ${id} PLAN', or add [plans.${plan}] to the configuration file.`
  )
}
