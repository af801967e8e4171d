import type { Parameter, TextList } from "./rows.ts"
import type { UsageColumn, UsageQuery } from "./usage-types.ts"

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

/** Until when usage is kept by month, as AdminStore says it. */
interface UsageMonths {
  readonly monthsUntil: string | null
}

const columns: Readonly<Record<UsageColumn, string>> = {
  account: "account_id",
  key: "key_id",
  day: "day",
  api: "api",
}

/** A statement with its parameters. */
type Select = readonly [sql: string, values: readonly Parameter[]]

/** The rows of a SELECT with the month, `2025-01`, as the day of usage that is kept by month. */
function withMonths(from: string, untilDay: string | null, add: (value: string) => string): string {
  if (untilDay === null) return from
  return `SELECT account_id, key_id, api, calls, credits, CASE WHEN day < ${add(untilDay)} THEN substr(day, 1, 7) ELSE day END AS day
    FROM (${from}) AS kept`
}

/**
 * Selects sums of some accounts. Days that are over are in `usage`, divided by keys in `key_usage`; the last day of each account
 * is in `ledger`.
 */
export function selectUsage(
  query: UsageQuery,
  accountIds: readonly string[],
  { texts, alive, openDays, monthsUntil }: Omit<UsageDialect, "totals"> & UsageMonths,
): Select {
  const { by, fromDay, toDay, keyId } = query
  const values = [texts.toParameter(accountIds)]
  const add = (value: string) => `$${values.push(value)}::text`
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
  const conditions = [key && `key_id = ${key}`, ...apiConditions(query, add)].filter(Boolean)
  const shown = Object.entries(columns).map(([name, column]) => {
    const isShown = by.some((one) => one === name)
    return `${isShown ? column : "''"} AS "${name}"`
  })
  const grouped = by.map((name) => columns[name])
  const sql = `SELECT ${shown.join(", ")}, sum(calls)::float8 AS calls, sum(credits)::float8 AS credits
    FROM (${withMonths([...overDays, `${openDays} WHERE ${where}`].join(" UNION ALL "), monthsUntil, add)}) AS u
    WHERE ${conditions.join(" AND ")}
    ${grouped.length > 0 ? `GROUP BY ${grouped.join(", ")}` : "HAVING count(*) > 0"}`
  return [sql, values]
}

/** Selects sums of all accounts together, which charges keep. */
export function selectTotals(
  query: UsageQuery,
  { totals, monthsUntil }: Pick<UsageDialect, "totals"> & UsageMonths,
): Select {
  const { by, fromDay, toDay } = query
  const values = [fromDay, toDay]
  const add = (value: string) => `$${values.push(value)}::text`
  const conditions = apiConditions(query, add)
  const inDays = `SELECT '' AS account_id, '' AS key_id, day, api, calls, credits FROM (${totals}) AS t WHERE day BETWEEN $1::text AND $2::text`
  const grouped = by.filter((name) => name === "day" || name === "api")
  const column = (name: "day" | "api") => `${by.includes(name) ? name : "''"} AS ${name}`
  const sql = `SELECT '' AS account, '' AS key, ${column("day")}, ${column("api")},
      sum(calls)::float8 AS calls, sum(credits)::float8 AS credits
    FROM (${withMonths(inDays, monthsUntil, add)}) AS u
    WHERE ${conditions.join(" AND ")}
    ${grouped.length > 0 ? `GROUP BY ${grouped.join(", ")}` : ""} HAVING count(*) > 0`
  return [sql, values]
}

/** The conditions on the column `api`: one API or its deprecated items; otherwise all APIs, or all deprecated items. */
function apiConditions(
  { api, deprecated = false }: Pick<UsageQuery, "api" | "deprecated">,
  add: (value: string) => string,
): readonly string[] {
  const kind = deprecated ? "api LIKE '%:%'" : "api NOT LIKE '%:%'"
  if (api === undefined) return [kind]
  return [kind, deprecated ? `api LIKE ${add(`${escapeLike(api)}:%`)} ESCAPE '!'` : `api = ${add(api)}`]
}

function escapeLike(text: string): string {
  return text.replace(/[!%_]/g, (character) => `!${character}`)
}

/**
 * Names the usage of one API by one key within the usage of a day: `hmac key_1`, or `hmac` without a key. Both kinds of stores
 * keep a day's usage under these names, and their SQL splits them at the first space.
 */
export function usageEntry(api: string, keyId: string | undefined): string {
  return keyId === undefined ? api : `${api} ${keyId}`
}

/** The API and the key of a name; the key is empty without one. */
export function splitUsageEntry(name: string): { readonly api: string; readonly keyId: string } {
  const end = name.indexOf(" ")
  return end < 0 ? { api: name, keyId: "" } : { api: name.slice(0, end), keyId: name.slice(end + 1) }
}
