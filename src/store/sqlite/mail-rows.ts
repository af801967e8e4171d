import type { Database } from "bun:sqlite"
import type { AdminOutcome } from "../admin-store.ts"
import { type NewMail, notWanted } from "../mails.ts"
import { insertRow } from "./row-changes.ts"

/** Marks as unsent the waiting notices of an account that it wants by mail no more, or at another address. */
export function dropUnwantedMails(database: Database, accountId: string): void {
  database
    .query(
      `UPDATE mails SET state = 'unsent', next_attempt_ms = NULL, last_status = NULL, last_error = '${notWanted}'
       WHERE account_id = ?1 AND template = 'notice' AND state = 'pending' AND NOT EXISTS (
         SELECT 1 FROM accounts WHERE id = ?1 AND notify IN ('mail', 'both') AND email = recipient)`,
    )
    .run(accountId)
}

/** Inserts a mail that is due at once, in the transaction of a change. A second one with the same id changes nothing. */
export function insertMail(database: Database, { nowMs, ...mail }: NewMail): AdminOutcome {
  const row = { ...mail, raisedMs: nowMs, state: "pending", nextAttemptMs: nowMs }
  insertRow(database, "mails", row, "ON CONFLICT (id) DO NOTHING")
  return "applied"
}
