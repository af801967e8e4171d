import type { Database } from "bun:sqlite"
import {
  type AccountDetailsRow,
  type AdminKeyRow,
  type KeyDetailsRow,
  placeOf,
  toAccountDetails,
  toAdminKey,
  toKeyDetails,
} from "../admin-rows.ts"
import type { AdminStore, AuditRecord, Page } from "../admin-store.ts"
import type { NoticeRecord } from "../outbox.ts"
import type { Value } from "./assignments.ts"
import { noticeColumns } from "./outbox-rows.ts"
import { accountDetailsColumns, accountTables, keyDetailsColumns } from "./rows.ts"

type Lists = Pick<AdminStore, "accounts" | "keys" | "notices" | "adminKeys" | "audit">

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
    const place = placeOf(page)
    const isAfter = place && `(${order.columns}) ${order.descending ? "<" : ">"} ($afterMs, $afterId)`
    const where = [...conditions.sql, ...(isAfter ? [isAfter] : [])]
    const direction = order.descending ? " DESC" : ""
    const sql = `${select}${where.length > 0 ? ` WHERE ${where.join(" AND ")}` : ""}
      ORDER BY ${order.columns.replaceAll(",", `${direction},`)}${direction} LIMIT $limit`
    const parameters = {
      ...conditions.values,
      limit: page.limit,
      ...(place && { afterMs: place.ms, afterId: place.id }),
    }
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
      const select = `SELECT ${noticeColumns} FROM notices CROSS JOIN accounts ON accounts.id = account_id`
      const order = { columns: "raised_ms, notices.id", descending: true }
      return list<NoticeRecord>(select, conditions, order, page)
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
      const order = { columns: "at_ms, id", descending: true }
      return list<AuditRecord>(`SELECT ${auditColumns} FROM audit`, conditions, order, page)
    },
  }
}

interface Order {
  /** A time and an id, which no two rows share. */
  readonly columns: string
  readonly descending: boolean
}

const byCreation: Order = { columns: "created_ms, id", descending: false }

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
