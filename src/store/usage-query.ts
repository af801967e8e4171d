import { cutPage, readOverAccounts } from "./account-pages.ts"
import type { Page } from "./admin-store.ts"
import { placeOf } from "./list-page.ts"
import type { Run } from "./rows.ts"
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

/** Reads a page of sums. Sums of all accounts are read in steps of some accounts. */
export async function readUsage(
  query: UsageQuery,
  page: Page,
  { read, dialect, usageMonthsUntil }: UsageParts,
): Promise<UsagePage> {
  const after = placeOf(page, ["string", "string", "string", "string"])
  const { limit } = page
  const part = { monthsUntil: await usageMonthsUntil(), after, most: limit + 1 }
  const sumsOf = (ids: readonly string[]) => read<UsageSum>(...selectUsage(query, ids, dialect, part))
  const totalsOf = (some: UsageQuery, of = part) => read<UsageSum>(...selectTotals(some, dialect, of))
  const { accountIds, by } = query
  if (accountIds !== undefined) return cutPage(await sumsOf(accountIds), limit, toPlace)
  if (!by.includes("account")) return cutPage(await totalsOf(query), limit, toPlace)
  // Few APIs are used by few, or not at all; then no account has to be looked at.
  const isChosen = query.api !== undefined || query.deprecated === true
  if (isChosen && (await totalsOf({ ...query, by: [] }, { ...part, after: null })).length === 0)
    return { sums: [], next: null }
  return readOverAccounts(read, {
    ...{ from: after?.[0] ?? "", limit, most: maxAccounts, sumsOf, placeOf: toPlace },
    step: Math.min(maxStep, Math.max(fewestInStep, Math.floor(daysPerStep / countDays(query)))),
    endOf: (id) => [id, lastKey, "", ""],
  })
}

function countDays({ fromDay, toDay }: UsageQuery): number {
  return (Date.parse(toDay) - Date.parse(fromDay > firstDay ? fromDay : firstDay)) / dayMs + 1
}

function toPlace({ account, key, day, api }: UsageSum): UsagePlace {
  return [account, key, day, api]
}
