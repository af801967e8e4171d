/** A credit month: from `startMs` to just before `endMs`, in milliseconds since the Unix epoch. */
export interface Period {
  readonly startMs: number
  readonly endMs: number
}

/**
 * The credit month of an account at `nowMs`. Months begin at the day and time of its creation, in UTC; in a month without
 * that day, on its last day. Before the creation (the clock was set back) it is the first month.
 * @param known a month of the account, given back if `nowMs` is in it
 */
export function periodAt(createdMs: number, nowMs: number, known?: Period | null): Period {
  if (known && nowMs >= known.startMs && nowMs < known.endMs) return known
  const created = new Date(createdMs)
  const now = new Date(nowMs)
  let months =
    (now.getUTCFullYear() - created.getUTCFullYear()) * 12 + now.getUTCMonth() - created.getUTCMonth()
  if (monthsAfter(created, months) > nowMs) months--
  months = Math.max(0, months)
  return { startMs: monthsAfter(created, months), endMs: monthsAfter(created, months + 1) }
}

function monthsAfter(created: Date, months: number): number {
  const year = created.getUTCFullYear()
  const month = created.getUTCMonth() + months
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return Date.UTC(
    year,
    month,
    Math.min(created.getUTCDate(), lastDay),
    created.getUTCHours(),
    created.getUTCMinutes(),
    created.getUTCSeconds(),
    created.getUTCMilliseconds(),
  )
}
