/** Sums of the history by time, including times without calls. */
import type { AnswerOf } from "../../client/operations.ts"

export type CallHistory = AnswerOf<"history.calls">
export type CreditHistory = AnswerOf<"history.credits">

const stepMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const

type CallSum = CallHistory["data"][number]

/** The times of a history, and a function that makes a value of the sums of each time. */
export function pointsOf<Sum extends { readonly at: string }>(
  history: Pick<CallHistory, "step" | "from" | "to"> & { readonly data: readonly Sum[] },
) {
  const times = timesOf(history)
  const byTime = Map.groupBy(history.data, ({ at }) => new Date(at).getTime())
  const each = <T>(pick: (sums: readonly Sum[]) => T) =>
    times.map((time) => pick(byTime.get(new Date(time).getTime()) ?? []))
  return { times, each }
}

/** The p99 latency of the slowest API: 99 % of its calls took at most this long. */
export function slowestOf(sums: readonly Pick<CallSum, "p99_ms">[]): number | null {
  const known = sums.flatMap(({ p99_ms }) => p99_ms ?? [])
  return known.length === 0 ? null : round(Math.max(...known))
}

/** Mean over all APIs, weighted by calls; null if there were none. */
export function middleOf(sums: readonly CallSum[]): number | null {
  const known = sums.filter(({ p50_ms }) => p50_ms !== null)
  const calls = total(known, ({ calls }) => calls)
  return calls === 0 ? null : round(total(known, ({ calls, p50_ms }) => calls * (p50_ms ?? 0)) / calls)
}

function timesOf({ step, from, to }: Pick<CallHistory, "step" | "from" | "to">) {
  const first = new Date(from).getTime()
  const count = Math.max(0, Math.ceil((new Date(to).getTime() - first) / stepMs[step]))
  return Array.from({ length: count }, (_, index) => new Date(first + index * stepMs[step]).toISOString())
}

export function total<T>(items: readonly T[], pick: (item: T) => number): number {
  return items.reduce((sum, item) => sum + pick(item), 0)
}

function round(value: number): number {
  return value < 10 ? Math.round(value * 100) / 100 : Math.round(value)
}
