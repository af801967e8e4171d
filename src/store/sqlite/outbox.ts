import type { Database } from "bun:sqlite"
import type { Attempt, AttemptRecord, ClaimOptions, DueNotice, Outbox, Verdict, Webhook } from "../outbox.ts"
import { guarded } from "./open.ts"
import { type DueRow, type NoticeRow, noticeColumns, toDueNotice, toNotice } from "./outbox-rows.ts"

type Parameters = Record<string, string | number | null>

const due = "state = 'pending' AND (next_attempt_ms <= $nowMs OR next_attempt_ms > $nowMs + $horizonMs)"

/** The outbox on a store's own database, which stays the store's to close. */
export function prepareOutbox(database: Database): Outbox {
  const isDue = database.query<unknown, Parameters>(`SELECT 1 FROM notices WHERE ${due} LIMIT 1`)
  const lease = database.query<unknown, Parameters>(
    `UPDATE notices SET next_attempt_ms = $nowMs + $leaseMs
     WHERE id IN (SELECT id FROM notices WHERE ${due} ORDER BY raised_ms, threshold LIMIT $limit)
     RETURNING id`,
  )
  const findDue = database.query<DueRow, [string]>(
    `SELECT ${noticeColumns}, webhook_url, webhook_secret, webhook_allow_private
     FROM notices JOIN accounts ON accounts.id = account_id
     WHERE notices.id IN (SELECT value FROM json_each(?1)) ORDER BY raised_ms, threshold`,
  )
  const earliest = database.query<{ at: number | null }, []>(
    "SELECT min(next_attempt_ms) AS at FROM notices WHERE state = 'pending'",
  )

  const claim = database.transaction(({ nowMs, leaseMs, horizonMs, limit }: ClaimOptions) => {
    const ids = lease.all({ nowMs, leaseMs, horizonMs, limit }) as { id: string }[]
    return findDue.all(JSON.stringify(ids.map(({ id }) => id))).map(toDueNotice)
  })

  return {
    async claim(options) {
      const { nowMs, horizonMs } = options
      // Mostly there is nothing, and looking takes no lock.
      return guarded(() => (isDue.get({ nowMs, horizonMs }) ? claim.immediate(options) : []))
    },
    async nextAttemptMs() {
      return guarded(() => earliest.get()?.at ?? null)
    },
    async record(notice, attempt, verdict) {
      guarded(database.transaction(() => record(database, notice, attempt, verdict)).immediate)
    },

    async list(accountId) {
      const rows = guarded(() =>
        database
          .query<NoticeRow, [string | null]>(
            `SELECT ${noticeColumns} FROM notices JOIN accounts ON accounts.id = account_id
             WHERE ?1 IS NULL OR account_id = ?1 ORDER BY raised_ms, account_id, threshold`,
          )
          .all(accountId ?? null),
      )
      return rows.map(toNotice)
    },
    async attempts(accountId) {
      return guarded(() =>
        database
          .query<AttemptRecord, [string | null]>(
            `SELECT notice_id AS noticeId, attempt, at_ms AS atMs, duration_ms AS durationMs, status, error
             FROM notice_attempts JOIN notices ON notices.id = notice_id
             WHERE ?1 IS NULL OR account_id = ?1 ORDER BY at_ms, notice_id, attempt`,
          )
          .all(accountId ?? null),
      )
    },

    async setWebhook(accountId, webhook) {
      return guarded(database.transaction(() => setWebhook(database, accountId, webhook)).immediate)
    },
    async findWebhook(accountId) {
      const row = guarded(() =>
        database
          .query<{ url: string; secret: string; allowPrivate: number; goneMs: number | null }, [string]>(
            `SELECT webhook_url AS url, webhook_secret AS secret, webhook_allow_private AS allowPrivate,
               webhook_gone_ms AS goneMs
             FROM accounts WHERE id = ?1 AND webhook_url IS NOT NULL`,
          )
          .get(accountId),
      )
      return row && { ...row, allowPrivate: row.allowPrivate === 1 }
    },
  }
}

/** What was delivered stays delivered, whatever a slower worker that was given the notice again has to say. */
function record(database: Database, notice: DueNotice, attempt: Attempt, verdict: Verdict): void {
  const { id } = notice
  const { atMs, durationMs, status, error } = attempt
  database
    .query<unknown, Parameters>(
      `INSERT INTO notice_attempts (notice_id, attempt, at_ms, duration_ms, status, error)
       SELECT id, attempts + 1, $atMs, $durationMs, $status, $error FROM notices WHERE id = $id`,
    )
    .run({ id, atMs, durationMs, status, error })
  database.query<unknown, [string]>("UPDATE notices SET attempts = attempts + 1 WHERE id = ?1").run(id)

  const endMs = atMs + durationMs
  const delayMs = verdict.kind === "retry" ? verdict.delayMs : 0
  // A receiver that is gone ends the notice only where it is still the account's: a new webhook deserves its try.
  const ended = verdict.kind === "gone" ? retireWebhook(database, notice, endMs) : verdict.kind === "failed"
  const state = verdict.kind === "delivered" ? "delivered" : ended ? "failed" : "pending"
  database
    .query<unknown, Parameters>(
      `UPDATE notices SET state = $state, waited_ms = waited_ms + $delayMs, next_attempt_ms = $nextAttemptMs,
         last_status = $status, last_error = $error, delivered_ms = $deliveredMs
       WHERE id = $id AND (state = 'pending' OR ($state = 'delivered' AND state <> 'delivered'))`,
    )
    .run({
      id,
      state,
      delayMs,
      nextAttemptMs: state === "pending" ? endMs + delayMs : null,
      status,
      error,
      deliveredMs: state === "delivered" ? endMs : null,
    })
}

/** Stops using a webhook, and what else was waiting for it; false when the account has another one by now. */
function retireWebhook(database: Database, { id, accountId, webhook }: DueNotice, nowMs: number): boolean {
  const { changes } = database
    .query<unknown, [string, string, number]>(
      "UPDATE accounts SET webhook_gone_ms = coalesce(webhook_gone_ms, ?3) WHERE id = ?1 AND webhook_secret = ?2",
    )
    .run(accountId, webhook.secret, nowMs)
  if (changes === 0) return false
  database
    .query<unknown, [string, string]>(
      `UPDATE notices SET state = 'failed', next_attempt_ms = NULL, last_error = 'the receiver is gone'
       WHERE account_id = ?1 AND id <> ?2 AND state = 'pending'`,
    )
    .run(accountId, id)
  return true
}

function setWebhook(database: Database, accountId: string, webhook: Webhook | null): boolean {
  const { changes } = database
    .query<unknown, Parameters>(
      `UPDATE accounts SET webhook_url = $url, webhook_secret = $secret, webhook_allow_private = $allowPrivate,
         webhook_gone_ms = NULL
       WHERE id = $accountId`,
    )
    .run({
      accountId,
      url: webhook?.url ?? null,
      secret: webhook?.secret ?? null,
      allowPrivate: webhook?.allowPrivate ? 1 : 0,
    })
  if (webhook === null) {
    database
      .query<unknown, [string]>(
        "UPDATE notices SET state = 'unsent', next_attempt_ms = NULL WHERE account_id = ?1 AND state = 'pending'",
      )
      .run(accountId)
  }
  return changes === 1
}
