import {
  type CallsQuery,
  type CallsSum,
  type CreditsSum,
  type FaultSum,
  type History,
  latencyColumns,
} from "./history.ts"
import { readCredits, readFaults, readWindows } from "./history-query.ts"
import { type Run, readAccountIds, type TextList } from "./rows.ts"

interface HistoryReadParts {
  readonly read: Run
  readonly texts: TextList
  /** The time that one statement reads. */
  readonly windowMs: number
}

/** The queries of the history, in any kind of store. */
export function prepareHistoryReads({
  read,
  texts,
  windowMs,
}: HistoryReadParts): Pick<History, "calls" | "charges" | "faults" | "credits"> {
  return {
    calls: (query) =>
      readWindows(query, windowMs, async ({ fromMs, toMs, stepMs, api }) => {
        const rows = await read<CallsRow>(selectCalls, [fromMs, toMs, stepMs, api ?? null])
        return rows.map(toCallsSum)
      }),
    charges: (query) =>
      readWindows(query, windowMs, ({ fromMs, toMs, stepMs }) => read(selectCharges, [fromMs, toMs, stepMs])),
    faults: (query) =>
      readFaults(query, windowMs, ({ fromMs, toMs, api }: CallsQuery) =>
        read<FaultSum>(selectFaults, [fromMs, toMs, api ?? null]),
      ),
    credits: (query, page) =>
      readCredits(query, page, {
        accounts: (from, limit) => readAccountIds(read, from, limit),
        sums: ({ fromMs, toMs, stepMs }, accounts) =>
          read<CreditsSum>(selectCredits(texts.isIn("$4")), [
            fromMs,
            toMs,
            stepMs,
            texts.toParameter(accounts),
          ]),
      }),
  }
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

const selectCalls = `
  SELECT ${stepStart}, api, ${["calls", "errors", ...latencyColumns].map(sum).join(", ")}
  FROM history_calls WHERE ${isInTime} AND ($4::text IS NULL OR api = $4::text) GROUP BY 1, 2 ORDER BY 1, 2`

const selectCharges = `
  SELECT ${stepStart}, sum(charged::float8) AS calls, ${sum("credits")}
  FROM history_calls WHERE ${isInTime} GROUP BY 1 HAVING sum(charged) > 0 ORDER BY 1`

const selectFaults = `
  SELECT api, fault, ${sum("calls")}, min(first_ms)::float8 AS "firstMs", max(last_ms)::float8 AS "lastMs"
  FROM history_faults WHERE ${isInTime} AND ($3::text IS NULL OR api = $3::text) GROUP BY api, fault`

const selectCredits = (isInAccounts: string) => `
  SELECT account_id AS account, ${stepStart}, ${sum("calls")}, ${sum("credits")}
  FROM history_credits WHERE account_id ${isInAccounts} AND ${isInTime} GROUP BY 1, 2 ORDER BY 1, 2`
