import type { AdjustmentRecord } from "./adjustments.ts"
import type { AdminKeyRecord, AdminStore, AuditFilter, AuditRecord, EmailLink } from "./admin-store.ts"
import {
  type Candidates,
  type Condition,
  type ListQuery,
  type Order,
  type PageParts,
  readPage,
} from "./list-page.ts"
import type { AttemptRecord, NoticeRecord } from "./outbox.ts"
import type { PersonRecord } from "./people.ts"
import * as rows from "./rows.ts"

/** The lists of the administration. */
export type Lists = Pick<
  AdminStore,
  | "accounts"
  | "keys"
  | "notices"
  | "noticeAttempts"
  | "adminKeys"
  | "people"
  | "audit"
  | "invitations"
  | "adjustments"
>

/** How a kind of store reads lists. */
export interface ListParts extends PageParts {
  /** The columns of `accounts` that conditions use. */
  readonly accountColumns: string
  /** Selects {@link NoticeRecord}s. */
  readonly selectNotices: string
  /** The condition of accounts with a text in their name. The case of A to Z does not count; the text has small letters. */
  readonly nameContains: (text: string) => Condition
  /** The same in the words of an index; null without one. */
  readonly nameIndex: ((text: string) => Condition) | null
  /** The same for accounts whose id begins with the text. */
  readonly idBeginsWith: (text: string) => Condition
  /** The SQL that is true for closed accounts. */
  readonly isClosed: string
  /** The SQL for `mayBeNearLimitSinceMs` of AccountFilter. */
  readonly mayBeNearLimit: (sinceMs: string) => string
  /** Names an index of `ledger`, for a kind of store that has to be told. */
  readonly indexed: (name: string) => string
}

/** The start of each account's id. */
const idStart = "acc_"

/** An index has them. Its condition must be a part of the statement. */
const isNotRemoved: Condition = [() => "removed_ms IS NULL"]
const byCreation = order(false, "created_ms", "id")
const byNewest = order(true, "created_ms", "id")
const byTime = order(true, "at_ms", "id")
const noticesByTime = order(true, "raised_ms", "notices.id")
const attemptsByTime: Order = {
  columns: [...order(true, "at_ms", "notice_id").columns, ["attempt", "number"]],
  isDescending: true,
}

/** Few notices wait for their delivery, and these are in an index. */
const waitingNotices: Candidates = {
  column: "notices.id",
  select: [() => "SELECT id FROM notices WHERE state = 'pending'"],
}

/** The lists of the administration, in any kind of store. */
export function prepareLists(parts: ListParts): Lists {
  const { read, texts, isClosed, indexed } = parts
  const list = <Row>(query: ListQuery) => readPage<Row>(parts, query)
  const closed = `SELECT account_id AS id FROM ledger ${indexed("ledger_closed")} WHERE closed_ms IS NOT NULL`
  const nearLimit = `SELECT account_id AS id FROM ledger ${indexed("ledger_near_limit")} WHERE notified > 0 AND closed_ms IS NULL`

  return {
    async accounts(filter, page) {
      // No name has it, and SQLite's LIKE ends a pattern there.
      if (filter.search?.includes("\0")) return []
      const checks: Condition[] = []
      const candidates: Candidates[] = []
      const check = (condition: Condition, select: Condition | null) => {
        checks.push(condition)
        if (select) candidates.push({ column: "id", select })
      }
      if (filter.closed === true) check([() => isClosed], [() => closed])
      if (filter.closed === false) check([() => `NOT (${isClosed})`], null)
      const { mayBeNearLimitSinceMs: sinceMs, search } = filter
      if (sinceMs !== undefined) check([parts.mayBeNearLimit, sinceMs], [() => nearLimit])
      if (search !== undefined) check(...finds(search))
      // The page is found in indexes alone; only its rows are read whole.
      const ids = await list<{ id: string }>({
        table: "accounts",
        columns: parts.accountColumns,
        select: (accounts) => `SELECT id FROM ${accounts}`,
        conditions: [
          ...equals("email", filter.email),
          ...equals("plan", filter.plan),
          ...equals("external_id", filter.externalId),
        ],
        ...{ checks, candidates, order: byCreation, page },
      })
      if (ids.length === 0) return []
      const select = `${rows.selectAccountDetails} WHERE id ${texts.isIn("$1")} ORDER BY created_ms, id`
      const found = await read<rows.AccountDetailsRow>(select, [texts.toParameter(ids.map(({ id }) => id))])
      return found.map(rows.toAccountDetails)
    },
    async keys({ accountId, externalId }, page) {
      const select = (keys: string) => rows.selectKeyDetails.replace("FROM keys", `FROM ${keys}`)
      const filters = [...equals("account_id", accountId), ...equals("external_id", externalId)]
      const query = { table: "keys", select, ...byFirst(filters), order: byCreation, page }
      return (await list<rows.KeyDetailsRow>(query)).map(rows.toKeyDetails)
    },
    notices({ accountId, state }, page) {
      const select = (notices: string) => parts.selectNotices.replace("FROM notices", `FROM ${notices}`)
      // An index has those that failed. Its condition must be a part of the statement.
      const hasFailed: Condition[] =
        state === "failed" ? [[() => "state = 'failed'"]] : equals("state", state)
      const ofAccount = equals("account_id", accountId)
      const isFound = ofAccount.length > 0 || state === "failed"
      const conditions = isFound
        ? byFirst([...ofAccount, ...hasFailed])
        : { conditions: [], checks: hasFailed }
      const candidates = state === "pending" ? [waitingNotices] : []
      return list<NoticeRecord>({
        table: "notices",
        select,
        ...conditions,
        candidates,
        order: noticesByTime,
        page,
      })
    },
    noticeAttempts({ noticeId, accountId }, page) {
      const ofAccount = equals("account_id", accountId)
      const checks = ofAccount.map(([toSql, ...values]): Condition => {
        return [
          (one) => `EXISTS (SELECT 1 FROM notices WHERE notices.id = notice_id AND ${toSql(one)})`,
          ...values,
        ]
      })
      const candidates = ofAccount.map(([toSql, ...values]): Candidates => {
        return {
          column: "notice_id",
          select: [(one) => `SELECT id FROM notices WHERE ${toSql(one)}`, ...values],
        }
      })
      return list<AttemptRecord>({
        table: "notice_attempts",
        select: (attempts) => `SELECT ${rows.attemptColumns} FROM ${attempts}`,
        conditions: equals("notice_id", noticeId),
        ...{ checks, candidates, order: attemptsByTime, page },
      })
    },
    async adminKeys(page) {
      const query = {
        table: "admin_keys",
        select: () => rows.selectAdminKeys,
        conditions: [],
        order: byCreation,
        page,
      }
      return (await list<rows.PermittedRow<AdminKeyRecord>>(query)).map(rows.withPermissions)
    },
    invitations: (page) =>
      list<EmailLink>({
        table: "email_links",
        select: (links) => rows.selectEmailLinks.replace("FROM email_links", `FROM ${links}`),
        conditions: [],
        checks: [[() => "kind = 'invitation' AND used_ms IS NULL"]],
        ...{ order: byNewest, page },
      }),
    adjustments(accountId, page) {
      return list<AdjustmentRecord>({
        table: "adjustments",
        select: () => rows.selectAdjustments,
        conditions: equals("account_id", accountId),
        order: byTime,
        page,
      })
    },
    async people(page) {
      const query = {
        table: "people",
        select: (people: string) => rows.selectPeople.replace("FROM people", `FROM ${people}`),
        conditions: [isNotRemoved],
        order: byCreation,
        page,
      }
      return (await list<rows.PermittedRow<PersonRecord>>(query)).map(rows.withPermissions)
    },
    audit(filter, page) {
      const select = (audit: string) => rows.selectAudit.replace("FROM audit", `FROM ${audit}`)
      return list<AuditRecord>({ table: "audit", select, ...auditConditions(filter), order: byTime, page })
    },
  }

  /** The conditions of accounts with a text in their name or at the beginning of their id, by row and by index. */
  function finds(search: string): [check: Condition, select: Condition | null] {
    const { nameContains, nameIndex, idBeginsWith } = parts
    const text = search.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
    // In PostgreSQL a name is found in one index, and an id in another.
    const mayBeId = text.startsWith(idStart) || idStart.startsWith(text)
    const withId = (name: Condition) => (mayBeId ? either(name, idBeginsWith(text)) : name)
    if (nameIndex === null) return [withId(nameContains(text)), null]
    const [toSql, ...values] = withId(nameIndex(text))
    const select: Condition = [(...given) => `SELECT id FROM accounts WHERE ${toSql(...given)}`, ...values]
    return [withId(nameContains(text)), select]
  }
}

type Conditions = Required<Pick<ListQuery, "conditions" | "checks">>

/** The first condition is answered by its index, the others are checked. */
function byFirst([first, ...checks]: readonly Condition[]): Conditions {
  return { conditions: first ? [first] : [], checks }
}

/** Records of one thing are fewer than those of its account, and these fewer than those of an actor or an operation. */
function auditConditions(filter: AuditFilter): Conditions {
  const times = [...compares("at_ms", ">=", filter.fromMs), ...compares("at_ms", "<", filter.toMs)]
  const ofThing = [...equals("target_id", filter.targetId), ...equals("account_id", filter.accountId)]
  // Most operations are rarer than their actors.
  const others = [...equals("operation", filter.operation), ...equals("actor", filter.actor)]
  const { conditions, checks } = byFirst([...ofThing, ...others])
  return { conditions: [...conditions, ...times], checks }
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
