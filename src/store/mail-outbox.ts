import type { MailOutbox, MailRecord } from "./mails.ts"
import { readNextAttempt } from "./outbox-reads.ts"
import type { Run } from "./rows.ts"

/** Selects a {@link MailRecord}. */
export const mailColumns = `id, account_id AS "accountId", recipient, template, data, raised_ms::float8 AS "raisedMs",
  expires_ms::float8 AS "expiresMs", state, attempts, waited_ms::float8 AS "waitedMs",
  next_attempt_ms::float8 AS "nextAttemptMs", last_status AS "lastStatus", last_error AS "lastError",
  delivered_ms::float8 AS "deliveredMs"`

/** A mail due later than the longest wait was written before the clock was set back. */
const isDue = "(next_attempt_ms <= $1::bigint OR next_attempt_ms > $1::bigint + $3::bigint)"

/** The outbox of mails in any kind of store. */
export function prepareMailOutbox({ read, write }: Readonly<Record<"read" | "write", Run>>): MailOutbox {
  const findDue = `SELECT id FROM mails WHERE state = 'pending' AND ${isDue} AND (attempts = 0 OR NOT $4::boolean)
    ORDER BY template = 'notice', next_attempt_ms, number LIMIT 1 FOR UPDATE SKIP LOCKED`
  // Names and bonuses change, so they are read when the mail is sent.
  const lease = `UPDATE mails SET next_attempt_ms = $1::bigint + $2::bigint
    WHERE state = 'pending' AND id = (${findDue}) RETURNING ${mailColumns},
      (SELECT name FROM accounts WHERE id = mails.account_id) AS "accountName",
      (SELECT (bonus - debt)::float8 FROM ledger WHERE ledger.account_id = mails.account_id) AS "accountBonus"`
  return {
    async claim({ nowMs, leaseMs, maxWaitMs, untriedOnly }) {
      const [row] = await write<MailRecord>(lease, [nowMs, leaseMs, maxWaitMs, untriedOnly])
      return row ?? null
    },
    nextAttemptMs: (nowMs) => readNextAttempt(read, "mails", nowMs),
    async addLinkToken(linkId, hash, nowMs) {
      const added = await write<{ hash: string }>(
        `INSERT INTO email_link_tokens (hash, link_id)
         SELECT $2::text, id FROM email_links WHERE id = $1::text AND used_ms IS NULL AND expires_ms > $3::bigint RETURNING hash`,
        [linkId, hash, nowMs],
      )
      return added.length === 1
    },
    async record(id, { atMs, durationMs, status, error }, result) {
      const state = result.kind === "retry" ? "pending" : result.kind
      const endMs = Math.round(atMs + durationMs)
      const delayMs = result.kind === "retry" ? Math.round(result.delayMs) : 0
      const nextMs = state === "pending" ? endMs + delayMs : null
      await write(recordStatement, [
        id,
        state,
        delayMs,
        nextMs,
        status,
        error,
        state === "delivered" ? endMs : null,
      ])
    },
  }
}

const recordStatement = `UPDATE mails SET attempts = attempts + 1, state = $2::text, waited_ms = waited_ms + $3::bigint,
    next_attempt_ms = $4::bigint, last_status = $5::integer, last_error = $6::text, delivered_ms = $7::bigint,
    data = CASE WHEN $2::text = 'pending' OR template = 'notice' THEN data END
  WHERE id = $1::text AND (state = 'pending' OR ($2::text = 'delivered' AND state <> 'delivered'))`
