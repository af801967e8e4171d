import { cutPage, readOverAccounts } from "./account-pages.ts"
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
import { placeOf } from "./list-page.ts"
import type { Run, TextList } from "./rows.ts"

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
    credits: async (query, page) => readCredits(query, page, parts),
  }
}

function readCredits(
  query: CreditsQuery,
  page: Page,
  { read, texts }: HistoryReadParts,
): Promise<CreditsPage> {
  const { fromMs, toMs, stepMs, account } = query
  const { limit } = page
  const after = placeOf(page, ["string", "number"])
  const isAfter = (sum: CreditsSum) => after === null || sum.account !== after[0] || sum.atMs > after[1]
  const sumsOf = async (accounts: readonly string[]) => {
    const values = [fromMs, toMs, stepMs, texts.toParameter(accounts)]
    return (await read<CreditsSum>(selectCredits(texts.isIn("$4")), values)).filter(isAfter)
  }
  if (account !== undefined) return sumsOf([account]).then((sums) => cutPage(sums, limit, toPlace))
  const hours = Math.ceil((toMs - fromMs) / hourMs)
  return readOverAccounts(read, {
    ...{ from: after?.[0] ?? "", limit, most: maxAccounts, sumsOf },
    step: Math.max(1, Math.min(maxStep, Math.floor(maxRows / Math.max(1, hours)))),
    placeOf: toPlace,
    endOf: (id) => [id, Number.MAX_SAFE_INTEGER],
  })
}

function toPlace({ account, atMs }: CreditsSum): NonNullable<CreditsPage["next"]> {
  return [account, atMs]
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
