import type { Database } from "bun:sqlite"
import { prepareLists } from "../admin-lists.ts"
import type { AccountDetailsRow } from "../admin-rows.ts"
import { type ListQuery, toListSql, type Value } from "../list-query.ts"
import { attemptColumns, selectNotices } from "./outbox-rows.ts"
import {
  accountDetailsColumns,
  accountTables,
  adminKeyColumns,
  auditColumns,
  keyDetailsColumns,
} from "./rows.ts"

const selects = {
  keys: `SELECT ${keyDetailsColumns} FROM keys`,
  notices: selectNotices,
  noticeAttempts: `SELECT ${attemptColumns} FROM notice_attempts`,
  // An account has few attempts, which are found by its notices.
  accountAttempts: `SELECT ${attemptColumns} FROM notices CROSS JOIN notice_attempts ON notice_id = notices.id`,
  adminKeys: `SELECT ${adminKeyColumns} FROM admin_keys`,
  audit: `SELECT ${auditColumns} FROM audit`,
}

/** The SQL that is true for a closed account. */
export const isClosedAccount = `EXISTS (SELECT 1 FROM ledger INDEXED BY ledger_closed
  WHERE ledger.account_id = accounts.id AND ledger.closed_ms IS NOT NULL)`

/** The lists of the administration on one connection. */
export function prepareSqliteLists(database: Database, read: <T>(operation: () => T) => T) {
  function readPage<Row>(query: ListQuery): readonly Row[] {
    const { sql, values } = toListSql(query, (number) => `?${number}`)
    return read(() => database.query<Row, Value[]>(sql).all(...values))
  }

  return prepareLists({
    list: async (query) => readPage(query),
    async listAccounts(query) {
      // The page is found in indexes alone; only its rows are read whole.
      const rows = readPage<{ id: string }>({ ...query, select: "SELECT id FROM accounts" })
      const ids = JSON.stringify(rows.map(({ id }) => id))
      const sql = `SELECT ${accountDetailsColumns} FROM ${accountTables}
        WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY created_ms, id`
      return read(() => database.query<AccountDetailsRow, [string]>(sql).all(ids))
    },
    selects,
    // LIKE knows the cases of A to Z itself: with lower() a search takes twice as long.
    nameContains: (text) => [(pattern) => `name LIKE ${pattern} ESCAPE '\\'`, `%${escapeLike(text)}%`],
    idBeginsWith: (text) => [(pattern) => `id LIKE ${pattern} ESCAPE '\\'`, `${escapeLike(text)}%`],
    isClosed: isClosedAccount,
    mayBeNearLimit: (sinceMs) => `EXISTS (SELECT 1 FROM ledger INDEXED BY ledger_near_limit
      WHERE ledger.account_id = accounts.id AND notified > 0 AND closed_ms IS NULL AND period_start_ms > ${sinceMs})`,
  })
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&")
}
