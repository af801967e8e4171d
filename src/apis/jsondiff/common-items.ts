import { isEqual } from "./equal.ts"

type Items = readonly unknown[]
/** The work that is left, in cells of tables and characters of items. */
interface Budget {
  left: number
}
/** The indexes of an item in both lists. */
type Common = readonly [old: number, now: number]

/**
 * The items that stay when one list becomes another, in their order: as many as possible (longest common subsequence). If that
 * takes more work than the budget, only those at both ends.
 * @param budget is reduced by the work that was done
 */
export function findCommonItems(old: Items, now: Items, budget: Budget): readonly Common[] {
  let start = 0
  while (start < old.length && start < now.length && isEqual(old[start], now[start])) start++
  let [oldEnd, nowEnd] = [old.length, now.length]
  while (oldEnd > start && nowEnd > start && isEqual(old[oldEnd - 1], now[nowEnd - 1])) {
    oldEnd--
    nowEnd--
  }
  const between = findBetween(old.slice(start, oldEnd), now.slice(start, nowEnd), budget)
  return [
    ...Array.from({ length: start }, (_, index) => [index, index] as const),
    ...between.map(([one, other]) => [one + start, other + start] as const),
    ...Array.from({ length: old.length - oldEnd }, (_, index) => [oldEnd + index, nowEnd + index] as const),
  ]
}

function findBetween(old: Items, now: Items, budget: Budget): readonly Common[] {
  // Two single items differ: otherwise they would be among those at the ends.
  if (old.length * now.length <= 1) return []
  const numbers = new Map<string, number>()
  const numberOf = (item: unknown) => {
    if (budget.left < 0) return -1
    const text = canonical(item)
    budget.left -= text.length
    return numbers.getOrInsert(text, numbers.size)
  }
  const [olds, nows] = [old.map(numberOf), now.map(numberOf)]
  return budget.left < 0 ? [] : longestCommon(olds, nows, budget)
}

/**
 * The longest common subsequence, by the greedy algorithm of E. W. Myers, "An O(ND) Difference Algorithm and Its Variations"
 * (1986). Empty if the budget does not last.
 */
function longestCommon(old: readonly number[], now: readonly number[], budget: Budget): readonly Common[] {
  const middle = old.length + now.length + 1
  /** How far the old list is read on each diagonal. A diagonal is the difference of the indexes in both lists. */
  const reached = new Int32Array(2 * middle + 1)
  /** `reached` after each number of removed and added items, for the diagonals that are possible with that number. */
  const history: Int32Array[] = []
  for (let edits = 0; ; edits++) {
    history.push(reached.slice(middle - edits, middle + edits + 1))
    budget.left -= 2 * edits + 1
    if (budget.left < 0) return []
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const isAdded = diagonal === -edits || (diagonal !== edits && at(diagonal - 1) < at(diagonal + 1))
      let oldAt = isAdded ? at(diagonal + 1) : at(diagonal - 1) + 1
      while (oldAt < old.length && old[oldAt] === now[oldAt - diagonal]) oldAt++
      reached[middle + diagonal] = oldAt
      if (oldAt >= old.length && oldAt - diagonal >= now.length)
        return goBack(old.length, now.length, history)
    }
  }

  function at(diagonal: number): number {
    return reached[middle + diagonal] ?? 0
  }
}

/** The equal items, found by going back from the ends of both lists through `history`. */
function goBack(oldEnd: number, nowEnd: number, history: readonly Int32Array[]): readonly Common[] {
  const common: Common[] = []
  let [oldAt, nowAt] = [oldEnd, nowEnd]
  for (let edits = history.length - 1; edits >= 0; edits--) {
    const before = (diagonal: number) => history[edits]?.[diagonal + edits] ?? 0
    const diagonal = oldAt - nowAt
    const isAdded = diagonal === -edits || (diagonal !== edits && before(diagonal - 1) < before(diagonal + 1))
    const from = edits === 0 ? 0 : isAdded ? before(diagonal + 1) : before(diagonal - 1)
    const start = edits === 0 ? 0 : isAdded ? from : from + 1
    while (oldAt > start) common.push([--oldAt, --nowAt])
    if (edits > 0) {
      oldAt = from
      nowAt = isAdded ? from - diagonal - 1 : from - diagonal + 1
    }
  }
  return common.reverse()
}

/** JSON with sorted members: equal values have the same text. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )
}
