/** What an account may do in a month and a minute. Every number is configuration; these are the defaults. */
export interface Plan {
  readonly name: string
  /** Credits of a month; null is unlimited. */
  readonly monthlyCredits: number | null
  /** Credits given once, at sign-up; spent after the monthly ones, never expiring. */
  readonly signUpBonus: number
  /** Calls a minute; null is not throttled. */
  readonly requestsPerMinute: number | null
  /** Whether premium fields are present and premium parameters take effect. */
  readonly premium: boolean
  /** Distinct APIs one GraphQL query may name; null is unlimited. */
  readonly graphqlApis: number | null
}

export type Plans = ReadonlyMap<string, Plan>

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
