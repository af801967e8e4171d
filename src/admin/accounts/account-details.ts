import type { Plan } from "../../accounts/plan.ts"
import type { AccountDetails } from "../../store/admin-store.ts"

/**
 * A new account on a plan: open, nothing is used, its bonus is the plan's sign-up bonus, and notices go to its webhook.
 * @param own its id and name, and what else differs from that
 */
export function toAccountDetails(
  plan: Pick<Plan, "name" | "signUpBonus">,
  own: Pick<AccountDetails, "id" | "name"> & Partial<AccountDetails>,
  nowMs: number,
): AccountDetails {
  return {
    plan: plan.name,
    createdMs: nowMs,
    closedMs: null,
    periodStartMs: nowMs,
    used: 0,
    bonus: plan.signUpBonus,
    version: 1,
    externalId: null,
    email: null,
    notify: "webhook",
    metadata: "{}",
    events: [],
    debt: 0,
    ...own,
  }
}
