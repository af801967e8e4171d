import type { CreditsStore } from "./adjustments.ts"
import type { Run, TextList } from "./rows.ts"

/** The part of the administration's store with statements. */
export type StatementReads = Pick<CreditsStore, "countStatementRows" | "planTerms" | "addPlanTerms">

/** How a kind of store runs statements of SQL. */
interface StatementParts {
  readonly read: Run
  readonly write: Run
  readonly texts: TextList
}

/** Reads what statements are made from in any kind of store, and records the terms of plans. */
export function prepareStatementReads({ read, write, texts }: StatementParts): StatementReads {
  return {
    countStatementRows: (accountIds, { startMs, endMs, firstDay, lastDay }, most) =>
      read(
        `SELECT account_id AS "accountId", 1 + (SELECT count(*) FROM (
             SELECT 1 FROM audit WHERE target_id = ledger.account_id AND at_ms >= $2::bigint
             UNION ALL SELECT 1 FROM adjustments
               WHERE account_id = ledger.account_id AND at_ms >= $2::bigint AND at_ms < $3::bigint
             UNION ALL SELECT 1 FROM key_usage
               WHERE account_id = ledger.account_id AND day BETWEEN $4::text AND $5::text
             LIMIT $6::bigint) AS counted)::float8 AS rows
         FROM ledger WHERE account_id ${texts.isIn("$1")}`,
        [texts.toParameter(accountIds), startMs, endMs, firstDay, lastDay, most],
      ),
    planTerms: () =>
      read(
        `SELECT plan, from_ms::float8 AS "fromMs", price, monthly_credits::float8 AS "monthlyCredits"
         FROM plan_terms ORDER BY from_ms, plan`,
        [],
      ),
    async addPlanTerms({ plan, fromMs, price, monthlyCredits }) {
      await write(
        `INSERT INTO plan_terms (plan, from_ms, price, monthly_credits)
         VALUES ($1::text, $2::bigint, $3::text, $4::bigint) ON CONFLICT DO NOTHING`,
        [plan, fromMs, price, monthlyCredits],
      )
    },
  }
}
