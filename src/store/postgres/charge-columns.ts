import type { Charge } from "../store.ts"
import type { ChargeGroup, EntryUsage } from "./charge-groups.ts"
import { toArray } from "./parameters.ts"

/** The arrays of the statement that charges: one for each column, with one element for each group. */
export function toColumns<T extends { readonly charge: Charge }>(
  groups: readonly ChargeGroup<T>[],
  deadlineOf: (group: ChargeGroup<T>) => number | null,
): string[] {
  const column = (pick: (group: ChargeGroup<T>) => string | number | null) => toArray(groups.map(pick))
  return [
    column(({ charge }) => charge.accountId),
    column(({ credits }) => credits),
    column(({ charge }) => charge.allowance),
    column(({ charge }) => charge.periodStartMs),
    column(({ usage }) => only(usage)?.entry ?? null),
    column(({ usage }) => only(usage)?.calls ?? null),
    column(({ usage }) => (only(usage) ? null : toJson(usage))),
    column(({ charge }) => charge.day),
    column(({ charge }) => charge.revision ?? null),
    column(deadlineOf),
  ]
}

/** The array of the groups' traces; null when none has one. Calls that are charged together share the trace of the last. */
export function toTraces<T extends { readonly charge: Charge }>(groups: readonly ChargeGroup<T>[]) {
  const traces = groups.map(
    ({ members }) => members.findLast(({ charge }) => charge.traceparent)?.charge.traceparent ?? null,
  )
  return traces.some((trace) => trace !== null) ? toArray(traces) : null
}

function only(usage: readonly EntryUsage[]): EntryUsage | undefined {
  return usage.length === 1 ? usage[0] : undefined
}

/** `{entry: [calls, credits]}`. Not by assignment, since an API may be called like a property of every object. */
function toJson(usage: readonly EntryUsage[]): string {
  const parts = usage.map(({ entry, calls, credits }) => `${JSON.stringify(entry)}:[${calls},${credits}]`)
  return `{${parts.join(",")}}`
}
