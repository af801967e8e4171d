import { InputRejected } from "../apis/contract.ts"
import type { Page } from "./admin-store.ts"
import { type Run, readAccountIds } from "./rows.ts"
import { selectTotals, selectUsage, type UsageDialect } from "./usage-sql.ts"
import type { UsagePage, UsagePlace, UsageQuery, UsageSum } from "./usage-types.ts"

/** A page with few results ends after this number of accounts. */
const maxAccounts = 1_024
/** Accounts in the first step. A step has twice the accounts of the one before. */
const firstStep = 16
const maxStep = 256
const fewestInStep = 8
/** Days of all accounts of a step together. An account has some rows for each day, or very many with many keys. */
const daysPerStep = 8_192
/** Days of named accounts that are read at once. */
const daysPerWindow = 92
/** Reads of named accounts at most: 64 years, and the time after them at once. */
const maxWindows = 256
/** No clock is earlier. */
const firstDay = "1970-01-01"
const dayMs = 86_400_000
/** After every key of an account. */
const lastKey = "\uffff"

/** How a kind of store reads usage. */
interface UsageParts {
  readonly read: Run
  readonly dialect: UsageDialect
  /** As that of AdminStore. */
  readonly usageMonthsUntil: () => Promise<string | null>
}

/**
 * Reads a page of sums in steps of some accounts, until the page is full or enough accounts were looked at. So each page takes a
 * bounded time, however many accounts there are and however few of them were used.
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
  if (accountIds !== undefined) {
    const inDays = (days: Days) => read<UsageSum>(...selectUsage({ ...query, ...days }, accountIds, kept))
    return cut(sorted(await readWindows(query, inDays), after), page.limit, null)
  }
  if (!by.includes("account")) return cut(sorted(await totalsOf(query), after), page.limit, null)
  // Few APIs are used by few, or not at all; then no account has to be looked at.
  const isChosen = query.api !== undefined || query.deprecated === true
  if (isChosen && (await totalsOf({ ...query, by: [] })).length === 0) return { sums: [], next: null }

  const found: UsageSum[] = []
  let from = { id: after?.[0] ?? "", isIncluded: true }
  const most = Math.min(maxStep, Math.max(fewestInStep, Math.floor(daysPerStep / countDays(query))))
  let size = Math.min(firstStep, most)
  for (let seen = 0; ; ) {
    const ids = await readAccountIds(read, from, size)
    const last = ids.at(-1)
    if (last === undefined) return cut(found, page.limit, null)
    found.push(...sorted(await sumsOf(ids), after))
    seen += ids.length
    if (found.length > page.limit || seen >= maxAccounts)
      return cut(found, page.limit, [last, lastKey, "", ""])
    from = { id: last, isIncluded: false }
    size = Math.min(size * 2, most)
  }
}

type Days = Pick<UsageQuery, "fromDay" | "toDay">

function countDays({ fromDay, toDay }: Days): number {
  return (Date.parse(toDay) - startOf(fromDay)) / dayMs + 1
}

function startOf(fromDay: string): number {
  return Date.parse(fromDay > firstDay ? fromDay : firstDay)
}

/** Reads the sums of some days at a time, and adds them up. */
async function readWindows(
  { fromDay, toDay }: Days,
  read: (days: Days) => Promise<readonly UsageSum[]>,
): Promise<readonly UsageSum[]> {
  const found = new Map<string, UsageSum>()
  const dayAt = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  const endMs = Date.parse(toDay)
  let startMs = startOf(fromDay)
  for (let window = 1; startMs <= endMs; window++) {
    const lastMs = window < maxWindows ? Math.min(startMs + (daysPerWindow - 1) * dayMs, endMs) : endMs
    for (const sum of await read({ fromDay: dayAt(startMs), toDay: dayAt(lastMs) })) {
      const name = JSON.stringify(toPlace(sum))
      const { calls = 0, credits = 0 } = found.get(name) ?? {}
      found.set(name, { ...sum, calls: sum.calls + calls, credits: sum.credits + credits })
    }
    startMs = lastMs + dayMs
  }
  return [...found.values()]
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
