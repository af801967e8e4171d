import * as rows from "../rows.ts"
import { toSqlite } from "./statement.ts"

/** Selects a {@link NoticeRecord} from notices joined with accounts. */
export const noticeColumns = toSqlite(rows.noticeColumns)

/** Selects {@link NoticeRecord}s. The order of the join lets an index of notices give the order of a list. */
export const selectNotices = `SELECT ${noticeColumns} FROM notices CROSS JOIN accounts ON accounts.id = account_id`

/** Selects the {@link NoticeRecord} with the id `?1`. */
export const selectNotice = `SELECT ${noticeColumns} FROM notices JOIN accounts ON accounts.id = account_id WHERE notices.id = ?1`
