import type { AccountRecord } from "../store/store.ts"
import { toIso } from "../values/time-text.ts"
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

/** A credit month: from `startMs` to just before `endMs`, in milliseconds since the Unix epoch. */
export type Period = { readonly startMs: number; readonly endMs: number }

/**
 * The credit month of an account at `nowMs`. Months begin at the day and time of its creation, in UTC; in a month without that
 * day, on the last day. If the clock was set back before the creation, it is the first month.
 * @param known a month of the account, returned if `nowMs` is in it
 */
export function periodAt(createdMs: number, nowMs: number, known?: Period | null): Period {
  if (known && nowMs >= known.startMs && nowMs < known.endMs) return known
  const created = new Date(createdMs)
  const now = new Date(nowMs)
  const startOf = (months: number) => addMonths(created, months).getTime()
  const calendarMonths =
    (now.getUTCFullYear() - created.getUTCFullYear()) * 12 + now.getUTCMonth() - created.getUTCMonth()
  const months = Math.max(0, startOf(calendarMonths) > nowMs ? calendarMonths - 1 : calendarMonths)
  return { startMs: startOf(months), endMs: startOf(months + 1) }
}

/** Without Temporal, whose first use would take 3 ms of the start or of the first call. */
function addMonths(date: Date, months: number): Date {
  const added = new Date(date)
  // In a month without that day, `Date` would go on into the next month.
  added.setUTCDate(1)
  added.setUTCMonth(date.getUTCMonth() + months)
  const lastDay = new Date(added)
  lastDay.setUTCMonth(added.getUTCMonth() + 1, 0)
  added.setUTCDate(Math.min(date.getUTCDate(), lastDay.getUTCDate()))
  return added
}
