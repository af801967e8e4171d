import type { Charge, ChargeItem } from "../store.ts"
import { toArray } from "./arrays.ts"
import type { ChargeGroup } from "./charge-groups.ts"

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
    column(({ items }) => only(items)?.api ?? null),
    column(({ items }) => only(items)?.calls ?? null),
    column(({ items }) => (only(items) ? null : toJson(items))),
    column(({ charge }) => charge.day),
    column(({ charge }) => charge.revision ?? null),
    column(deadlineOf),
  ]
}

function only(items: readonly ChargeItem[]): ChargeItem | undefined {
  return items.length === 1 ? items[0] : undefined
}

/** `{api: [calls, credits]}`. Not by assignment, since an API may be called like a property of every object. */
function toJson(items: readonly ChargeItem[]): string {
  const parts = items.map(({ api, calls, credits }) => `${JSON.stringify(api)}:[${calls},${credits}]`)
  return `{${parts.join(",")}}`
}
