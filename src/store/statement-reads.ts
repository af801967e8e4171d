import type { CreditsStore } from "./adjustments.ts"
import type { Run, TextList } from "./rows.ts"

/** The part of the administration's store with statements. */
export type StatementReads = Pick<
  CreditsStore,
  "findStatements" | "countStatementRows" | "accountsByStatement" | "keepStatement"
>

/** How a kind of store runs statements of SQL. */
interface StatementParts {
  readonly read: Run
  readonly write: Run
  readonly texts: TextList
}

/** Reads statements of accounts, and keeps them, in any kind of store. */
export function prepareStatementReads({ read, write, texts }: StatementParts): StatementReads {
  const findStatements: StatementReads["findStatements"] = (accountIds, month) =>
    read(
      `SELECT account_id AS "accountId", body FROM statements WHERE account_id ${texts.isIn("$1")} AND month = $2::text`,
      [texts.toParameter(accountIds), month],
    )

  return {
    findStatements,
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
    async accountsByStatement(month, afterId, limit) {
      const found = await read<{ id: string; hasStatement: boolean | number }>(
        `SELECT account_id AS id, EXISTS (
             SELECT 1 FROM statements WHERE statements.account_id = ledger.account_id AND month = $1::text) AS "hasStatement"
           FROM ledger WHERE account_id > $2::text ORDER BY account_id LIMIT $3::bigint`,
        [month, afterId, limit],
      )
      return found.map(({ id, hasStatement }) => ({ id, hasStatement: Boolean(hasStatement) }))
    },
    async keepStatement({ accountId, month, writtenMs, body }) {
      const inserted = await write<{ body: string }>(
        `INSERT INTO statements (account_id, month, written_ms, body)
         VALUES ($1::text, $2::text, $3::bigint, $4::text) ON CONFLICT DO NOTHING RETURNING body`,
        [accountId, month, writtenMs, body],
      )
      // Another process may have been first.
      const [kept] = inserted.length > 0 ? inserted : await findStatements([accountId], month)
      if (kept === undefined) throw new Error("a statement that was inserted is not there")
      return kept.body
    },
  }
}
