import { missingPlan } from "../accounts/plan.ts"
import { ConfigError } from "../config/config-error.ts"
import type { Config } from "../config/load.ts"
import type { AdminStore } from "../store/admin-store.ts"
import { withoutPassword } from "../store/open.ts"

/** The most accounts that a message names. */
const maxNamed = 10

/** An account whose plan was removed from the configuration can be neither served nor refused correctly. */
export async function requireKnownPlans(
  admin: Pick<AdminStore, "accounts" | "planNames" | "plansInUse">,
  { plans, db }: Config,
): Promise<void> {
  if ((await admin.planNames()).every((plan) => plans.has(plan))) return
  const missing = (await admin.plansInUse()).filter(({ plan }) => !plans.has(plan))
  if (missing.length === 0) return
  const named: string[] = []
  for (const { plan } of missing) {
    const limit = maxNamed - named.length
    if (limit === 0) break
    const accounts = await admin.accounts({ plan, closed: false }, { limit, after: null })
    named.push(...accounts.map(missingPlan))
  }
  const others = missing.reduce((sum, { accounts }) => sum + accounts, 0) - named.length
  throw new ConfigError(
    [
      ...named,
      ...(others > 0 ? [`${others} other accounts have a plan that is missing.`] : []),
      `The accounts are in ${withoutPassword(db)}.`,
    ].join(named.length > 1 ? "\n" : " "),
  )
}
