export const dayMs = 86_400_000
const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: dayMs }

/** Added to the current time, this is still a valid date. */
const maxMs = 999_999 * dayMs

/** The end of the last year that has four digits. */
export const latestMs = Date.UTC(10_000, 0) - 1

/** `90s`, `15m`, `24h`, `30d` in milliseconds, `0` for no time at all; null for any other text, or over 999999 days. */
export function parseDuration(text: string): number | null {
  if (text === "0") return 0
  const [, amount, unit] = /^(\d{1,11})([smhd])$/.exec(text) ?? []
  const ms = unit && unitMs[unit]
  if (!amount || !ms) return null
  const duration = Number(amount) * ms
  return duration <= maxMs ? duration : null
}

/** A written time. */
interface WrittenTime {
  readonly kind: "date" | "time" | "unix"
  /** The clock time as it is written, in milliseconds as if its offset were 0. */
  readonly clockMs: number
  /** Its offset from UTC in milliseconds, positive to the east; null if none is written. */
  readonly offsetMs: number | null
}

const dateForm = /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(.*))?$/s
/** A query turns `+` into a blank, unless it is escaped. */
const offsetForm = /^(?:[Zz]|([+ -])([01]\d|2[0-3])(?::?([0-5]\d)(?::?([0-5]\d))?)?)$/
/** Unix seconds need 9 to 11 digits: fewer can be a year, or a date such as 20270131. */
const unixForm = /^-?(?:0|\d{9,11})(?:\.\d+)?$/

/**
 * Reads a date, a time of RFC 3339 with any number of fraction digits, or Unix seconds. A time may lack seconds or the offset.
 * It may have what ISO 8601 also allows: an offset without a colon, `24:00` for the end of a day. A leap second
 * is the one after it. Digits after the millisecond do not count.
 * @returns null for any other text, and for a date that does not exist
 */
export function readTime(text: string): WrittenTime | null {
  if (unixForm.test(text)) return { kind: "unix", clockMs: Math.floor(Number(text) * 1_000), offsetMs: 0 }
  const [, date, hours, minutes = "0", seconds = "0", fraction = "", end = ""] = dateForm.exec(text) ?? []
  const day = Date.parse(`${date}T00:00:00Z`)
  // The runtime takes the 31st of February for the 3rd of March.
  if (Number.isNaN(day) || new Date(day).toISOString().slice(0, 10) !== date) return null
  const [h, m, s] = [Number(hours ?? 0), Number(minutes), Number(seconds)]
  const clockMs = day + ((h * 60 + m) * 60 + s) * 1_000 + Number(fraction.slice(0, 3).padEnd(3, "0"))
  const [all, sign, ...parts] = offsetForm.exec(end) ?? []
  if ((end !== "" && all === undefined) || m > 59) return null
  if (h > 23 && (h > 24 || clockMs !== day + dayMs)) return null
  const [oh = 0, om = 0, os = 0] = parts.map((part) => Number(part ?? 0))
  const offsetMs = all === undefined ? null : ((oh * 60 + om) * 60 + os) * (sign === "-" ? -1_000 : 1_000)
  if (s > 59 && !isLeapSecond(s, clockMs - (offsetMs ?? Number.NaN))) return null
  return { kind: hours === undefined ? "date" : "time", clockMs, offsetMs }
}

/** Leap seconds end a June or a December in UTC (ITU-R TF.460). */
function isLeapSecond(seconds: number, endMs: number): boolean {
  return seconds === 60 && /-0[17]-01T00:00:00/.test(Number.isNaN(endMs) ? "" : toIso(endMs))
}

/**
 * Reads a parameter that is a moment: a date (midnight UTC), a time with an offset, or Unix seconds, see {@link readTime}.
 * @returns milliseconds since the Unix epoch; null for any other text
 */
export function parseTime(text: string): number | null {
  const { kind, clockMs = 0, offsetMs } = readTime(text) ?? {}
  return kind === "date" ? clockMs : typeof offsetMs === "number" ? clockMs - offsetMs : null
}

/** The same without Unix seconds, for settings and reports, which write dates out. */
export function parseInstant(text: string): number | null {
  return unixForm.test(text) ? null : parseTime(text)
}

/** An offset in milliseconds as `+02:00`, with seconds where it has some: `-04:16:48`. */
export function toOffsetText(ms: number): string {
  const text = new Date(Math.abs(ms)).toISOString().slice(11, 19)
  return `${ms < 0 ? "-" : "+"}${text.replace(/:00$/, "")}`
}

/** Milliseconds since the Unix epoch as ISO 8601 in UTC, with milliseconds. Null stays null. */
export function toIso(ms: number): string
export function toIso(ms: number | null): string | null
export function toIso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}

/** The start of the minute, hour or day that a time is in, given how long it is. */
export function toStart(ms: number, partMs: number): number {
  return ms - (ms % partMs)
}

/** The UTC day of a time, `YYYY-MM-DD`. */
export function toDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
