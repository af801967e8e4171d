import type { AccountRecord } from "../store/store.ts"
import { toIso } from "../values/time-text.ts"
import { type Period, periodAt } from "./period.ts"
import type { Plan } from "./plan.ts"

/** The credits of an account at one instant. */
export interface Balance {
  readonly used: number
  /** This month's allowance; null is unlimited. */
  readonly allowance: number | null
  readonly bonus: number
  /** Credits left, of the month and the bonus together; null is unlimited. */
  readonly remaining: number | null
  readonly period: Period
}

/**
 * The balance of an account at `nowMs`. A stored month in the future (the clock was set back) stays in force, so that no
 * month is given twice.
 * @param known a month of the account that is likely the current one, to save computing it
 */
export function balanceOf(
  account: Pick<AccountRecord, "createdMs" | "periodStartMs" | "used" | "bonus">,
  plan: Pick<Plan, "monthlyCredits">,
  nowMs: number,
  known?: Period | null,
): Balance {
  const current = periodAt(account.createdMs, Math.max(nowMs, account.periodStartMs), known)
  const used = current.startMs > account.periodStartMs ? 0 : account.used
  const allowance = plan.monthlyCredits
  return {
    used,
    allowance,
    bonus: account.bonus,
    remaining: allowance === null ? null : Math.max(0, allowance - used) + account.bonus,
    period: current,
  }
}

/** True if the stored month has ended: nothing is used yet. */
export function isMonthOver(
  { createdMs, periodStartMs }: Pick<AccountRecord, "createdMs" | "periodStartMs">,
  nowMs: number,
): boolean {
  return periodAt(createdMs, Math.max(nowMs, periodStartMs)).startMs > periodStartMs
}

/** Whether a balance covers `credits`. */
export function covers(balance: Balance, credits: number): boolean {
  return balance.remaining === null || credits <= balance.remaining
}

/**
 * Tells the operator how to end a stored month that begins in the future; null if there is none. Such a month stays in force
 * until its end, perhaps for years.
 */
export function monthAhead(
  { id, periodStartMs }: Pick<AccountRecord, "id" | "periodStartMs">,
  nowMs: number,
): string | null {
  if (periodStartMs <= nowMs) return null
  return (
    `The credit month of account ${id} begins at ${toIso(periodStartMs)}, after the present time ` +
    `${toIso(nowMs)}. A clock was ahead; credits do not renew before the end of that month. If the ` +
    `clock is right now, start the month again with 'account renew ${id}'.`
  )
}

/** The percentages of a month's allowance at which an account gets a notice. */
export const noticeThresholds: readonly number[] = [80, 95]

/** An account is near its limit from this percentage of a month's credits: the lowest threshold of notices. */
export const nearLimitPercent = Math.min(...noticeThresholds)

/** Whether an account is open and has used at least {@link nearLimitPercent} of this month's credits. */
export function isNearLimit(
  account: Pick<AccountRecord, "createdMs" | "closedMs" | "periodStartMs" | "used" | "bonus">,
  plan: Plan | undefined,
  nowMs: number,
): boolean {
  if (account.closedMs !== null || plan === undefined) return false
  const { used, allowance } = balanceOf(account, plan, nowMs)
  return allowance !== null && allowance > 0 && used * 100 >= allowance * nearLimitPercent
}
