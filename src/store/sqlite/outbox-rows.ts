import * as rows from "../rows.ts"
import { toSqlite } from "./statement.ts"

/** Selects a {@link NoticeRecord} from notices joined with accounts. */
export const noticeColumns = toSqlite(rows.noticeColumns)

/** Selects {@link NoticeRecord}s. The order of the join lets an index of notices give the order of a list. */
export const selectNotices = `SELECT ${noticeColumns} FROM notices CROSS JOIN accounts ON accounts.id = account_id`

/** Host and port of a webhook's URL, which is stored in normal form: `scheme://host[:port]/…`, without a user. */
export const webhookHost = `substr(webhook_url, instr(webhook_url, '//') + 2,
  instr(substr(webhook_url, instr(webhook_url, '//') + 2), '/') - 1)`
