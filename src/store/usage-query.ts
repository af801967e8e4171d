import { InputRejected } from "../apis/contract.ts"
import type { Page } from "./admin-store.ts"
import { type Run, readAccountIds } from "./rows.ts"
import { selectTotals, selectUsage, type UsageDialect } from "./usage-sql.ts"
import type { UsagePage, UsagePlace, UsageQuery, UsageSum } from "./usage-types.ts"

/** A page with few results ends after this number of accounts. */
const maxAccounts = 1_024
const maxStep = 256
const fewestInStep = 8
/** Days of all accounts of a step together. An account has some rows for each day, or very many with many keys. */
const daysPerStep = 8_192
/** No clock is earlier. */
const firstDay = "1970-01-01"
const dayMs = 86_400_000
/** After every key of an account. */
const lastKey = "\uffff"

/** How a kind of store reads usage. */
interface UsageParts {
  readonly read: Run
  readonly dialect: UsageDialect
  /** The same as in AdminStore. */
  readonly usageMonthsUntil: () => Promise<string | null>
}

/**
 * Reads a page of sums. Sums of all accounts are read in steps of some accounts, until the page is full or enough accounts were
 * looked at.
 */
export async function readUsage(
  query: UsageQuery,
  page: Page,
  { read, dialect, usageMonthsUntil }: UsageParts,
): Promise<UsagePage> {
  const kept = { ...dialect, monthsUntil: await usageMonthsUntil() }
  const sumsOf = (ids: readonly string[]) => read<UsageSum>(...selectUsage(query, ids, kept))
  const totalsOf = (some: UsageQuery) => read<UsageSum>(...selectTotals(some, kept))
  const after = placeOf(page)
  const { accountIds, by } = query
  if (accountIds !== undefined) return cut(sorted(await sumsOf(accountIds), after), page.limit, null)
  if (!by.includes("account")) return cut(sorted(await totalsOf(query), after), page.limit, null)
  // Few APIs are used by few, or not at all; then no account has to be looked at.
  const isChosen = query.api !== undefined || query.deprecated === true
  if (isChosen && (await totalsOf({ ...query, by: [] })).length === 0) return { sums: [], next: null }

  const found: UsageSum[] = []
  let from = { id: after?.[0] ?? "", isIncluded: true }
  const step = Math.min(maxStep, Math.max(fewestInStep, Math.floor(daysPerStep / countDays(query))))
  for (let seen = 0; ; ) {
    const ids = await readAccountIds(read, from, step)
    const last = ids.at(-1)
    if (last === undefined) return cut(found, page.limit, null)
    found.push(...sorted(await sumsOf(ids), after))
    seen += ids.length
    if (found.length > page.limit || seen >= maxAccounts)
      return cut(found, page.limit, [last, lastKey, "", ""])
    from = { id: last, isIncluded: false }
  }
}

function countDays({ fromDay, toDay }: UsageQuery): number {
  return (Date.parse(toDay) - Date.parse(fromDay > firstDay ? fromDay : firstDay)) / dayMs + 1
}

/** @param next where to go on when all sums fit in the page */
function cut(sums: readonly UsageSum[], limit: number, next: UsagePlace | null): UsagePage {
  if (sums.length <= limit) return { sums, next }
  const shown = sums.slice(0, limit)
  const last = shown.at(-1)
  return { sums: shown, next: last ? [last.account, last.key, last.day, last.api] : null }
}

/** The sums after a place, in order. */
function sorted(sums: readonly UsageSum[], after: UsagePlace | null): readonly UsageSum[] {
  const isAfter = (sum: UsageSum) => after === null || compare(toPlace(sum), after) > 0
  return sums.filter(isAfter).sort((a, b) => compare(toPlace(a), toPlace(b)))
}

function toPlace({ account, key, day, api }: UsageSum): UsagePlace {
  return [account, key, day, api]
}

function compare(
  [account, key, day, api]: UsagePlace,
  [otherAccount, otherKey, otherDay, otherApi]: UsagePlace,
): number {
  return (
    compareTexts(account, otherAccount) ||
    compareTexts(key, otherKey) ||
    compareTexts(otherDay, day) ||
    compareTexts(api, otherApi)
  )
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

function placeOf({ after }: Page): UsagePlace | null {
  if (after === null) return null
  const [account, key, day, api, ...more] = after
  const isPlace = [account, key, day, api].every((part) => typeof part === "string") && more.length === 0
  if (!isPlace) throw new InputRejected("after", "must be the 'next' of a page of this list")
  return [String(account), String(key), String(day), String(api)]
}
