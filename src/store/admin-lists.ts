import { InputRejected } from "../apis/contract.ts"
import type { AdminKeyRecord, AdminStore, AuditRecord, Page } from "./admin-store.ts"
import type { AttemptRecord, NoticeRecord } from "./outbox.ts"
import * as rows from "./rows.ts"

/** The lists of the administration. */
export type Lists = Pick<
  AdminStore,
  "accounts" | "keys" | "notices" | "noticeAttempts" | "adminKeys" | "audit"
>

/** How a kind of store reads lists. */
export interface ListParts {
  readonly read: rows.Run
  /** Reads a page of accounts. The SQL of the conditions names columns of `accounts`. */
  listAccounts(query: Omit<ListQuery, "select">): Promise<readonly rows.AccountDetailsRow[]>
  /** Selects {@link NoticeRecord}s. */
  readonly selectNotices: string
  /** Joins notices with their attempts, of which an account has few: they are found by its notices. */
  readonly joinAttempts: "JOIN" | "CROSS JOIN"
  /** The condition of accounts with a text in their name. The case of A to Z does not count; the text has small letters. */
  readonly nameContains: (text: string) => Condition
  /** The same for accounts whose id begins with the text. */
  readonly idBeginsWith: (text: string) => Condition
  /** The SQL that is true for closed accounts. */
  readonly isClosed: string
  /** The SQL for `mayBeNearLimitSinceMs` of AccountFilter. */
  readonly mayBeNearLimit: (sinceMs: string) => string
}

/** The start of each account's id. */
const idStart = "acc_"

const byCreation = order(false, "created_ms", "id")
const byTime = order(true, "at_ms", "id")
const noticesByTime = order(true, "raised_ms", "notices.id")
const attemptsByTime: Order = {
  columns: [...order(true, "at_ms", "notice_id").columns, ["attempt", "number"]],
  isDescending: true,
}

/** The lists of the administration, in any kind of store. */
export function prepareLists(parts: ListParts): Lists {
  const { read, listAccounts, nameContains, idBeginsWith, isClosed, mayBeNearLimit } = parts
  const list = <Row>(query: ListQuery) => readPage<Row>(read, query)
  return {
    async accounts({ plan, externalId, closed, search, mayBeNearLimitSinceMs }, page) {
      const conditions = [...equals("plan", plan), ...equals("external_id", externalId)]
      if (closed !== undefined) conditions.push([(one) => `(${isClosed}) = (${one} = 1)`, closed ? 1 : 0])
      // No name has it, and SQLite's LIKE ends a pattern there.
      if (search?.includes("\0")) return []
      if (search !== undefined) conditions.push(finds(search))
      if (mayBeNearLimitSinceMs !== undefined) conditions.push([mayBeNearLimit, mayBeNearLimitSinceMs])
      return (await listAccounts({ conditions, order: byCreation, page })).map(rows.toAccountDetails)
    },
    async keys({ accountId, externalId }, page) {
      const conditions = [...equals("account_id", accountId), ...equals("external_id", externalId)]
      const query = { select: rows.selectKeyDetails, conditions, order: byCreation, page }
      return (await list<rows.KeyDetailsRow>(query)).map(rows.toKeyDetails)
    },
    notices({ accountId, state }, page) {
      const conditions = [...equals("account_id", accountId), ...equals("state", state)]
      return list<NoticeRecord>({ select: parts.selectNotices, conditions, order: noticesByTime, page })
    },
    noticeAttempts({ noticeId, accountId }, page) {
      const conditions = [...equals("notice_id", noticeId), ...equals("account_id", accountId)]
      const join = accountId === undefined ? "" : `notices ${parts.joinAttempts}`
      const select = `SELECT ${rows.attemptColumns} FROM ${join} notice_attempts${join && " ON notice_id = notices.id"}`
      return list<AttemptRecord>({ select, conditions, order: attemptsByTime, page })
    },
    async adminKeys(page) {
      const query = { select: rows.selectAdminKeys, conditions: [], order: byCreation, page }
      return (await list<rows.PermittedRow<AdminKeyRecord>>(query)).map(rows.withPermissions)
    },
    audit({ actor, operation, targetId, accountId, fromMs, toMs }, page) {
      const conditions = [
        ...equals("actor", actor),
        ...equals("operation", operation),
        ...equals("target_id", targetId),
        ...equals("account_id", accountId),
        ...compares("at_ms", ">=", fromMs),
        ...compares("at_ms", "<", toMs),
      ]
      return list<AuditRecord>({ select: rows.selectAudit, conditions, order: byTime, page })
    },
  }

  /** The condition of accounts with a text in their name or at the beginning of their id. */
  function finds(search: string): Condition {
    const text = search.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
    // In PostgreSQL a name is found in one index, and an id in another.
    const mayBeId = text.startsWith(idStart) || idStart.startsWith(text)
    return mayBeId ? either(nameContains(text), idBeginsWith(text)) : nameContains(text)
  }
}

/** Reads a page of a list. */
export async function readPage<Row>(read: rows.Run, query: ListQuery): Promise<readonly Row[]> {
  const { sql, values } = toListSql(query)
  return read<Row>(sql, values)
}

function order(isDescending: boolean, time: string, id: string): Order {
  return {
    columns: [
      [time, "number"],
      [id, "string"],
    ],
    isDescending,
  }
}

type Value = string | number

/** A condition on rows: SQL made of the placeholders of its values, and the values. */
export type Condition = readonly [toSql: (...placeholders: string[]) => string, ...values: Value[]]

/** The order of a list: columns whose values no two rows share, and the types of these values. */
interface Order {
  readonly columns: readonly (readonly [column: string, type: "number" | "string"])[]
  readonly isDescending: boolean
}

/** A page of a list: a SELECT, its conditions and its order. */
export interface ListQuery {
  readonly select: string
  readonly conditions: readonly Condition[]
  readonly order: Order
  readonly page: Page
}

/**
 * The SQL of one page of a list. It is made of the filters that are given, so that the database finds the index for them.
 * @throws InputRejected when the page begins after a place that is not one of this list
 */
function toListSql({ select, conditions, order, page }: ListQuery): {
  readonly sql: string
  readonly values: readonly Value[]
} {
  const values: Value[] = []
  const add = (value: Value) => `$${values.push(value)}::${typeof value === "number" ? "bigint" : "text"}`
  const where = conditions.map(([toSql, ...values]) => toSql(...values.map(add)))
  const place = placeOf(page, order)
  if (place) {
    const columns = order.columns.map(([column]) => column).join(", ")
    where.push(`(${columns}) ${order.isDescending ? "<" : ">"} (${place.map(add).join(", ")})`)
  }
  const sorted = order.columns.map(([column]) => (order.isDescending ? `${column} DESC` : column)).join(", ")
  const filter = where.length > 0 ? `WHERE ${where.join(" AND ")}` : ""
  return { sql: `${select} ${filter} ORDER BY ${sorted} LIMIT ${add(page.limit)}`, values }
}

/** The condition that one of two is true. */
function either([a, ...ofA]: Condition, [b, ...ofB]: Condition): Condition {
  const toSql = (...placeholders: string[]) =>
    `(${a(...placeholders.slice(0, ofA.length))} OR ${b(...placeholders.slice(ofA.length))})`
  return [toSql, ...ofA, ...ofB]
}

/** The condition that a column has a value; none when there is no value. */
function equals(column: string, value: Value | undefined): Condition[] {
  return compares(column, "=", value)
}

/** The condition that compares a column with a value; none when there is no value. */
function compares(column: string, operator: "=" | "<" | ">=", value: Value | undefined): Condition[] {
  return value === undefined ? [] : [[(one) => `${column} ${operator} ${one}`, value]]
}

function placeOf({ after }: Page, { columns }: Order): readonly Value[] | null {
  if (after === null) return null
  const fits = after.length === columns.length && columns.every(([, type], n) => typeof after[n] === type)
  if (fits) return after
  throw new InputRejected("after", "must be the 'next' of a page of this list")
}
