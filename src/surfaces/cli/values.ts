import { InvalidArgumentError } from "commander"
import { parseDuration, parseInstant } from "../../values/time-text.ts"

/** `0`, `90s`, `15m`, `24h` or `30d` in milliseconds. */
function toDurationMs(text: string): number {
  const ms = parseDuration(text)
  if (ms !== null) return ms
  throw new InvalidArgumentError("Write a time such as 90s, 15m, 24h or 30d. Write 999999d or less.")
}

/** An instant, `2027-01-31` (midnight UTC) or `2027-01-31T12:00:00Z`, or a time from `nowMs` such as `30d`; in milliseconds. */
export function toInstantMs(text: string, nowMs: number): number {
  if (/^\d+[smhd]$/.test(text)) return nowMs + toDurationMs(text)
  const instant = parseInstant(text)
  if (instant !== null) return instant
  throw new InvalidArgumentError(
    "Write a date such as 2027-01-31, 2027-01-31T12:00:00Z, or a time such as 30d.",
  )
}

/** Makes the reader of a whole number from `minimum` to `maximum`. Signs are read if the minimum is below 0. */
export function wholeNumber(minimum: number, maximum: number): (text: string) => number {
  const form = minimum < 0 ? /^[+-]?(0|[1-9]\d*)$/ : /^(0|[1-9]\d*)$/
  return (text) => {
    const isWhole = form.test(text)
    const number = isWhole ? Number(text) : Number.NEGATIVE_INFINITY
    if (!isWhole && minimum < 0)
      throw new InvalidArgumentError("Write a whole number in digits, such as 1000 or -1000.")
    if (number < minimum) throw new InvalidArgumentError(`Write a whole number, ${minimum} or more.`)
    if (number > maximum) throw new InvalidArgumentError(`That is too large: write ${maximum} or less.`)
    return number
  }
}

/** Collects the values of a repeatable option. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text]
}
