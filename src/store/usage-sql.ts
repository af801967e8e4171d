import type { UsageColumn, UsageQuery } from "./admin-store.ts"

/** What differs between kinds of stores. */
export interface UsageDialect {
  /** The condition that `account_id` is one of the ids in the parameter. */
  readonly isInAccounts: (placeholder: string) => string
  /** The rows of the days in `ledger`, with columns account_id, day, key_id, api, calls and credits; the condition is added. */
  readonly openDays: string
  readonly placeholder: (number: number) => string
  /** A sum as a number. */
  readonly sum: (column: string) => string
}

const columns: Readonly<Record<UsageColumn, string>> = {
  account: "account_id",
  key: "key_id",
  day: "day",
  api: "api",
}

/**
 * Selects sums of some accounts, whose ids are the first parameter as one text. Days that are over are in `usage`, divided by keys
 * in `key_usage`; the last day of each account is in `ledger`.
 */
export function selectUsage(
  query: UsageQuery,
  { isInAccounts, openDays, placeholder, sum }: UsageDialect,
): { readonly sql: string; readonly values: readonly string[] } {
  const { by, fromDay, toDay, keyId } = query
  const values: string[] = []
  // The first one is the list of accounts.
  const add = (value: string) => placeholder(values.push(value) + 1)
  const isInDays = `day BETWEEN ${add(fromDay)} AND ${add(toDay)}`
  const where = `${isInAccounts(placeholder(1))} AND ${isInDays}`
  const key = keyId === undefined ? null : add(keyId)
  const withoutKeys = `SELECT account_id, day, '' AS key_id, api, calls, credits FROM usage WHERE ${where}`
  const byKeys = `SELECT account_id, day, key_id, api, calls, credits FROM key_usage WHERE `
  const ofNoKey = `SELECT account_id, day, '' AS key_id, api, calls - key_calls, credits - key_credits FROM usage
    WHERE ${where} AND (calls > key_calls OR credits > key_credits)`
  const overDays =
    key !== null
      ? [`${byKeys} key_id = ${key} AND ${isInDays}`]
      : by.includes("key")
        ? [byKeys + where, ofNoKey]
        : [withoutKeys]
  const conditions = [key && `key_id = ${key}`, ...apiConditions(query, add)].filter(Boolean)
  const shown = Object.entries(columns).map(([name, column]) => {
    const isShown = by.some((one) => one === name)
    return `${isShown ? column : "''"} AS "${name}"`
  })
  const grouped = by.map((name) => columns[name])
  const sql = `SELECT ${shown.join(", ")}, ${sum("calls")} AS calls, ${sum("credits")} AS credits
    FROM (${[...overDays, `${openDays} WHERE ${where}`].join(" UNION ALL ")}) AS u
    WHERE ${conditions.join(" AND ")}
    ${grouped.length > 0 ? `GROUP BY ${grouped.join(", ")}` : "HAVING count(*) > 0"}`
  return { sql, values }
}

/** The conditions on the column `api`: one API, or what is deprecated of it; otherwise all APIs, or all that is deprecated. */
export function apiConditions(
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
