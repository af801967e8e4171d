import { Type } from "@sinclair/typebox"
import { choice } from "../../apis/contract.ts"
import { hourMs, minutesSince } from "../../store/history.ts"
import { toIso, toStart } from "../../values/time-text.ts"
import { invalid } from "../fault.ts"
import { instant, optionalText, requireInstant } from "../fields.ts"
import type { AdminParts } from "../parts.ts"

const stepMs = { minute: 60_000, hour: hourMs, day: 24 * hourMs } as const
const steps = ["minute", "hour", "day"] as const
/** The time that is shown without `from`. */
const defaultMs = { minute: hourMs, hour: 24 * hourMs, day: 30 * 24 * hourMs } as const
/** A later time, rounded up to whole steps, could have a year of five digits, which an answer must not have. */
const latestMs = Date.UTC(9999, 0, 1) - 1
/** More do not fit in a plot. */
const maxPoints = 1_500

const time = (description: string) => optionalText(description, { minLength: 1, maxLength: 40 })

/** The parameters `from` and `to`. */
export const timeParameters = {
  from: time("The first time: 2027-01-31, or 2027-01-31T12:00:00Z."),
  to: time("The end, which is not included; now by default."),
}

/** The same, with the length of each interval. */
export const rangeParameters = {
  ...timeParameters,
  step: Type.Optional(
    choice(steps, {
      default: "hour",
      description: "Length of each interval: `minute` (of the last day), `hour` or `day` (UTC).",
    }),
  ),
}

/** The time and the intervals of an answer. */
export const rangeFields = {
  step: choice(steps, { description: "Length of each interval." }),
  from: instant("The first time that is included."),
  to: instant("The end, which is not included."),
}

interface Range {
  readonly step: (typeof steps)[number]
  readonly stepMs: number
  readonly fromMs: number
  readonly toMs: number
}

/**
 * Reads the parameters, and rounds times to whole steps.
 * @throws AdminFault
 */
export function readRange(
  {
    from,
    to,
    step = "hour",
  }: { readonly from?: string; readonly to?: string; readonly step?: Range["step"] },
  { clock }: Pick<AdminParts, "clock">,
): Range {
  const sizeMs = stepMs[step]
  const nowMs = clock.now()
  const { beginMs, endMs } = readTimes({ from, to }, nowMs, defaultMs[step])
  const range = {
    step,
    stepMs: sizeMs,
    fromMs: toStart(beginMs, sizeMs),
    toMs: Math.ceil(endMs / sizeMs) * sizeMs,
  }
  const points = (range.toMs - range.fromMs) / sizeMs
  if (points > maxPoints)
    throw invalid(
      "from",
      `From 'from' to 'to' are ${points.toLocaleString("en-US")} times the 'step', and at most 1,500 can be shown. Give a later 'from' or a larger 'step'.`,
    )
  const minutesFromMs = minutesSince(nowMs)
  if (step === "minute" && range.fromMs < minutesFromMs)
    throw invalid(
      "step",
      `Minutes are kept for a day, so that 'from' can be ${toIso(minutesFromMs)} at the earliest. Give a later one, or 'step' hour.`,
    )
  return range
}

/**
 * Reads the parameters of a time that is not divided: the last day without any. It begins with a whole minute, or with a whole
 * hour where there are no minutes any more.
 * @throws AdminFault
 */
export function readTime(
  given: { readonly from?: string; readonly to?: string },
  { clock }: Pick<AdminParts, "clock">,
): { readonly fromMs: number; readonly toMs: number } {
  const nowMs = clock.now()
  const { beginMs, endMs } = readTimes(given, nowMs, defaultMs.hour)
  const days = Math.ceil((endMs - beginMs) / stepMs.day)
  if (days > maxPoints)
    throw invalid("from", "From 'from' to 'to' can be 1,500 days at most. Give a later 'from'.")
  return { fromMs: toStart(beginMs, beginMs < minutesSince(nowMs) ? hourMs : stepMs.minute), toMs: endMs }
}

function readTimes(
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  nowMs: number,
  withoutFromMs: number,
): { readonly beginMs: number; readonly endMs: number } {
  const endMs = to === undefined ? nowMs + 1 : requireTime(to, "to")
  const beginMs = from === undefined ? endMs - withoutFromMs : requireTime(from, "from")
  if (beginMs >= endMs) throw invalid("from", "The 'from' parameter must be earlier than 'to'.")
  return { beginMs, endMs }
}

/** The fields of an answer. */
export function showRange({ step, fromMs, toMs }: Range) {
  return { step, from: toIso(fromMs), to: toIso(toMs) }
}

function requireTime(text: string, parameter: string): number {
  const ms = requireInstant(text, parameter)
  if (ms >= 0 && ms <= latestMs) return ms
  throw invalid(parameter, `The '${parameter}' parameter must be from 1970 to 9998.`)
}
