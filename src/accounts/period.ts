/** A credit month: from `startMs` to just before `endMs`, in milliseconds since the Unix epoch. */
export interface Period {
  readonly startMs: number
  readonly endMs: number
}

/**
 * The credit month of an account at `nowMs`. Months begin at the day and time of its creation, in UTC; in a month without
 * that day, on the last day. If the clock was set back before the creation, it is the first month.
 * @param known a month of the account, given back if `nowMs` is in it
 */
export function periodAt(createdMs: number, nowMs: number, known?: Period | null): Period {
  if (known && nowMs >= known.startMs && nowMs < known.endMs) return known
  const created = toUtc(createdMs)
  const now = toUtc(nowMs)
  const startOf = (months: number) => created.add({ months }).epochMilliseconds
  const calendarMonths = (now.year - created.year) * 12 + now.month - created.month
  const months = Math.max(0, startOf(calendarMonths) > nowMs ? calendarMonths - 1 : calendarMonths)
  return { startMs: startOf(months), endMs: startOf(months + 1) }
}

function toUtc(ms: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO("UTC")
}
