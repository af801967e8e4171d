import { InputRejected } from "../apis/contract.ts"
import type { Page, UsagePage, UsagePlace, UsageQuery, UsageSum } from "./admin-store.ts"

/** How a kind of store sums up usage. */
export interface UsageParts {
  /** Ids of accounts in the order of the store, from one on or after it. */
  accounts(
    from: { readonly id: string; readonly isIncluded: boolean },
    limit: number,
  ): Promise<readonly string[]>
  /** The sums of some accounts, in any order. */
  sums(query: UsageQuery, accountIds: readonly string[]): Promise<readonly UsageSum[]>
  /** The sums of all accounts together. */
  totals(query: UsageQuery): Promise<readonly UsageSum[]>
}

/** A page with few results ends after so many accounts. */
const maxAccounts = 1_024
/** Accounts in the first step. A step has twice the accounts of the one before. */
const firstStep = 16
const maxStep = 256
/** After every key of an account. */
const lastKey = "\uffff"

/**
 * Reads a page of sums in steps of some accounts, until the page is full or enough accounts were looked at. So each page takes a
 * bounded time, however many accounts there are and however few of them were used.
 */
export async function readUsage(query: UsageQuery, page: Page, parts: UsageParts): Promise<UsagePage> {
  const after = placeOf(page)
  const { accountId, by } = query
  if (accountId !== undefined)
    return cut(sorted(await parts.sums(query, [accountId]), after), page.limit, null)
  if (!by.includes("account")) return cut(sorted(await parts.totals(query), after), page.limit, null)
  // Few APIs are used by few, or not at all; then no account has to be looked at.
  const isChosen = query.api !== undefined || query.deprecated === true
  if (isChosen && (await parts.totals({ ...query, by: [] })).length === 0) return { sums: [], next: null }

  const found: UsageSum[] = []
  let from = { id: after?.[0] ?? "", isIncluded: true }
  let size = firstStep
  for (let seen = 0; ; ) {
    const ids = await parts.accounts(from, size)
    const last = ids.at(-1)
    if (last === undefined) return cut(found, page.limit, null)
    const sums = await parts.sums(query, ids)
    const byAccount = Map.groupBy(sums, ({ account }) => account)
    for (const id of ids) found.push(...sorted(byAccount.get(id) ?? [], after))
    seen += ids.length
    if (found.length > page.limit || seen >= maxAccounts)
      return cut(found, page.limit, [last, lastKey, "", ""])
    from = { id: last, isIncluded: false }
    size = Math.min(size * 2, maxStep)
  }
}

/** @param next where to go on when all sums fit in the page */
function cut(sums: readonly UsageSum[], limit: number, next: UsagePlace | null): UsagePage {
  if (sums.length <= limit) return { sums, next }
  const shown = sums.slice(0, limit)
  const last = shown.at(-1)
  return { sums: shown, next: last ? [last.account, last.key, last.day, last.api] : null }
}

/** Of one account, or of all together: the sums after a place, in order. */
function sorted(sums: readonly UsageSum[], after: UsagePlace | null): readonly UsageSum[] {
  const isAfter = ({ account, key, day, api }: UsageSum) =>
    after === null || account !== after[0] || compare([account, key, day, api], after) > 0
  return sums.filter(isAfter).sort((a, b) => compare(toPlace(a), toPlace(b)))
}

function toPlace({ account, key, day, api }: UsageSum): UsagePlace {
  return [account, key, day, api]
}

function compare([, key, day, api]: UsagePlace, [, otherKey, otherDay, otherApi]: UsagePlace): number {
  return compareTexts(key, otherKey) || compareTexts(otherDay, day) || compareTexts(api, otherApi)
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
