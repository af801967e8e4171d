import type { Database } from "bun:sqlite"
import type { Timer } from "../../apis/contract.ts"
import type { AdminStore, UsageQuery, UsageSum } from "../admin-store.ts"
import { readUsage, type UsageParts } from "../usage-query.ts"
import { apiConditions, selectUsage, type UsageDialect } from "../usage-sql.ts"

const dialect: UsageDialect = {
  isInAccounts: (ids) => `account_id IN (SELECT value FROM json_each(${ids}))`,
  openDays: `SELECT account_id, day, substr(key, instr(key || ' ', ' ') + 1) AS key_id,
    substr(key, 1, instr(key || ' ', ' ') - 1) AS api, value ->> 0 AS calls, value ->> 1 AS credits FROM ledger, json_each(booked)`,
  placeholder: (number) => `?${number}`,
  sum: (column) => `sum(${column})`,
}

/** Prepares `usage` of the administration on one connection. Between steps other work gets its turn. */
export function prepareUsage(
  database: Database,
  timer: Timer,
  read: <T>(operation: () => T) => T,
): AdminStore["usage"] {
  const parts: UsageParts = {
    async accounts({ id, isIncluded }, limit) {
      const sql = `SELECT account_id AS id FROM ledger WHERE account_id ${isIncluded ? ">=" : ">"} ?1 ORDER BY account_id LIMIT ?2`
      await timer.turn()
      return read(() => database.query<{ id: string }, [string, number]>(sql).all(id, limit)).map(
        (row) => row.id,
      )
    },
    async sums(query, accountIds) {
      const { sql, values } = selectUsage(query, dialect)
      return read(() => database.query<UsageSum, string[]>(sql).all(JSON.stringify(accountIds), ...values))
    },
    totals: async (query) => read(() => selectTotals(database, query)),
  }
  return (query, page) => readUsage(query, page, parts)
}

/** Charges keep the sums of each day. */
function selectTotals(database: Database, query: UsageQuery): UsageSum[] {
  const { by, fromDay, toDay } = query
  const values = [fromDay, toDay]
  const conditions = apiConditions(query, (value) => `?${values.push(value)}`)
  const grouped = by.filter((name) => name === "day" || name === "api")
  const column = (name: "day" | "api", sql: string) => `${by.includes(name) ? sql : "''"} AS ${name}`
  const sql = `SELECT '' AS account, '' AS "key", ${column("day", "day")}, ${column("api", "api")},
      sum(calls) AS calls, sum(credits) AS credits
    FROM (SELECT day, key AS api, value ->> 0 AS calls, value ->> 1 AS credits
      FROM usage_totals, json_each(booked) WHERE day BETWEEN ?1 AND ?2)
    WHERE ${conditions.join(" AND ")}
    ${grouped.length > 0 ? `GROUP BY ${grouped.join(", ")}` : "HAVING count(*) > 0"}`
  return database.query<UsageSum, string[]>(sql).all(...values)
}
