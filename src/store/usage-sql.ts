import type { Parameter, TextList } from "./rows.ts"
import type { UsageColumn, UsagePlace, UsageQuery } from "./usage-types.ts"

/** The parts of queries about usage that differ between kinds of stores. */
export interface UsageDialect {
  readonly texts: TextList
  /** A condition that comes first, so that a long read can be ended. */
  readonly alive: string
  /** The rows of the days in `ledger`, with columns account_id, day, key_id, api, calls and credits; the condition is added. */
  readonly openDays: string
  /** Rows of the usage of all accounts together, with columns day, api, calls and credits. */
  readonly totals: string
}

/** The part of the sums that is read. */
interface UsagePart {
  /** Until when usage is kept by month, as AdminStore says it. */
  readonly monthsUntil: string | null
  /** The sum before the first one; null to begin at the start. */
  readonly after: UsagePlace | null
  readonly most: number
}

const columns: Readonly<Record<UsageColumn, string>> = {
  account: "account_id",
  key: "key_id",
  day: "day",
  api: "api",
}

/** A statement with its parameters. */
type Select = readonly [sql: string, values: readonly Parameter[]]

/** A statement with its parameters, and what adds one. */
function createValues(...values: string[]) {
  return { values, add: (value: string) => `$${values.push(value)}::text` }
}

/**
 * Selects sums of some accounts. Days that are over are in `usage`, divided by keys in `key_usage`; the last day of each account
 * is in `ledger`.
 */
export function selectUsage(
  query: UsageQuery,
  accountIds: readonly string[],
  { texts, alive, openDays }: UsageDialect,
  part: UsagePart,
): Select {
  const { by, fromDay, toDay, keyId } = query
  const { values, add } = createValues(texts.toParameter(accountIds))
  const isInDays = `day BETWEEN ${add(fromDay)} AND ${add(toDay)}`
  const where = `${alive} AND account_id ${texts.isIn("$1")} AND ${isInDays}`
  const key = keyId === undefined ? null : add(keyId)
  const withoutKeys = `SELECT account_id, day, '' AS key_id, api, calls, credits FROM usage WHERE ${where}`
  const byKeys = `SELECT account_id, day, key_id, api, calls, credits FROM key_usage WHERE `
  const ofNoKey = `SELECT account_id, day, '' AS key_id, api, calls - key_calls, credits - key_credits FROM usage
    WHERE ${where} AND (calls > key_calls OR credits > key_credits)`
  const overDays =
    key !== null
      ? [`${byKeys} ${alive} AND key_id = ${key} AND ${isInDays}`]
      : by.includes("key")
        ? [byKeys + where, ofNoKey]
        : [withoutKeys]
  const rows = [...overDays, `${openDays} WHERE ${where}`].join(" UNION ALL ")
  return [toSums(rows, query, part, add, key === null ? [] : [`key_id = ${key}`]), values]
}

/** Selects sums of all accounts together, which charges keep. */
export function selectTotals(query: UsageQuery, { totals }: UsageDialect, part: UsagePart): Select {
  const { values, add } = createValues(query.fromDay, query.toDay)
  const rows = `SELECT '' AS account_id, '' AS key_id, day, api, calls, credits FROM (${totals}) AS t WHERE day BETWEEN $1::text AND $2::text`
  return [toSums(rows, query, part, add), values]
}

/** The sums of some rows after a place, in order. The day of usage that is kept by month is the month, `2025-01`. */
function toSums(
  rows: string,
  query: UsageQuery,
  { monthsUntil, after, most }: UsagePart,
  add: (value: string) => string,
  conditions: readonly string[] = [],
): string {
  const { by } = query
  const day =
    monthsUntil === null
      ? "day"
      : `CASE WHEN day < ${add(monthsUntil)} THEN substr(day, 1, 7) ELSE day END AS day`
  const shown = Object.entries(columns).map(([name, column]) => {
    const isShown = by.some((one) => one === name)
    return `${isShown ? column : "''"} COLLATE "C" AS ${name}`
  })
  const sums = `SELECT ${shown.join(", ")}, sum(calls)::float8 AS calls, sum(credits)::float8 AS credits
    FROM (SELECT account_id, key_id, api, calls, credits, ${day} FROM (${rows}) AS kept) AS u
    WHERE ${[...conditions, ...apiConditions(query, add)].join(" AND ")}
    ${by.length > 0 ? `GROUP BY ${by.map((name) => columns[name]).join(", ")}` : ""} HAVING count(*) > 0`
  return `SELECT * FROM (${sums}) AS sums ${after ? isAfter(after.map(add)) : ""} ORDER BY account, key, day DESC, api LIMIT ${most}`
}

function isAfter([account, key, day, api]: readonly string[]): string {
  return `WHERE (account, key) > (${account}, ${key}) OR ((account, key) = (${account}, ${key})
    AND (day < ${day} OR (day = ${day} AND api > ${api})))`
}

/** The conditions on the column `api`: one API or its deprecated items; otherwise all APIs, or all deprecated items. */
function apiConditions(
  { api, deprecated = false }: Pick<UsageQuery, "api" | "deprecated">,
  add: (value: string) => string,
): readonly string[] {
  const kind = deprecated ? "api LIKE '%:%'" : "api NOT LIKE '%:%'"
  if (api === undefined) return [kind]
  const text = add(deprecated ? `${api}:` : api)
  return [kind, `${deprecated ? `substr(api, 1, length(${text}))` : "api"} = ${text}`]
}
