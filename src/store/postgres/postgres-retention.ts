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
import { keepReplaysMs } from "../store.ts"
import { type Connection, toArray } from "./connection.ts"

/** Calls wait for a step only where they need the same processors and disks. */
const stepMs = 20

/** Retention in a PostgreSQL database. */
export function prepareRetention({ run }: Connection): Retention {
  const count = async (statement: string, ...values: (string | number)[]) => {
    const [row] = await run<{ rows: number }>(statement, values)
    return row?.rows ?? 0
  }
  const ofAccounts =
    (statements: readonly string[], before: string | number) => (place: string, limit: number) =>
      stepOverAccounts(run, { place, limit }, async (ids) => {
        let rows = 0
        for (const statement of statements) {
          if (rows < limit) rows += await count(statement, toArray(ids), before, limit - rows)
        }
        return rows
      })
  return {
    stepMs,
    hasRoom: () => true,
    ...prepareRetentionMarks({ read: run, write: run }),
    deleteNotices: (beforeMs, limit) => count(deleteNotices, beforeMs, limit),
    deleteReplays: (nowMs, limit) => count(deleteReplays, nowMs - keepReplaysMs, limit),
    foldUsage: (beforeDay, place, limit) => ofAccounts(foldStatements, beforeDay)(place, limit),
    deleteCredits: (beforeMs, place, limit) => ofAccounts([deleteCredits], beforeMs)(place, limit),
    async mayDeleteAudit() {
      const [row] = await run<{ may: boolean }>("SELECT has_table_privilege('audit', 'DELETE') AS may", [])
      return row?.may ?? false
    },
    deleteAudit: (limit) => count(deleteAudit, limit),
  }
}

const counted = (from: string) => `SELECT count(*)::float8 AS rows FROM ${from}`

/** Deletes rows by their places: a condition on columns may be answered by reading the whole table. */
function takeOfAccounts(table: string, condition: string): string {
  return `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
    SELECT place FROM unnest($1::text[]) AS account (id), LATERAL (
      SELECT ctid AS place FROM ${table} WHERE account_id = account.id AND ${condition} LIMIT $3::bigint) AS old
    LIMIT $3::bigint)) RETURNING *`
}

const foldStatements = dayTables.map((table: DayTable) => {
  const { name } = table
  return `WITH taken AS (${takeOfAccounts(name, isFoldable("$2::text"))}),
    added AS (${addToMonths(table, "taken")})
    ${counted("taken")}`
})

const deleteCredits = `WITH taken AS (${takeOfAccounts("history_credits", "at_ms < $2::bigint")}) ${counted("taken")}`

/** A notice that is sent right now is left for the next time. */
const deleteNotices = `
  WITH old AS MATERIALIZED (SELECT id FROM notices WHERE raised_ms < $1::bigint AND state <> 'pending'
    ORDER BY raised_ms, id LIMIT $2::bigint FOR UPDATE SKIP LOCKED),
  attempts AS (DELETE FROM notice_attempts WHERE notice_id = ANY (ARRAY(SELECT id FROM old))),
  mailed AS (DELETE FROM mails WHERE id = ANY (ARRAY(SELECT id FROM mails WHERE raised_ms < $1::bigint AND state <> 'pending'
    ORDER BY raised_ms, id LIMIT $2::bigint FOR UPDATE SKIP LOCKED)) RETURNING 1),
  taken AS (DELETE FROM notices WHERE id = ANY (ARRAY(SELECT id FROM old)) RETURNING 1)
  ${counted("(SELECT * FROM taken UNION ALL SELECT * FROM mailed) AS deleted")}`

const deleteReplays = `
  WITH taken AS (DELETE FROM call_replays WHERE ctid = ANY (ARRAY(SELECT ctid FROM call_replays
    WHERE created_ms <= $1::bigint ORDER BY created_ms LIMIT $2::bigint)) RETURNING 1)
  ${counted("taken")}`

const deleteAudit = `
  WITH taken AS (DELETE FROM audit WHERE id = ANY (ARRAY(SELECT id FROM audit
    WHERE at_ms < (SELECT value FROM meta WHERE name = 'audit_from_ms') AND ${isDeletable} ORDER BY at_ms, id LIMIT $1::bigint)) RETURNING 1)
  ${counted("taken")}`
