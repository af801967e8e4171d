/** The years for which suncalc is accurate enough: its rotation of the earth (ΔT) is minutes off a century earlier. */
export const firstYear = 1900
export const lastYear = 2500

/** Noon UTC of a MM-DD-YYYY date, in milliseconds since the Unix epoch; null for a date that does not exist. */
export function parseCalendarDate(text: string): number | null {
  const [, month, day, year] = /^(\d\d)-(\d\d)-(\d{4})$/.exec(text)?.map(Number) ?? []
  if (month === undefined || day === undefined || year === undefined) return null
  if (year < firstYear || year > lastYear) return null
  const noon = new Date(Date.UTC(year, month - 1, day, 12))
  return noon.getUTCMonth() === month - 1 && noon.getUTCDate() === day ? noon.getTime() : null
}

/** Noon of the UTC day of an instant; both in milliseconds since the Unix epoch. */
export function noonOfUtcDay(instantMs: number): number {
  return new Date(instantMs).setUTCHours(12, 0, 0, 0)
}
