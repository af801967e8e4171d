import { Cron, type CronPattern } from "croner"

/**
 * Removes years without a matching day from a cron expression, since croner would look at each of their days, up to the year
 * 9999. Returns null if no year is left. Which days match depends on the length of a year and the day of the week on which it
 * begins.
 */
export function withoutEmptyYears(expression: string, { year, starYear }: CronPattern): string | null {
  const fields = expression.trim().split(/\s+/)
  // Words such as @daily match in each year.
  if (fields.length < 5) return expression
  const [day, month, weekday] = fields.slice(fields.length === 5 ? 2 : 3)
  const days = new Cron(`0 0 0 ${day} ${month} ${weekday} ${samples.join(",")}`, { utcOffset: 0 })
  if (days.nextRun(new Date(Date.UTC(2000, 11, 31))) === null) return null
  if (starYear) return expression
  const kinds = new Set(samples.filter((sample) => hasRunIn(days, sample)).map(kindOf))
  const asked = year.flatMap((isAsked, one) => (isAsked ? [one] : []))
  const left = asked.filter((one) => kinds.has(kindOf(one)))
  if (left.length === asked.length) return expression
  return left.length === 0 ? null : [...fields.slice(0, 6), left.join(",")].join(" ")
}

/** There are 14 kinds of years. 28 years in a row have all of them, if 4 always divides those with 366 days. */
const samples = Array.from({ length: 28 }, (_, index) => 2001 + index)

/** The kind of a year: the days of the week on which it begins and ends. */
function kindOf(year: number): string {
  // Years before 100 would be taken for those of the last century; 400 years later is the same day.
  const dayOf = (month: number, day: number) => new Date(Date.UTC(year + 400, month, day)).getUTCDay()
  return `${dayOf(0, 1)} ${dayOf(11, 31)}`
}

function hasRunIn(cron: Cron, year: number): boolean {
  return cron.nextRun(new Date(Date.UTC(year - 1, 11, 31)))?.getUTCFullYear() === year
}
