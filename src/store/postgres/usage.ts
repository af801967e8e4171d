import type { AdminStore, UsageQuery, UsageSum } from "../admin-store.ts"
import { readUsage, type UsageParts } from "../usage-query.ts"
import { apiConditions, selectUsage, type UsageDialect } from "../usage-sql.ts"
import { toArray } from "./arrays.ts"
import type { Connection } from "./connection.ts"
import { allSums } from "./usage-sums.ts"

const openDay = `SELECT account_id, day, key_of(key) COLLATE "C" AS key_id, api_of(key) COLLATE "C" AS api,
  (value ->> 0)::bigint AS calls, (value ->> 1)::bigint AS credits FROM ledger, jsonb_each(booked)`

const dialect: UsageDialect = {
  isInAccounts: (ids) => `account_id = ANY (${ids}::text[])`,
  openDays: openDay,
  placeholder: (number) => `$${number}::text`,
  sum: (column) => `sum(${column})::float8`,
}

/** Prepares `usage` of the administration. */
export function prepareUsage({ run }: Connection): AdminStore["usage"] {
  const parts: UsageParts = {
    async accounts({ id, isIncluded }, limit) {
      const rows = await run<{ id: string }>(
        `SELECT account_id AS id FROM ledger WHERE account_id ${isIncluded ? ">=" : ">"} $1::text
         ORDER BY account_id LIMIT $2::bigint`,
        [id, limit],
      )
      return rows.map((row) => row.id)
    },
    sums(query, accountIds) {
      const { sql, values } = selectUsage(query, dialect)
      return run<UsageSum>(sql, [toArray(accountIds), ...values])
    },
    totals: (query) => run<UsageSum>(...selectTotals(query)),
  }
  return (query, page) => readUsage(query, page, parts)
}

/** Selects sums of all accounts together, which charges keep. */
export function selectTotals(query: UsageQuery): [sql: string, values: string[]] {
  const { by, fromDay, toDay } = query
  const values = [fromDay, toDay]
  const conditions = apiConditions(query, (value) => `$${values.push(value)}::text`)
  const grouped = by.filter((name) => name === "day" || name === "api")
  const column = (name: "day" | "api") => `${by.includes(name) ? name : "''"} AS ${name}`
  const sql = `SELECT '' AS account, '' AS key, ${column("day")}, ${column("api")},
      sum(calls)::float8 AS calls, sum(credits)::float8 AS credits
    FROM (${allSums}) AS u
    WHERE day BETWEEN $1::text AND $2::text AND ${conditions.join(" AND ")}
    ${grouped.length > 0 ? `GROUP BY ${grouped.join(", ")}` : ""} HAVING count(*) > 0`
  return [sql, values]
}
