import type { PlanTerms } from "../../store/adjustments.ts"
import type { AdminParts } from "../parts.ts"
import { isOver, type Month } from "./month.ts"

/** The parts of the service that statements are made from. */
export type StatementParts = Pick<AdminParts, "admin" | "clock" | "plans">

/** The displayed price of a plan and its credits a month; null where it has none, or no limit. */
export type TermsOf = (plan: string) => Pick<PlanTerms, "price" | "monthlyCredits">

/**
 * The terms of plans in a month: the present ones until it is over, and then those that were recorded last before its end, as for
 * a plan that is configured no more. A plan that was recorded only later has its first ones.
 */
export async function readTerms(month: Month, { admin, clock, plans }: StatementParts): Promise<TermsOf> {
  const present = isOver(month, clock.now()) ? null : plans
  const byPlan = Map.groupBy(await admin.planTerms(), ({ plan }) => plan)
  return (plan) => {
    const known = byPlan.get(plan) ?? []
    const then = known.findLast(({ fromMs }) => fromMs < month.endMs) ?? known[0]
    const { price = null, monthlyCredits = null } = present?.get(plan) ?? then ?? plans.get(plan) ?? {}
    return { price, monthlyCredits }
  }
}

/** Records the terms of each plan that are not those that were recorded last. Rows of a clock that was ahead are left out. */
export async function recordTerms({ admin, clock, plans }: StatementParts): Promise<void> {
  const nowMs = clock.now()
  const byPlan = Map.groupBy(await admin.planTerms(), ({ plan }) => plan)
  for (const [plan, { price, monthlyCredits }] of plans) {
    const last = byPlan.get(plan)?.findLast(({ fromMs }) => fromMs <= nowMs)
    if (last?.price === price && last.monthlyCredits === monthlyCredits) continue
    await admin.addPlanTerms({ plan, fromMs: nowMs, price, monthlyCredits })
  }
}
