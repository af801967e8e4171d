import { InputRejected } from "../apis/contract.ts"
import type { Page } from "./admin-store.ts"
import {
  type CallsSum,
  type CreditsPage,
  type CreditsQuery,
  type CreditsSum,
  type FaultSum,
  type History,
  hourMs,
  latencyColumns,
} from "./history.ts"
import { type Run, readAccountIds, type TextList } from "./rows.ts"

/** Rows of accounts that are read at once. */
const maxRows = 20_000
/** A page with few results ends after this number of accounts. */
const maxAccounts = 2_048
const maxStep = 512

interface HistoryReadParts {
  readonly read: Run
  readonly texts: TextList
  /** A condition that comes first, so that a long read can be ended. */
  readonly alive: string
}

/** The queries of the history, in any kind of store. */
export function prepareHistoryReads(
  parts: HistoryReadParts,
): Pick<History, "calls" | "charges" | "faults" | "credits"> {
  const { read } = parts
  const { selectCalls, selectCharges, selectFaults } = selects(parts.alive)
  return {
    async calls({ fromMs, toMs, stepMs, api }) {
      const rows = await read<CallsRow>(selectCalls, [fromMs, toMs, stepMs, api ?? null])
      return rows.map(toCallsSum)
    },
    charges: ({ fromMs, toMs, stepMs }) => read(selectCharges, [fromMs, toMs, stepMs]),
    faults: ({ fromMs, toMs, api }) => read<FaultSum>(selectFaults, [fromMs, toMs, api ?? null]),
    credits: (query, page) => readCredits(query, page, parts),
  }
}

/** Reads a page in steps of some accounts, so that each step and each page takes a bounded time. */
async function readCredits(
  query: CreditsQuery,
  page: Page,
  { read, texts }: HistoryReadParts,
): Promise<CreditsPage> {
  const { fromMs, toMs, stepMs } = query
  const sumsOf = (accounts: readonly string[]) =>
    read<CreditsSum>(selectCredits(texts.isIn("$4")), [fromMs, toMs, stepMs, texts.toParameter(accounts)])
  const after = placeOf(page)
  const isAfter = ({ account, atMs }: CreditsSum) => after === null || account !== after[0] || atMs > after[1]
  if (query.account !== undefined)
    return cut((await sumsOf([query.account])).filter(isAfter), page.limit, null)
  const hours = Math.ceil((toMs - fromMs) / hourMs)
  const step = Math.max(1, Math.min(maxStep, Math.floor(maxRows / Math.max(1, hours))))
  const found: CreditsSum[] = []
  let from = { id: after?.[0] ?? "", isIncluded: true }
  for (let seen = 0; ; ) {
    const ids = await readAccountIds(read, from, step)
    const last = ids.at(-1)
    if (last === undefined) return cut(found, page.limit, null)
    found.push(...(await sumsOf(ids)).filter(isAfter))
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

type CallsRow = Omit<CallsSum, "latency"> & Readonly<Record<string, number>>

function toCallsSum({ atMs, api, calls, errors, ...more }: CallsRow): CallsSum {
  return { atMs, api, calls, errors, latency: latencyColumns.map((column) => more[column] ?? 0) }
}

/**
 * Exact up to 2^53. To add up 64-bit integers, PostgreSQL would make decimal numbers of them, which takes three times as long.
 */
const sum = (column: string) => `sum(${column}::float8) AS ${column}`
const isInTime = "at_ms >= $1::bigint AND at_ms < $2::bigint"
const stepStart = `(at_ms - at_ms % $3::bigint)::float8 AS "atMs"`

const selects = (alive: string) => ({
  selectCalls: `
    SELECT ${stepStart}, api, ${["calls", "errors", ...latencyColumns].map(sum).join(", ")} FROM history_calls
    WHERE ${alive} AND ${isInTime} AND ($4::text IS NULL OR api = $4::text) GROUP BY 1, 2 ORDER BY 1, 2`,
  selectCharges: `
    SELECT ${stepStart}, sum(charged::float8) AS calls, ${sum("credits")} FROM history_calls
    WHERE ${alive} AND ${isInTime} GROUP BY 1 HAVING sum(charged) > 0 ORDER BY 1`,
  selectFaults: `
    SELECT api, fault, ${sum("calls")}, min(first_ms)::float8 AS "firstMs", max(last_ms)::float8 AS "lastMs" FROM history_faults
    WHERE ${alive} AND ${isInTime} AND ($3::text IS NULL OR api = $3::text) GROUP BY api, fault`,
})

const selectCredits = (isInAccounts: string) => `
  SELECT account_id AS account, ${stepStart}, ${sum("calls")}, ${sum("credits")}
  FROM history_credits WHERE account_id ${isInAccounts} AND ${isInTime} GROUP BY 1, 2 ORDER BY 1, 2`
