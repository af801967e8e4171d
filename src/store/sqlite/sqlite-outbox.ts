import type { Database } from "bun:sqlite"
import type { Timer } from "../../apis/contract.ts"
import type { ClaimOptions, DueNotice, Outbox } from "../outbox.ts"
import {
  attemptSteps,
  type DueRow,
  prepareOutboxReads,
  toDueNotice,
  webhookColumns,
} from "../outbox-reads.ts"
import { noticeColumns } from "../rows.ts"
import { noCheckpoints } from "./checkpoints.ts"
import { noWatch } from "./file-watch.ts"
import { createRead, createWrite } from "./read-write.ts"
import { createRun, runStep, toSqlite } from "./statement.ts"

type Parameters = Record<string, string | number | null>

/** Written before the clock was set back. */
const isMisdated = "state = 'pending' AND next_attempt_ms > $nowMs + $maxWaitMs"

/** Host and port of a webhook's URL, which is stored in normal form: `scheme://host[:port]/…`, without a user. */
const webhookHost = `substr(webhook_url, instr(webhook_url, '//') + 2,
  instr(substr(webhook_url, instr(webhook_url, '//') + 2), '/') - 1)`

/** Walks the index by time, then by number, and stops at the first notice that may be sent, however many wait. */
const selectDue = `
  SELECT ${toSqlite(noticeColumns)}, ${webhookColumns}, ${webhookHost} AS host, traceparent
  FROM notices INDEXED BY notices_waiting CROSS JOIN accounts ON accounts.id = account_id
  WHERE state = 'pending' AND next_attempt_ms <= $nowMs AND (attempts = 0 OR NOT $untriedOnly)
    AND ${webhookHost} NOT IN (SELECT value FROM json_each($busyHosts))
  ORDER BY next_attempt_ms, number LIMIT 1`

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
    async record(...attempt) {
      const run = () => attemptSteps(...attempt).map((step) => runStep(database, step))
      await write(database.transaction(run).immediate)
    },
    ...prepareOutboxReads(createRun(database, read)),
  }
}
