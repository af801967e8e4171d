import type { Database } from "bun:sqlite"
import type { AdminOutcome } from "../admin-store.ts"
import type { NewMail } from "../mails.ts"
import { insertRow } from "./row-changes.ts"

/** Inserts a mail that is due at once, in the transaction of a change. A second one with the same id changes nothing. */
export function insertMail(database: Database, { nowMs, ...mail }: NewMail): AdminOutcome {
  const row = { ...mail, raisedMs: nowMs, state: "pending", nextAttemptMs: nowMs }
  insertRow(database, "mails", row, "ON CONFLICT (id) DO NOTHING")
  return "applied"
}
