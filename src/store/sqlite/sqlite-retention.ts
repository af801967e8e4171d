import type { Database } from "bun:sqlite"
import {
  addToMonths,
  type DayTable,
  dayTables,
  isDeletable,
  isFoldable,
  prepareRetentionMarks,
  type Retention,
  stepOverAccounts,
} from "../retention.ts"
import type { Run } from "../rows.ts"
import { keepReplaysMs } from "../store.ts"
import { type Checkpoints, logState, noCheckpoints, pageBytesOf } from "./checkpoints.ts"
import { logLimitBytes } from "./database-file.ts"
import type { Write } from "./read-write.ts"
import { createRun } from "./statement.ts"

interface RetentionParts {
  readonly read: Run
  readonly write: Write
  readonly checkpoints?: Checkpoints
  /** While the write-ahead log is larger, nothing is deleted. */
  readonly maxLogBytes?: number
}

/** All calls wait for a step. */
const stepMs = 1.5

/** A little more than the log has without readers that keep it from being emptied. */
const mostLogBytes = logLimitBytes + 4_194_304

/** Prepares retention on one connection. */
export function prepareRetention(
  database: Database,
  { read, write, checkpoints = noCheckpoints, maxLogBytes = mostLogBytes }: RetentionParts,
): Retention {
  const pageBytes = pageBytesOf(database)
  const state = logState(database)
  const emptyLog = database.query("PRAGMA wal_checkpoint(PASSIVE)")

  /** The next write begins the log anew if all of it is in the data file. */
  function hasRoom(): boolean {
    const isSmall = () => {
      const { log, checkpointed } = state()
      return log * pageBytes < maxLogBytes || log === checkpointed
    }
    if (isSmall()) return true
    // Where a thread empties the log, it tries again each second.
    if (checkpoints === noCheckpoints) emptyLog.get()
    return isSmall()
  }

  const run = (statement: string, ...values: (string | number)[]) =>
    database.query(statement).run(...values).changes

  /** Runs one work for each account until there are `limit` rows, in one transaction. */
  function ofAccounts(work: (accountId: string, limit: number) => number) {
    const all = database.transaction((ids: readonly string[], limit: number) => {
      let rows = 0
      for (const id of ids) {
        if (rows < limit) rows += work(id, limit - rows)
      }
      return rows
    })
    return (place: string, limit: number) =>
      stepOverAccounts(read, { place, limit }, (ids) => write(() => all.immediate(ids, limit)))
  }

  function fold(table: DayTable, accountId: string, beforeDay: string, limit: number): number {
    const { name, of } = table
    const key = [...of, "day"].join(", ")
    const rows = `FROM ${name} WHERE account_id = ?1 AND ${isFoldable("?2")} ORDER BY day, ${of.join(", ")} LIMIT ?3`
    run(addToMonths(table, `(SELECT * ${rows})`), accountId, beforeDay, limit)
    return run(`DELETE FROM ${name} WHERE (${key}) IN (SELECT ${key} ${rows})`, accountId, beforeDay, limit)
  }

  const deleteNotices = database.transaction((beforeMs: number, limit: number) => {
    const ids = database
      .query<{ id: string }, [number, number]>(
        `SELECT id FROM notices INDEXED BY notices_by_time WHERE raised_ms < ?1 AND state <> 'pending'
         ORDER BY raised_ms, id LIMIT ?2`,
      )
      .all(beforeMs, limit)
    for (const { id } of ids) {
      run("DELETE FROM notice_attempts WHERE notice_id = ?1", id)
      run("DELETE FROM notices WHERE id = ?1", id)
    }
    const mails = run(
      `DELETE FROM mails WHERE id IN (SELECT id FROM mails WHERE raised_ms < ?1 AND state <> 'pending'
         ORDER BY raised_ms, id LIMIT ?2)`,
      beforeMs,
      limit,
    )
    return ids.length + mails
  })

  return {
    stepMs,
    hasRoom,
    ...prepareRetentionMarks({ read, write: createRun(database, write) }),
    deleteNotices: (beforeMs, limit) => write(() => deleteNotices.immediate(beforeMs, limit)),
    deleteReplays: (nowMs, limit) =>
      write(() =>
        run(
          `DELETE FROM call_replays WHERE (account_id, key_hash) IN (
             SELECT account_id, key_hash FROM call_replays WHERE created_ms <= ?1 ORDER BY created_ms LIMIT ?2)`,
          nowMs - keepReplaysMs,
          limit,
        ),
      ),
    foldUsage: (beforeDay, place, limit) =>
      ofAccounts((id, rest) =>
        dayTables.reduce(
          (rows, table) => (rows < rest ? rows + fold(table, id, beforeDay, rest - rows) : rows),
          0,
        ),
      )(place, limit),
    deleteCredits: (beforeMs, place, limit) =>
      ofAccounts((id, rest) =>
        run(
          `DELETE FROM history_credits WHERE account_id = ?1 AND at_ms IN (
             SELECT at_ms FROM history_credits WHERE account_id = ?1 AND at_ms < ?2 ORDER BY at_ms LIMIT ?3)`,
          id,
          beforeMs,
          rest,
        ),
      )(place, limit),
    mayDeleteAudit: async () => true,
    deleteAudit: (limit) =>
      write(() =>
        run(
          `DELETE FROM audit WHERE id IN (SELECT id FROM audit
             WHERE at_ms < (SELECT value FROM meta WHERE name = 'audit_from_ms') AND ${isDeletable} ORDER BY at_ms, id LIMIT ?1)`,
          limit,
        ),
      ),
  }
}
