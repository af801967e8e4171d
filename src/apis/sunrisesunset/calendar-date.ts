/**
 * The years in which suncalc's solar position, with its fit of the earth's rotation (ΔT), was found to stay within the
 * promised accuracy. A century before the first it is minutes off, another two centuries back it is hours.
 */
export const firstYear = 1900
export const lastYear = 2500

/** Noon UTC of a MM-DD-YYYY date, in milliseconds since the epoch; null for a date that is not in the calendar. */
export function parseCalendarDate(text: string): number | null {
  const [, month, day, year] = /^(\d\d)-(\d\d)-(\d{4})$/.exec(text)?.map(Number) ?? []
  if (month === undefined || day === undefined || year === undefined) return null
  if (year < firstYear || year > lastYear) return null
  const noon = new Date(Date.UTC(year, month - 1, day, 12))
  return noon.getUTCMonth() === month - 1 && noon.getUTCDate() === day ? noon.getTime() : null
}

/** Noon of the UTC day in which an instant lies. */
export function noonOfUtcDay(instantMs: number): number {
  return new Date(instantMs).setUTCHours(12, 0, 0, 0)
}
