import type { Database } from "bun:sqlite"
import type { AdminOutcome, Mutation } from "../admin-store.ts"
import type { Webhook } from "../outbox.ts"
import * as rows from "../rows.ts"
import type { TimedNotice } from "../timed-events.ts"
import { toSqlite } from "./statement.ts"

/** Selects a {@link NoticeRecord} from notices joined with accounts. */
export const noticeColumns = toSqlite(rows.noticeColumns)

/** Selects {@link NoticeRecord}s. The order of the join lets an index of notices give the order of a list. */
export const selectNotices = `SELECT ${noticeColumns} FROM notices CROSS JOIN accounts ON accounts.id = account_id`

/** Selects the {@link NoticeRecord} with the id `?1`. */
export const selectNotice = `SELECT ${noticeColumns} FROM notices JOIN accounts ON accounts.id = account_id WHERE notices.id = ?1`

type NewNotice = Extract<Mutation, { kind: "notice.insert" }>

/** The condition of accounts whose notices are not sent. */
export const hasNoWebhook = "(webhook_url IS NULL OR webhook_gone_ms IS NOT NULL)"

/** Sets the webhook of an account; null removes it, and marks its pending notices as unsent. To be called in a transaction. */
export function setWebhook(database: Database, accountId: string, webhook: Webhook | null): AdminOutcome {
  const { url = null, secret = null, allowPrivate = false } = webhook ?? {}
  const { changes } = database
    .query(
      `UPDATE accounts SET webhook_url = $url, webhook_secret = $secret, webhook_allow_private = $allowPrivate,
         webhook_gone_ms = NULL
       WHERE id = $accountId`,
    )
    .run({ accountId, url, secret, allowPrivate: allowPrivate ? 1 : 0 })
  if (webhook === null) {
    database
      .query(
        "UPDATE notices SET state = 'unsent', next_attempt_ms = NULL WHERE account_id = ?1 AND state = 'pending'",
      )
      .run(accountId)
  }
  return changes === 1 ? "applied" : "missing"
}

/**
 * Makes a notice due, or `unsent` when its account has no webhook. False without its account, or with the id of another notice.
 */
export function insertEventNotice(database: Database, notice: TimedNotice): boolean {
  const { changes } = database
    .query(
      `INSERT INTO notices (id, account_id, type, data, period_start_ms, plan, used, raised_ms, state, next_attempt_ms)
       SELECT $id, accounts.id, $type, $data, coalesce($periodStartMs, period_start_ms), plan,
         iif($periodStartMs > period_start_ms, 0, used), $raisedMs,
         iif(${hasNoWebhook}, 'unsent', 'pending'), iif(${hasNoWebhook}, NULL, $nowMs)
       FROM accounts JOIN ledger ON ledger.account_id = accounts.id WHERE accounts.id = $accountId
       ON CONFLICT (id) DO NOTHING`,
    )
    .run({ ...notice })
  return changes === 1
}

/** Inserts a notice of a change. A second one with the same id changes nothing. */
export function insertNotice(database: Database, { kind: _, ...notice }: NewNotice): AdminOutcome {
  if (database.query("SELECT 1 FROM accounts WHERE id = ?1").get(notice.accountId) === null) return "missing"
  insertEventNotice(database, { ...notice, raisedMs: notice.nowMs, periodStartMs: null })
  return "applied"
}

/** Makes a notice due again that is not pending, with as many attempts as a new one. `missing` without a webhook too. */
export function resendNotice(database: Database, id: string, nowMs: number): AdminOutcome {
  const found = database
    .query(
      `SELECT 1 FROM notices JOIN accounts ON accounts.id = account_id WHERE notices.id = ?1 AND NOT ${hasNoWebhook}`,
    )
    .get(id)
  if (found === null) return "missing"
  database
    .query(
      `UPDATE notices SET state = 'pending', next_attempt_ms = ?2, waited_ms = 0, delivered_ms = NULL
       WHERE id = ?1 AND state <> 'pending'`,
    )
    .run(id, nowMs)
  return "applied"
}
