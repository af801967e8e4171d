import { Type } from "@sinclair/typebox"
import { nullable } from "../../apis/contract.ts"
import faultTexts from "../../values/faults.json"
import { latencyBoundsMs } from "../../values/latency-bounds.ts"
import { toIso } from "../../values/time-text.ts"
import { formatParameter, instant, listOf, optionalText } from "../fields.ts"
import { defineRead } from "../operation.ts"
import { wholeList } from "../pages.ts"
import { rangeFields, rangeParameters, readRange, readTime, showRange, timeParameters } from "./range.ts"

const duration = (share: string) =>
  nullable(Type.Number(), {
    description: `Milliseconds that ${share} of the requests did not exceed, to the accuracy of some classes of durations; null without requests.`,
  })

/** A parameter that several operations of the history share. */
const apiParameter = optionalText(
  "Only this API; `several` for requests that name several, `usage` for those of usage, `none` for others.",
  { minLength: 1, maxLength: 100 },
)

export const historyOfCalls = defineRead({
  id: "history.calls",
  title: "Show calls by time",
  description:
    "Shows requests, errors and latency by time and API, of all processes, sorted by time and API, in one answer. A request is in it a minute later, and `--history` says for how long.",
  permission: "usage.read",
  path: "/history/calls",
  command: { words: "history calls", example: "--step day", empty: "No calls in this time." },
  input: Type.Object({ ...rangeParameters, api: apiParameter, ...formatParameter }),
  output: Type.Object({
    ...rangeFields,
    ...listOf(
      Type.Object({
        at: instant("When the minute, hour or day begins."),
        api: Type.String({ description: "The API, or `several`, `usage` or `none`." }),
        calls: Type.Integer({ description: "Requests, failed ones included. A batch is one." }),
        errors: Type.Integer({ description: "Requests that failed." }),
        p50_ms: duration("half"),
        p99_ms: duration("99 %"),
      }),
    ).properties,
  }),
  example: { step: "hour" },
  async read({ api, format: _, ...given }, { history, clock }) {
    const range = readRange(given, { clock })
    const sums = await history.calls({ ...range, api })
    const data = sums
      .filter(({ calls }) => calls > 0)
      .map(({ atMs, api: ofApi, calls, errors, latency }) => ({
        ...{ at: toIso(atMs), api: ofApi, calls, errors },
        p50_ms: percentileOf(latency, 0.5),
        p99_ms: percentileOf(latency, 0.99),
      }))
    return { ...showRange(range), ...wholeList(data) }
  },
})

/**
 * The duration in milliseconds that a share of requests did not exceed, interpolated within its class; null without requests. The
 * last class has no upper bound, so its lower one is returned.
 * @param counts requests by duration, one number for each class
 * @param share such as 0.99
 */
export function percentileOf(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let before = 0
  for (const [index, count] of counts.entries()) {
    const upper = latencyBoundsMs[index]
    if (upper === undefined) break
    if (count > 0 && before + count >= share * total) {
      const lower = latencyBoundsMs[index - 1] ?? 0
      const ms = lower + ((share * total - before) / count) * (upper - lower)
      return Math.round(ms * 1_000) / 1_000
    }
    before += count
  }
  return latencyBoundsMs.at(-1) ?? null
}

export const historyOfFaults = defineRead({
  id: "history.faults",
  title: "Show errors by kind",
  description:
    "Shows the requests that failed, by what was wrong and by API, most frequent first; of the last day unless a time is given.",
  permission: "usage.read",
  path: "/history/faults",
  command: {
    words: "history faults",
    example: "--api hmac",
    empty: "No errors in this time.",
    columns: ["fault", "api", "calls", "first", "last"],
  },
  input: Type.Object({ ...timeParameters, api: apiParameter, ...formatParameter }),
  output: listOf(
    Type.Object({
      fault: Type.String({ description: "What was wrong, such as `rateLimited`." }),
      api: Type.String({ description: "The API, or `several`, `usage` or `none`." }),
      calls: Type.Integer({ description: "Requests that failed with this fault." }),
      first: instant("When the first one failed."),
      last: instant("When the last one failed."),
      meaning: Type.String({ description: "What was wrong, for an operator." }),
      advice: Type.String({ description: "What to do about it." }),
      is_service_fault: Type.Boolean({
        description: "Whether the service failed (5xx). Otherwise it refused a mistake of the caller.",
      }),
    }),
  ),
  async read({ api, format: _, ...given }, { history, clock }) {
    const faults = await history.faults({ ...readTime(given, { clock }), api })
    const data = faults
      .toSorted((a, b) => b.calls - a.calls || b.lastMs - a.lastMs || compare(a, b))
      .map(({ fault, api: ofApi, calls, firstMs, lastMs }) => ({
        ...{ fault, api: ofApi, calls, first: toIso(firstMs), last: toIso(lastMs) },
        ...adviceFor(fault),
      }))
    return wholeList(data)
  },
})

function compare(a: { fault: string; api: string }, b: { fault: string; api: string }): number {
  return `${a.fault} ${a.api}` < `${b.fault} ${b.api}` ? -1 : 1
}

interface FaultText {
  readonly status?: number
  readonly meaning: string
  readonly advice?: string
}

const known: Readonly<Record<string, FaultText>> = { ...faultTexts.calls, ...faultTexts.graphql }
const unknown: FaultText = {
  meaning: "Requests failed for a reason that this version has no text for.",
  advice: "Look up the requests in the log by their ids.",
}
const customerAdvice = "Nothing on this side: the answer tells the customer what to change."

/** The meaning of a fault for an operator, the operator's remedy, and whether it is the service's own and not the caller's. */
export function adviceFor(fault: string) {
  const {
    meaning,
    advice = customerAdvice,
    status = 0,
  } = (Object.hasOwn(known, fault) && known[fault]) || unknown
  return { meaning, advice, is_service_fault: status >= 500 }
}
