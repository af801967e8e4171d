import type { AccountRecord } from "../store/store.ts"
import { balanceOf } from "./credits.ts"
import { noticeThresholds } from "./notices.ts"
import type { Plan } from "./plan.ts"

/** From how much of a month's credits on an account is near its limit, in percent: the first threshold of notices. */
export const nearLimitPercent = Math.min(...noticeThresholds)

/** Whether an account is open, and has used most of the credits that its plan gives for the present month. */
export function isNearLimit(
  account: Pick<AccountRecord, "createdMs" | "closedMs" | "periodStartMs" | "used" | "bonus">,
  plan: Plan | undefined,
  nowMs: number,
): boolean {
  if (account.closedMs !== null || plan === undefined) return false
  const { used, allowance } = balanceOf(account, plan, nowMs)
  return allowance !== null && allowance > 0 && used * 100 >= allowance * nearLimitPercent
}
