import type { Database } from "bun:sqlite"
import type { Timer } from "../../apis/contract.ts"
import type { Attempt, AttemptResult, ClaimOptions, DueNotice, Outbox } from "../outbox.ts"
import { type DueRow, prepareOutboxReads, toDueNotice, webhookColumns } from "../outbox-reads.ts"
import { noCheckpoints } from "./checkpoints.ts"
import { createRead } from "./errors.ts"
import { noWatch } from "./file-watch.ts"
import { noticeColumns, selectNotices } from "./notice-rows.ts"
import { createRun } from "./statement.ts"
import { createWrite } from "./write.ts"

type Parameters = Record<string, string | number | null>

/** Written before the clock was set back. */
const isMisdated = "state = 'pending' AND next_attempt_ms > $nowMs + $maxWaitMs"

/** Host and port of a webhook's URL, which is stored in normal form: `scheme://host[:port]/…`, without a user. */
export const webhookHost = `substr(webhook_url, instr(webhook_url, '//') + 2,
  instr(substr(webhook_url, instr(webhook_url, '//') + 2), '/') - 1)`

/** Walks the index in its order and stops at the first notice that may be sent, however many wait. */
const selectDue = `
  SELECT ${noticeColumns}, ${webhookColumns}, ${webhookHost} AS host, traceparent
  FROM notices INDEXED BY notices_waiting CROSS JOIN accounts ON accounts.id = account_id
  WHERE state = 'pending' AND next_attempt_ms <= $nowMs AND (attempts = 0 OR NOT $untriedOnly)
    AND ${webhookHost} NOT IN (SELECT value FROM json_each($busyHosts))
  ORDER BY next_attempt_ms, threshold LIMIT 1`

/** The outbox of a store's database. Closing the store closes it. */
export function prepareOutbox(
  database: Database,
  timer: Timer,
  watch = noWatch,
  checkpoints = noCheckpoints,
): Outbox {
  const read = createRead(database, watch)
  const write = createWrite(database, timer, watch, checkpoints)
  const findMisdated = database.query<unknown, Parameters>(
    `SELECT 1 FROM notices WHERE ${isMisdated} LIMIT 1`,
  )
  const resetMisdated = database.query<unknown, Parameters>(
    `UPDATE notices SET next_attempt_ms = $nowMs WHERE ${isMisdated}`,
  )
  const findDue = database.query<DueRow, Parameters>(selectDue)
  const lease = database.query<unknown, [string, number, number]>(
    "UPDATE notices SET next_attempt_ms = ?3 WHERE id = ?1 AND state = 'pending' AND next_attempt_ms = ?2",
  )

  /** The search takes no lock, however long it is. The update alone decides which worker gets the lease. */
  function claim({ nowMs, leaseMs, maxWaitMs, busyHosts, untriedOnly }: ClaimOptions): DueNotice | null {
    if (findMisdated.get({ nowMs, maxWaitMs })) resetMisdated.run({ nowMs, maxWaitMs })
    const filter = { nowMs, busyHosts: JSON.stringify(busyHosts), untriedOnly: untriedOnly ? 1 : 0 }
    const nextAttemptMs = nowMs + leaseMs
    for (;;) {
      const row = findDue.get(filter)
      if (!row) return null
      const { changes } = lease.run(row.id, row.nextAttemptMs ?? 0, nextAttemptMs)
      if (changes === 1) return toDueNotice({ ...row, nextAttemptMs })
      // Another process was faster. There may be another notice.
    }
  }

  return {
    claim: (options) => write(() => claim(options)),
    async record(notice, attempt, result) {
      await write(database.transaction(() => record(database, notice, attempt, result)).immediate)
    },

    ...prepareOutboxReads(createRun(database, read), selectNotices),
  }
}

/** A delivered notice stays delivered, whatever a slower worker with an expired lease reports. */
function record(database: Database, notice: DueNotice, attempt: Attempt, result: AttemptResult): void {
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
  const delayMs = result.kind === "retry" ? result.delayMs : 0
  // 410 of a webhook that was replaced meanwhile does not end the notice: the new webhook gets its attempt.
  const hasFailed =
    result.kind === "gone" ? disableWebhook(database, notice, endMs) : result.kind === "failed"
  const state = result.kind === "delivered" ? "delivered" : hasFailed ? "failed" : "pending"
  const nextAttemptMs = state === "pending" ? endMs + delayMs : null
  const deliveredMs = state === "delivered" ? endMs : null
  database
    .query<unknown, Parameters>(
      `UPDATE notices SET state = $state, waited_ms = waited_ms + $delayMs, next_attempt_ms = $nextAttemptMs,
         last_status = $status, last_error = $error, delivered_ms = $deliveredMs
       WHERE id = $id AND (state = 'pending' OR ($state = 'delivered' AND state <> 'delivered'))`,
    )
    .run({ id, state, delayMs, nextAttemptMs, status, error, deliveredMs })
}

/** Disables a webhook and fails the account's other pending notices. False when the account has a new webhook. */
function disableWebhook(database: Database, { id, accountId, webhook }: DueNotice, nowMs: number): boolean {
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
