import { type Charge, sumCredits, usageEntry } from "../store.ts"
import { toArray } from "./connection.ts"

/** Usage by {@link usageEntry}. */
interface EntryUsage {
  readonly entry: string
  readonly calls: number
  readonly credits: number
}

/** Charges of one account under the same terms, which are charged as a whole or not at all. */
export interface ChargeGroup<T extends { readonly charge: Charge }> {
  readonly charge: Charge
  readonly members: readonly T[]
  readonly credits: number
  readonly usage: readonly EntryUsage[]
  /** Whether a call of it has an Idempotency-Key. */
  readonly isIdempotent: boolean
}

/**
 * Groups charges under the same terms that follow each other in their account: a later charge must not be decided before an
 * earlier one under other terms.
 */
export function groupCharges<T extends { readonly charge: Charge }>(pending: readonly T[]): ChargeGroup<T>[] {
  const all: { readonly charge: Charge; readonly members: T[] }[] = []
  const latest = new Map<string, (typeof all)[number]>()
  for (const one of pending) {
    const { charge } = one
    const group = latest.get(charge.accountId)
    if (group && haveSameTerms(group.charge, charge) && !hasKey(group.members, charge.idempotent)) {
      group.members.push(one)
      continue
    }
    const next = { charge, members: [one] }
    latest.set(charge.accountId, next)
    all.push(next)
  }
  return all.map(({ charge, members }) => {
    const usage = sumByEntry(members)
    const isIdempotent = members.some((one) => one.charge.idempotent)
    return { charge, members, usage, credits: sumCredits(usage), isIdempotent }
  })
}

/** Whether one of the charges is for the same Idempotency-Key: the second of two is decided after the first. */
function hasKey(members: readonly { readonly charge: Charge }[], idempotent: Charge["idempotent"]): boolean {
  return idempotent ? members.some(({ charge }) => charge.idempotent?.keyHash === idempotent.keyHash) : false
}

function haveSameTerms(one: Charge, other: Charge): boolean {
  return (
    one.allowance === other.allowance &&
    one.periodStartMs === other.periodStartMs &&
    one.day === other.day &&
    one.revision === other.revision
  )
}

/**
 * The first group of each account, in an order of the accounts that is the same in every process, and the rest: a statement
 * updates a row once, and two statements must not lock the same rows in different orders.
 */
export function splitByAccount<G extends { readonly charge: Charge }>(
  groups: readonly G[],
): [first: G[], rest: G[]] {
  const first = new Map<string, G>()
  const rest: G[] = []
  for (const group of groups) {
    const { accountId } = group.charge
    if (first.has(accountId)) rest.push(group)
    else first.set(accountId, group)
  }
  const sorted = [...first.values()].sort((a, b) => (a.charge.accountId < b.charge.accountId ? -1 : 1))
  return [sorted, rest]
}

function sumByEntry(members: readonly { readonly charge: Charge }[]): readonly EntryUsage[] {
  const all = members.flatMap(({ charge: { items, keyId } }) =>
    items.map(({ api, calls, credits }) => ({ entry: usageEntry(api, keyId), calls, credits })),
  )
  if (all.length === 1) return all
  const sums = new Map<string, EntryUsage>()
  for (const { entry, calls, credits } of all) {
    const sum = sums.get(entry)
    sums.set(entry, { entry, calls: calls + (sum?.calls ?? 0), credits: credits + (sum?.credits ?? 0) })
  }
  return [...sums.values()]
}

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
    column(({ usage }) => (only(usage) ? null : toUsageJson(usage))),
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

/** The arrays of the Idempotency-Keys of the groups: one for each column of `call_replays`, after the numbers of the groups. */
export function toIdempotentColumns<T extends { readonly charge: Charge }>(
  groups: readonly ChargeGroup<T>[],
) {
  const rows = groups.flatMap(({ members }, index) =>
    members.flatMap(({ charge: { accountId, idempotent, items } }) =>
      idempotent ? [{ number: index + 1, accountId, ...idempotent, credits: sumCredits(items) }] : [],
    ),
  )
  return [
    toArray(rows.map(({ number }) => number)),
    toArray(rows.map(({ accountId }) => accountId)),
    toArray(rows.map(({ keyHash }) => keyHash)),
    toArray(rows.map(({ inputHash }) => inputHash)),
    toArray(rows.map(({ nowMs }) => nowMs)),
    toArray(rows.map(({ credits }) => credits)),
  ]
}

function only(usage: readonly EntryUsage[]): EntryUsage | undefined {
  return usage.length === 1 ? usage[0] : undefined
}

/** `{entry: [calls, credits]}`. Not by assignment, since an API may be called like a property of every object. */
function toUsageJson(usage: readonly EntryUsage[]): string {
  const parts = usage.map(({ entry, calls, credits }) => `${JSON.stringify(entry)}:[${calls},${credits}]`)
  return `{${parts.join(",")}}`
}
