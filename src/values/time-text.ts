const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Added to the current time, this is still a valid date. */
const maxMs = 999_999 * 86_400_000

/** `90s`, `15m`, `24h`, `30d` in milliseconds, `0` for no time at all; null for any other text, or over 999999 days. */
export function parseDuration(text: string): number | null {
  if (text === "0") return 0
  const [, amount, unit] = /^(\d{1,11})([smhd])$/.exec(text) ?? []
  const ms = unit && unitMs[unit]
  if (!amount || !ms) return null
  const duration = Number(amount) * ms
  return duration <= maxMs ? duration : null
}

/** `2027-01-31` (midnight UTC) or `2027-01-31T12:00:00Z` in milliseconds since the Unix epoch; null for any other text. */
export function parseInstant(text: string): number | null {
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.test(text)) return null
  const instant = Date.parse(text)
  // Date.parse takes the 31st of February for the 3rd of March.
  const day = Date.parse(`${text.slice(0, 10)}T00:00:00Z`)
  if (Number.isNaN(instant) || Number.isNaN(day)) return null
  return new Date(day).toISOString().slice(0, 10) === text.slice(0, 10) ? instant : null
}

/** Milliseconds since the Unix epoch as ISO 8601 in UTC, with milliseconds. Null stays null. */
export function toIso(ms: number): string
export function toIso(ms: number | null): string | null
export function toIso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
