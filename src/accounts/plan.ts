/** The limits of an account by month and minute. */
export interface Plan {
  readonly name: string
  /** Credits of a month; null is unlimited. */
  readonly monthlyCredits: number | null
  /** Credits given once, at sign-up. They are spent after the monthly ones and do not expire. */
  readonly signUpBonus: number
  /** Calls a minute, {@link maxCallsPerMinute} at most; null is unlimited. */
  readonly requestsPerMinute: number | null
  /** Whether answers have premium fields and premium parameters take effect. */
  readonly premium: boolean
  /** Different APIs in one GraphQL query; null is unlimited. */
  readonly graphqlApis: number | null
  /** The most keys an account may have before its customers cannot create more in the portal; 0: they may create none. */
  readonly portalKeys: number
  /** The changes that customers may make in the portal. */
  readonly portal: readonly PortalAction[]
  /** The price that customers see, as text: "€29 a month". Null: none is shown. */
  readonly price: string | null
  /** For whom the plan is, in a sentence; null without one. */
  readonly description: string | null
  /** Whether the landing page recommends it. */
  readonly highlight: boolean
}

/** The changes that a plan can allow customers in the portal. */
export const portalActions = ["create", "rotate", "revoke", "webhook"] as const

/** One of {@link portalActions}. */
export type PortalAction = (typeof portalActions)[number]

/** The permissions of a plan in the portal, unless the operator sets others. */
const portalDefaults = { portalKeys: 10, portal: portalActions } as const

/** How a plan is offered, unless the operator says so. */
const offerDefaults = { price: null, description: null, highlight: false } as const

/** The plans that the landing page offers: those that the operator gave a price or a description. */
export function offeredPlans(plans: Plans): readonly Plan[] {
  return [...plans.values()].filter(({ price, description }) => price !== null || description !== null)
}

/** The most that {@link Plan.portalKeys} can be. */
export const maxPortalKeys = 10_000

/** The highest limit of calls a minute, of a plan or a key. Enforcing a higher one would cost more than the calls. */
export const maxCallsPerMinute = 1_000_000

/** The plans that the operator configured, by name. */
export type Plans = ReadonlyMap<string, Plan>

/** The most monthly credits and the most bonus credits. The sum of both stays exact (below 2^53). */
export const maxCredits = 4_000_000_000_000_000

/** The plans of a service that configures no others. */
export const defaultPlans: readonly Plan[] = (
  [
    ["free", 1_000, 500, 60, false, 1],
    ["starter", 200_000, 0, null, true, 10],
    ["pro", 1_000_000, 0, null, true, 25],
    ["mega", 4_000_000, 0, null, true, 100],
    ["enterprise", null, 0, null, true, null],
  ] as const
).map(([name, monthlyCredits, signUpBonus, requestsPerMinute, premium, graphqlApis]) => {
  const limits = { monthlyCredits, signUpBonus, requestsPerMinute, premium, graphqlApis }
  return { name, ...limits, ...portalDefaults, ...offerDefaults }
})

/** A plan as configuration, operations and documents write it. */
export function describePlan(plan: Plan) {
  return {
    monthly_credits: plan.monthlyCredits ?? ("unlimited" as const),
    sign_up_bonus: plan.signUpBonus,
    requests_per_minute: plan.requestsPerMinute ?? ("unlimited" as const),
    premium: plan.premium,
    graphql_apis: plan.graphqlApis ?? ("unlimited" as const),
    portal_keys: plan.portalKeys,
    portal: [...plan.portal],
    price: plan.price,
    description: plan.description,
    highlight: plan.highlight,
  }
}

/** Plans as a store keeps them for commands that have no configuration file. */
export function plansToText(plans: Plans): string {
  return JSON.stringify([...plans.values()])
}

/** The plans of {@link plansToText}. Values that a plan of an older program lacks are those of a new plan. */
export function plansFromText(text: string): Plans {
  const plans = JSON.parse(text) as readonly (Partial<Plan> & Pick<Plan, "name">)[]
  return new Map(plans.map((plan) => [plan.name, { ...blankPlan, ...plan }]))
}

/** The entries of a plan that says nothing else. */
export const blankPlan: Omit<Plan, "name"> = {
  monthlyCredits: 0,
  signUpBonus: 0,
  requestsPerMinute: null,
  premium: true,
  graphqlApis: 10,
  ...portalDefaults,
  ...offerDefaults,
}

/** {@link missingPlan} for commands without a configuration file, in which the plan may be. */
export function unknownPlan({ id, plan }: { readonly id: string; readonly plan: string }): string {
  return (
    `Account ${id} has the plan '${plan}', which is not one of the built-in plans. If it is in the service's configuration file, ` +
    `name the file with --config; else choose another with 'account set-plan ${id} PLAN'.`
  )
}

/** The problem of an account whose plan is not configured, and what to do. */
export function missingPlan({ id, plan }: { readonly id: string; readonly plan: string }): string {
  return (
    `Account ${id} has the plan '${plan}', which is not configured: choose another with ` +
    `'account set-plan ${id} PLAN', or add [plans.${plan}] to the configuration file.`
  )
}
