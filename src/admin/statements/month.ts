import { periodAt } from "../../accounts/credits.ts"
import type { AccountDetails } from "../../store/admin-store.ts"
import { dayMs, toDay } from "../../values/time-text.ts"
import { invalid } from "../fault.ts"

/** A calendar month in UTC. */
export interface Month {
  /** `2027-01` */
  readonly name: string
  readonly startMs: number
  /** Just after its end. */
  readonly endMs: number
  /** `2027-01-01` */
  readonly firstDay: string
  /** `2027-01-31` */
  readonly lastDay: string
}

/**
 * A statement is final so long after the end of its month: until then, calls that began before the end may still be charged, and
 * the clocks of several instances may differ.
 */
const settleMs = 600_000

/** The month of a time. */
export function monthOf(ms: number): Month {
  const date = new Date(ms)
  const startMs = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
  const endMs = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
  const firstDay = toDay(startMs)
  return { name: firstDay.slice(0, 7), startMs, endMs, firstDay, lastDay: toDay(endMs - dayMs) }
}

/** Whether nothing of a month can change any more. */
export function isOver({ endMs }: Month, nowMs: number): boolean {
  return nowMs >= endMs + settleMs
}

/**
 * Reads the month of a statement.
 * @throws AdminFault for another text
 */
export function requireMonth(text: string): Month {
  const startMs = /^\d{4}-(0[1-9]|1[0-2])$/.test(text) ? Date.parse(`${text}-01`) : Number.NaN
  if (Number.isNaN(startMs)) throw invalid("month", "The 'month' parameter must be a month such as 2027-01.")
  return monthOf(startMs)
}

/**
 * Reads the month of a statement of an account.
 * @throws AdminFault for a month before the account, or in the future
 */
export function requireMonthOf(account: AccountDetails, text: string, nowMs: number): Month {
  const month = requireMonth(text)
  const [first, last] = monthsOf(account, nowMs)
  if (month.startMs >= first.startMs && month.startMs <= last.startMs) return month
  throw invalid(
    "month",
    `Account '${account.id}' has statements from ${first.name} to ${last.name}: choose one of these months.`,
  )
}

/** The first and the present month of an account. */
export function monthsOf({ createdMs }: AccountDetails, nowMs: number): readonly [Month, Month] {
  return [monthOf(Math.min(createdMs, nowMs)), monthOf(nowMs)]
}

/** The times within a month, up to the present, at which credit months of an account began. */
export function renewalsIn(
  { createdMs, closedMs }: Pick<AccountDetails, "createdMs" | "closedMs">,
  { startMs, endMs }: Month,
  nowMs: number,
): readonly number[] {
  const lastMs = Math.min(endMs - 1, nowMs, closedMs ?? Number.POSITIVE_INFINITY)
  if (lastMs < createdMs) return []
  const found: number[] = []
  // Credit months are about as long, so at most two begin in a calendar month.
  for (let period = periodAt(createdMs, Math.max(startMs, createdMs)); period.startMs <= lastMs; ) {
    if (period.startMs >= startMs) found.push(period.startMs)
    period = periodAt(createdMs, period.endMs)
  }
  return found
}
