import type { Database } from "bun:sqlite"
import type { Attempt, AttemptRecord, ClaimOptions, DueNotice, Outbox, Verdict, Webhook } from "../outbox.ts"
import { createGuard } from "./open.ts"
import {
  type DueRow,
  type NoticeRow,
  noticeColumns,
  toDueNotice,
  toNotice,
  webhookHost,
} from "./outbox-rows.ts"
import { createWrite } from "./write.ts"

type Parameters = Record<string, string | number | null>

/** Written under a clock that has been set back since. */
const astray = "state = 'pending' AND next_attempt_ms > $nowMs + $horizonMs"

/** Walks the index in its order and stops at the first that may be sent, however many wait. */
const dueFirst = `
  SELECT ${noticeColumns}, webhook_url, webhook_secret, webhook_allow_private, ${webhookHost} AS webhook_host
  FROM notices INDEXED BY notices_waiting CROSS JOIN accounts ON accounts.id = account_id
  WHERE state = 'pending' AND next_attempt_ms <= $nowMs AND (attempts = 0 OR NOT $untriedOnly)
    AND ${webhookHost} NOT IN (SELECT value FROM json_each($busyHosts))
  ORDER BY next_attempt_ms, threshold LIMIT 1`

/** The outbox on a store's own database, which stays the store's to close. */
export function prepareOutbox(database: Database): Outbox {
  const guarded = createGuard(database)
  const write = createWrite(database)
  const findAstray = database.query<unknown, Parameters>(`SELECT 1 FROM notices WHERE ${astray} LIMIT 1`)
  const recall = database.query<unknown, Parameters>(
    `UPDATE notices SET next_attempt_ms = $nowMs WHERE ${astray}`,
  )
  const findDue = database.query<DueRow, Parameters>(dueFirst)
  const lease = database.query<unknown, [string, number, number]>(
    "UPDATE notices SET next_attempt_ms = ?3 WHERE id = ?1 AND state = 'pending' AND next_attempt_ms = ?2",
  )
  const earliest = database.query<{ at: number | null }, [number]>(
    "SELECT min(next_attempt_ms) AS at FROM notices WHERE state = 'pending' AND next_attempt_ms > ?1",
  )

  /** Looking takes no lock, however far it has to walk; who takes the lease is decided by its own statement. */
  function claim(options: ClaimOptions): DueNotice | null {
    const { nowMs, leaseMs, horizonMs } = options
    if (findAstray.get({ nowMs, horizonMs })) recall.run({ nowMs, horizonMs })
    const untilMs = nowMs + leaseMs
    for (;;) {
      const row = findDue.get(toParameters(options))
      if (!row) return null
      const { changes } = lease.run(row.id, row.next_attempt_ms ?? 0, untilMs)
      if (changes === 1) return toDueNotice({ ...row, next_attempt_ms: untilMs })
      // Another process was faster; there may be another notice.
    }
  }

  return {
    async claim(options) {
      return write(() => claim(options))
    },
    async nextAttemptMs(nowMs) {
      return guarded(() => earliest.get(nowMs)?.at ?? null)
    },
    async record(notice, attempt, verdict) {
      await write(database.transaction(() => record(database, notice, attempt, verdict)).immediate)
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
      return write(database.transaction(() => setWebhook(database, accountId, webhook)).immediate)
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

function toParameters({ nowMs, busyHosts, untriedOnly }: ClaimOptions): Parameters {
  return { nowMs, busyHosts: JSON.stringify(busyHosts), untriedOnly: untriedOnly ? 1 : 0 }
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
