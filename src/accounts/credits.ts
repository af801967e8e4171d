import type { AccountRecord } from "../store/store.ts"
import { type Period, periodAt } from "./period.ts"
import type { Plan } from "./plan.ts"

/** What an account has at one instant. */
export interface Balance {
  /** Credits used of this month's allowance. */
  readonly used: number
  /** This month's allowance; null is unlimited. */
  readonly allowance: number | null
  /** Bonus credits left. */
  readonly bonus: number
  /** Credits that can still be spent: the rest of the month and the bonus; null is unlimited. */
  readonly remaining: number | null
  readonly period: Period
}

/**
 * The balance of an account at `nowMs`. A month that has passed since the last charge is renewed here, in reading; the
 * store writes it down with the next charge. A stored month in the future (the clock was set back) stays in force, so
 * that no month is given twice. `known` is a month of the account that is likely the current one.
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

/** Whether a balance covers `credits`. */
export function covers(balance: Balance, credits: number): boolean {
  return balance.remaining === null || credits <= balance.remaining
}

/**
 * What is wrong with an account whose stored month has not begun yet, and how to mend it; null when nothing is. A clock
 * that ran ahead has made it so: the month stays in force until it is over, which may be years.
 */
export function monthAhead(
  { id, periodStartMs }: Pick<AccountRecord, "id" | "periodStartMs">,
  nowMs: number,
): string | null {
  if (periodStartMs <= nowMs) return null
  return (
    `The credit month of account ${id} begins at ${new Date(periodStartMs).toISOString()}, after the present time ` +
    `${new Date(nowMs).toISOString()}: a clock was ahead, and credits do not renew before that month is over. If the ` +
    `clock is right now, 'account renew ${id}' begins the month anew.`
  )
}
