/** A credit month: from `startMs` to just before `endMs`, in milliseconds since the Unix epoch. */
export interface Period {
  readonly startMs: number
  readonly endMs: number
}

/**
 * The month of an account that `nowMs` falls into. Months run from the creation instant in UTC; a 31st falls on the
 * last day of shorter months and comes back on the 31st where there is one. A clock that stands before the creation
 * gets the first month. `known`, a month of the same account, is given back where it is the one.
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
