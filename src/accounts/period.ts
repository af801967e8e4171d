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
