import { InputRejected } from "../apis/contract.ts"
import type { Page } from "./admin-store.ts"
import {
  type CallsQuery,
  type CreditsPage,
  type CreditsQuery,
  type CreditsSum,
  type FaultSum,
  hourMs,
} from "./history.ts"

/** Rows of accounts that are read at once. */
const maxRows = 20_000
/** A page with few results ends after this number of accounts. */
const maxAccounts = 2_048
const maxStep = 512

/** Divides a time into windows that begin with a step, and are of about a size. */
function windowsOf({ fromMs, toMs, stepMs }: CallsQuery, windowMs: number): readonly CallsQuery[] {
  const sizeMs = Math.ceil(windowMs / stepMs) * stepMs
  const windows: CallsQuery[] = []
  for (let startMs = fromMs; startMs < toMs; ) {
    const endMs = Math.min(startMs - (startMs % stepMs) + sizeMs, toMs)
    windows.push({ fromMs: startMs, toMs: endMs, stepMs })
    startMs = endMs
  }
  return windows
}

/**
 * Reads the sums of each window in turn.
 * @param windowMs the time that is read at once
 */
export async function readWindows<Sum>(
  query: CallsQuery,
  windowMs: number,
  read: (window: CallsQuery) => Promise<readonly Sum[]>,
): Promise<readonly Sum[]> {
  const found: Sum[] = []
  for (const window of windowsOf(query, windowMs)) found.push(...(await read({ ...window, api: query.api })))
  return found
}

/** As {@link readWindows}, and adds the windows up. */
export async function readFaults(
  query: Omit<CallsQuery, "stepMs">,
  windowMs: number,
  read: (window: CallsQuery) => Promise<readonly FaultSum[]>,
): Promise<readonly FaultSum[]> {
  const found = new Map<string, FaultSum>()
  for (const window of windowsOf({ ...query, stepMs: hourMs }, windowMs)) {
    for (const sum of await read({ ...window, api: query.api })) {
      const name = `${sum.fault} ${sum.api}`
      const known = found.get(name)
      found.set(name, known ? { ...known, calls: known.calls + sum.calls, lastMs: sum.lastMs } : sum)
    }
  }
  return [...found.values()]
}

/** How a kind of store reads the charges of accounts. */
export interface CreditsParts {
  /** Ids of accounts in the order of the store, from one on or after it. */
  accounts(
    from: { readonly id: string; readonly isIncluded: boolean },
    limit: number,
  ): Promise<readonly string[]>
  /** The sums of some accounts, sorted by account and time. */
  sums(query: CreditsQuery, accounts: readonly string[]): Promise<readonly CreditsSum[]>
}

/** Reads a page in steps of some accounts, so that each step and each page takes a bounded time. */
export async function readCredits(
  query: CreditsQuery,
  page: Page,
  parts: CreditsParts,
): Promise<CreditsPage> {
  const after = placeOf(page)
  const isAfter = ({ account, atMs }: CreditsSum) => after === null || account !== after[0] || atMs > after[1]
  if (query.account !== undefined)
    return cut((await parts.sums(query, [query.account])).filter(isAfter), page.limit, null)
  const hours = Math.ceil((query.toMs - query.fromMs) / hourMs)
  const step = Math.max(1, Math.min(maxStep, Math.floor(maxRows / Math.max(1, hours))))
  const found: CreditsSum[] = []
  let from = { id: after?.[0] ?? "", isIncluded: true }
  for (let seen = 0; ; ) {
    const ids = await parts.accounts(from, step)
    const last = ids.at(-1)
    if (last === undefined) return cut(found, page.limit, null)
    found.push(...(await parts.sums(query, ids)).filter(isAfter))
    seen += ids.length
    if (found.length > page.limit || seen >= maxAccounts)
      return cut(found, page.limit, [last, Number.MAX_SAFE_INTEGER])
    from = { id: last, isIncluded: false }
  }
}

/** @param next where to go on when all sums fit in the page */
function cut(sums: readonly CreditsSum[], limit: number, next: CreditsPage["next"]): CreditsPage {
  if (sums.length <= limit) return { sums, next }
  const shown = sums.slice(0, limit)
  const last = shown.at(-1)
  return { sums: shown, next: last ? [last.account, last.atMs] : null }
}

function placeOf({ after }: Page): readonly [account: string, atMs: number] | null {
  if (after === null) return null
  const [account, atMs, ...more] = after
  if (typeof account === "string" && typeof atMs === "number" && more.length === 0) return [account, atMs]
  throw new InputRejected("after", "must be the 'next' of a page of this list")
}
