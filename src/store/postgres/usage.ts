import type { TextList } from "../rows.ts"
import type { UsageDialect } from "../usage-sql.ts"
import { toArray } from "./parameters.ts"
import { allSums } from "./usage-sums.ts"

/** A list of texts as a PostgreSQL array. */
export const texts: TextList = { toParameter: toArray, isIn: (parameter) => `= ANY (${parameter}::text[])` }

/** How PostgreSQL keeps usage. */
export const usageDialect: UsageDialect = {
  texts,
  openDays: `SELECT account_id, day, key_of(key) COLLATE "C" AS key_id, api_of(key) COLLATE "C" AS api,
    (value ->> 0)::bigint AS calls, (value ->> 1)::bigint AS credits FROM ledger, jsonb_each(booked)`,
  totals: allSums,
}
