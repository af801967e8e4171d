import type { Attempt, AttemptResult, DueNotice } from "./outbox.ts"
import { type Step, step } from "./step.ts"

/**
 * Records an attempt to deliver a notice. A delivered notice stays delivered, whatever a slower worker with an expired lease
 * reports.
 */
export function attemptSteps(
  { id, accountId, webhook }: DueNotice,
  { atMs, durationMs, status, error }: Attempt,
  result: AttemptResult,
): readonly Step[] {
  const tookMs = Math.round(durationMs)
  const endMs = atMs + tookMs
  const delayMs = result.kind === "retry" ? Math.round(result.delayMs) : 0
  const state = result.kind === "delivered" || result.kind === "failed" ? result.kind : "pending"
  const nextMs = state === "pending" ? endMs + delayMs : null
  const ofWebhook = [accountId, webhook.secret]
  return [
    step("UPDATE notices SET attempts = attempts + 1 WHERE id = $1", [id]),
    step(
      `INSERT INTO notice_attempts (notice_id, attempt, at_ms, duration_ms, status, error)
       SELECT id, attempts, $2::bigint, $3::bigint, $4::bigint, $5 FROM notices WHERE id = $1`,
      [id, atMs, tookMs, status, error],
    ),
    step(
      `UPDATE notices SET state = $2, waited_ms = waited_ms + $3::bigint, next_attempt_ms = $4::bigint, last_status = $5::bigint,
         last_error = $6, delivered_ms = $7::bigint
       WHERE id = $1 AND (state = 'pending' OR ($2 = 'delivered' AND state <> 'delivered'))`,
      [id, state, delayMs, nextMs, status, error, state === "delivered" ? endMs : null],
    ),
    // The 410 of a webhook that was replaced meanwhile ends no notice: the new webhook gets its attempts.
    ...(result.kind === "gone"
      ? [
          step(
            `UPDATE accounts SET webhook_gone_ms = coalesce(webhook_gone_ms, $3::bigint) WHERE id = $1 AND webhook_secret = $2`,
            [...ofWebhook, endMs],
          ),
          step(
            `UPDATE notices SET state = 'failed', next_attempt_ms = NULL,
               last_error = CASE WHEN id = $3 THEN last_error ELSE 'the receiver is gone' END
             WHERE account_id = $1 AND state = 'pending'
               AND EXISTS (SELECT 1 FROM accounts WHERE id = $1 AND webhook_secret = $2)`,
            [...ofWebhook, id],
          ),
        ]
      : []),
  ]
}
