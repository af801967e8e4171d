import type { Database } from "bun:sqlite"
import {
  type AccountDetailsRow,
  type AdminKeyRow,
  byCreation,
  type KeyDetailsRow,
  newestAttemptFirst,
  newestNoticeFirst,
  newestRecordFirst,
  type Order,
  orderBy,
  placeOf,
  toAccountDetails,
  toAdminKey,
  toKeyDetails,
} from "../admin-rows.ts"
import type { AdminStore, AuditRecord, Page } from "../admin-store.ts"
import type { AttemptRecord, NoticeRecord } from "../outbox.ts"
import type { Value } from "./assignments.ts"
import { attemptColumns, selectNotices } from "./outbox-rows.ts"
import { accountDetailsColumns, accountTables, keyDetailsColumns } from "./rows.ts"

type Lists = Pick<AdminStore, "accounts" | "keys" | "notices" | "noticeAttempts" | "adminKeys" | "audit">

export const adminKeyColumns =
  "id, name, prefix, permissions, created_ms AS createdMs, expires_ms AS expiresMs, revoked_ms AS revokedMs"
const auditColumns = `id, at_ms AS atMs, actor, actor_name AS actorName, operation, target_kind AS targetKind,
  target_id AS targetId, account_id AS accountId, before_json AS before, after_json AS after, source, request_id AS requestId`

/**
 * Prepares the lists of the administration. Each statement is made of the filters that are given, so that SQLite finds the index
 * for them.
 */
export function prepareLists(database: Database, read: <T>(operation: () => T) => T): Lists {
  function list<Row>(select: string, conditions: Conditions, order: Order, page: Page): Row[] {
    const place = placeOf(page, order)
    const where = [...conditions.sql]
    const parameters: Record<string, Value> = { ...conditions.values, limit: page.limit }
    if (place) {
      const columns = order.columns.map(([column]) => column).join(", ")
      where.push(
        `(${columns}) ${order.isDescending ? "<" : ">"} (${place.map((_, n) => `$after${n}`).join(", ")})`,
      )
      for (const [n, value] of place.entries()) parameters[`after${n}`] = value
    }
    const sql = `${select}${where.length > 0 ? ` WHERE ${where.join(" AND ")}` : ""} ORDER BY ${orderBy(order)} LIMIT $limit`
    return read(() => database.query<Row, Record<string, Value>>(sql).all(parameters))
  }

  return {
    async accounts({ plan, externalId, closed, search }, page) {
      const conditions = conditionsOf({ plan, external_id: externalId })
      const isClosed =
        "EXISTS (SELECT 1 FROM ledger AS l WHERE l.account_id = accounts.id AND l.closed_ms IS NOT NULL)"
      if (closed !== undefined) conditions.sql.push(closed ? isClosed : `NOT ${isClosed}`)
      if (search !== undefined) {
        conditions.sql.push(
          "(instr(lower(name), lower($search)) > 0 OR instr(lower(id), lower($search)) = 1)",
        )
        conditions.values.search = search
      }
      // The page is found in indexes alone; only its rows are read whole.
      const rows = list<{ id: string }>("SELECT id FROM accounts", conditions, byCreation, page)
      const ids = JSON.stringify(rows.map(({ id }) => id))
      const sql = `SELECT ${accountDetailsColumns} FROM ${accountTables}
        WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY created_ms, id`
      return read(() => database.query<AccountDetailsRow, [string]>(sql).all(ids)).map(toAccountDetails)
    },
    async keys({ accountId, externalId }, page) {
      const conditions = conditionsOf({ account_id: accountId, external_id: externalId })
      const select = `SELECT ${keyDetailsColumns} FROM keys`
      return list<KeyDetailsRow>(select, conditions, byCreation, page).map(toKeyDetails)
    },
    async notices({ accountId, state }, page) {
      const conditions = conditionsOf({ account_id: accountId, state })
      return list<NoticeRecord>(selectNotices, conditions, newestNoticeFirst, page)
    },
    async noticeAttempts({ noticeId, accountId }, page) {
      const conditions = conditionsOf({ notice_id: noticeId, account_id: accountId })
      // The attempts of an account are few, so they are found by its notices.
      const tables =
        accountId === undefined
          ? "notice_attempts"
          : "notices CROSS JOIN notice_attempts ON notice_id = notices.id"
      const select = `SELECT ${attemptColumns} FROM ${tables}`
      return list<AttemptRecord>(select, conditions, newestAttemptFirst, page)
    },
    async adminKeys(page) {
      const rows = list<AdminKeyRow>(
        `SELECT ${adminKeyColumns} FROM admin_keys`,
        conditionsOf({}),
        byCreation,
        page,
      )
      return rows.map(toAdminKey)
    },
    async audit({ actor, operation, targetId, accountId, fromMs, toMs }, page) {
      const conditions = conditionsOf({ actor, operation, target_id: targetId, account_id: accountId })
      if (fromMs !== undefined) {
        conditions.sql.push("at_ms >= $fromMs")
        conditions.values.fromMs = fromMs
      }
      if (toMs !== undefined) {
        conditions.sql.push("at_ms < $toMs")
        conditions.values.toMs = toMs
      }
      return list<AuditRecord>(`SELECT ${auditColumns} FROM audit`, conditions, newestRecordFirst, page)
    },
  }
}

interface Conditions {
  readonly sql: string[]
  readonly values: Record<string, Value>
}

/** A condition for each column whose value is given. */
function conditionsOf(wanted: Readonly<Record<string, string | undefined>>): Conditions {
  const conditions: Conditions = { sql: [], values: {} }
  for (const [column, value] of Object.entries(wanted)) {
    if (value === undefined) continue
    conditions.sql.push(`${column} = $${column}`)
    conditions.values[column] = value
  }
  return conditions
}
