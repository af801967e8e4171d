import { InvalidArgumentError } from "commander"

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `90s`, `15m`, `24h`, `30d` in milliseconds; `0` is no time at all. */
export function toDurationMs(text: string): number {
  if (text === "0") return 0
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  const ms = unit && unitMs[unit]
  if (!amount || !ms) throw new InvalidArgumentError("Write a time such as 90s, 15m, 24h or 30d.")
  return Number(amount) * ms
}

/** An instant, `2027-01-31` (midnight UTC) or `2027-01-31T12:00:00Z`, or a time from `nowMs` on such as `30d`. */
export function toInstantMs(text: string, nowMs: number): number {
  if (/^\d+[smhd]$/.test(text)) return nowMs + toDurationMs(text)
  const iso = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.test(text)
  const instant = iso ? Date.parse(text) : Number.NaN
  if (
    Number.isNaN(instant) ||
    (!text.includes("T") && new Date(instant).toISOString().slice(0, 10) !== text)
  ) {
    throw new InvalidArgumentError(
      "Write a date such as 2027-01-31, 2027-01-31T12:00:00Z, or a time such as 30d.",
    )
  }
  return instant
}

/** A whole number, 1 or more. */
export function toPositiveInteger(text: string): number {
  const number = /^[1-9]\d*$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(number)) throw new InvalidArgumentError("Write a whole number, 1 or more.")
  return number
}

/** Collects a repeatable option. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text]
}
