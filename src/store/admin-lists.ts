import { InputRejected } from "../apis/contract.ts"
import { prepareAccountList } from "./account-list.ts"
import type { AdjustmentFilter, AdjustmentRecord } from "./adjustments.ts"
import type {
  AdminKeyRecord,
  AuditRecord,
  EmailLink,
  KeyDetails,
  NameOfId,
  TakenTexts,
} from "./admin-store.ts"
import type {
  AttemptFilter,
  AuditFilter,
  CountedList,
  KeyFilter,
  KeySort,
  MailFilter,
  NoticeFilter,
  Page,
} from "./list-filters.ts"
import {
  beginsWith,
  byFirst,
  type Candidates,
  type Condition,
  compares,
  countRows,
  equals,
  isOneOf,
  type ListParts,
  type ListQuery,
  type Order,
  orderBy,
  type RowCount,
  readPage,
} from "./list-page.ts"
import { mailColumns } from "./mail-outbox.ts"
import { type MailRecord, shownState } from "./mails.ts"
import type { AttemptRecord, NoticeRecord } from "./outbox.ts"
import * as rows from "./rows.ts"

/** Keys of one account that are sorted by their last use. */
const mostSorted = 5_000

/** The list of keys, in any kind of store. */
function prepareKeyList(parts: ListParts) {
  const { read, texts, lowerName } = parts
  const oldest = orderBy(false, "created_ms", "id")
  const orders: Readonly<Record<"newest" | "oldest" | "name", Order>> = {
    newest: orderBy(true, "created_ms", "id"),
    oldest,
    name: {
      columns: [
        [lowerName.keys, "string"],
        ["id", "string"],
      ],
      isDescending: false,
    },
  }

  function toWhere(filter: KeyFilter, hasIndexes: boolean): Omit<ListQuery, "page" | "order"> {
    const { accountId, externalId, prefix, idPrefix, state } = filter
    const ofKey = [...equals("account_id", accountId), ...equals("external_id", externalId)]
    const ofState = state ? [stateConditions[state.name](state.nowMs)] : []
    const { conditions, checks } = hasIndexes ? byFirst(ofKey) : { conditions: [], checks: ofKey }
    const candidates: Candidates[] = checks.map((one) => withIds(one))
    const ofPrefix = [
      ...(prefix === undefined ? [] : [beginsWith(`prefix COLLATE "C"`, prefix)]),
      ...(idPrefix === undefined ? [] : [beginsWith("id", idPrefix)]),
    ]
    candidates.push(...ofPrefix.map(withIds))
    if (state && state.name !== "works") candidates.push(withIds(ofState[0] ?? [() => "true"]))
    const select = (keys: string) => rows.selectKeyDetails.replace("FROM keys", `FROM ${keys}`)
    return { table: "keys", select, conditions, checks: [...checks, ...ofPrefix, ...ofState], candidates }
  }

  async function lastUses(keys: readonly Pick<KeyDetails, "id" | "accountId">[]) {
    const ids = texts.toParameter(keys.map(({ id }) => id))
    const accounts = texts.toParameter([...new Set(keys.map(({ accountId }) => accountId))])
    const select = `SELECT key_id AS "keyId", max(day) AS day FROM (
        SELECT id AS key_id, (SELECT max(day) FROM key_usage WHERE key_id = keys.id) AS day FROM keys WHERE id ${texts.isIn("$1")}
        UNION ALL
        SELECT key_id, day FROM (${parts.openDays} WHERE account_id ${texts.isIn("$2")}) AS open_days WHERE key_id ${texts.isIn("$1")}
      ) AS days WHERE day IS NOT NULL GROUP BY key_id`
    return read<{ readonly keyId: string; readonly day: string }>(select, [ids, accounts])
  }

  /** Sorts the keys of one account, which are few. */
  async function readByUse(filter: KeyFilter, page: Page): Promise<readonly KeyDetails[]> {
    if (filter.accountId === undefined)
      throw new InputRejected("sort", "may be last_used for one account only")
    const all = { limit: mostSorted + 1, after: null }
    const found = await readPage<rows.KeyDetailsRow>(parts, {
      ...toWhere(filter, true),
      order: oldest,
      page: all,
    })
    if (found.length > mostSorted)
      throw new InputRejected("sort", `may be last_used for an account with up to ${mostSorted} keys`)
    const days = new Map((await lastUses(found)).map(({ keyId, day }) => [keyId, day]))
    const keyed = found.map((row) => [`${days.get(row.id) ?? ""} ${row.id}`, row] as const)
    const [day, id] = page.after ?? []
    const after = page.after === null ? null : `${day} ${id}`
    return keyed
      .filter(([place]) => after === null || place < after)
      .sort(([a], [b]) => (a < b ? 1 : -1))
      .slice(0, page.limit)
      .map(([, row]) => rows.toKeyDetails(row))
  }

  return {
    lastUses,
    async read(filter: KeyFilter, page: Page, sort: KeySort = "oldest"): Promise<readonly KeyDetails[]> {
      if (sort === "last_used") return readByUse(filter, page)
      const query = { ...toWhere(filter, sort !== "name"), order: orders[sort], page }
      return (await readPage<rows.KeyDetailsRow>(parts, query)).map(rows.toKeyDetails)
    },
    count: (filter: KeyFilter, most: number): Promise<RowCount> =>
      countRows(parts, { ...toWhere(filter, true), most }),
  }
}

const stateConditions: Readonly<
  Record<NonNullable<KeyFilter["state"]>["name"], (nowMs: number) => Condition>
> = {
  revoked: () => [() => "revoked_ms IS NOT NULL"],
  disabled: () => [() => "(disabled_ms IS NOT NULL AND revoked_ms IS NULL)"],
  expired: (nowMs) => [
    (now) =>
      `(expires_ms IS NOT NULL AND revoked_ms IS NULL AND disabled_ms IS NULL AND expires_ms <= ${now})`,
    nowMs,
  ],
  works: (nowMs) => [
    (now) => `(revoked_ms IS NULL AND disabled_ms IS NULL AND (expires_ms IS NULL OR expires_ms > ${now}))`,
    nowMs,
  ],
}

function withIds([toSql, ...values]: Condition): Candidates {
  const select = (...given: string[]) => `SELECT id FROM keys WHERE ${toSql(...given)}`
  return { column: "id", select: [select, ...values] }
}

/** The lists of the administration. Every method may reject with StoreUnavailable. */
export type Lists = ReturnType<typeof prepareLists>

/** An index has them. Its condition must be a part of the statement. */
const isNotRemoved: Condition = [() => "removed_ms IS NULL"]
const byCreation = orderBy(false, "created_ms", "id")
const byNewest = orderBy(true, "created_ms", "id")
const byTime = orderBy(true, "at_ms", "id")
const mailsByTime = orderBy(true, "raised_ms", "id")
const noticesByTime = orderBy(true, "raised_ms", "notices.id")
const attemptsByTime: Order = {
  columns: [...orderBy(true, "at_ms", "notice_id").columns, ["attempt", "number"]],
  isDescending: true,
}

/** The lists of the administration, in any kind of store. */
export function prepareLists(parts: ListParts) {
  const list = <Row>(query: ListQuery) => readPage<Row>(parts, query)
  const accounts = prepareAccountList(parts)
  const keys = prepareKeyList(parts)

  return {
    /** Accounts in an order; the oldest first by default. */
    accounts: accounts.read,
    /** How many open accounts have each plan, by the plan's name. It looks at every account. */
    plansInUse: accounts.plansInUse,
    /** The names of some accounts, in any order; unknown ones are left out. */
    accountNames: (ids: readonly string[]) => namesOf("accounts", ids),
    /** The names of some keys, in any order; unknown ones are left out. A key may have an empty name. */
    keyNames: (ids: readonly string[]) => namesOf("keys", ids),
    /** Finds those of some normalised e-mail addresses and external ids that an account has, open or closed. */
    async findTaken({ emails, externalIds }: TakenTexts): Promise<TakenTexts> {
      const find = async (column: "email" | "external_id", given: readonly string[]) => {
        if (given.length === 0) return []
        const select = `SELECT ${column} AS text FROM accounts WHERE ${column} ${parts.texts.isIn("$1")}`
        const found = await parts.read<{ text: string }>(select, [parts.texts.toParameter(given)])
        return found.map(({ text }) => text)
      }
      return { emails: await find("email", emails), externalIds: await find("external_id", externalIds) }
    },
    /** Keys in an order; the oldest first by default. */
    keys: keys.read,
    /** The last day with a call by each of some keys, `YYYY-MM-DD`. A key without calls is left out. */
    lastUses: keys.lastUses,
    /**
     * Counts the rows of a list. It ends soon after `most` rows were counted in an index, or a quarter as many looked at where no
     * index answers the filter; the count is not exact then.
     */
    countListed(asked: CountedList, most: number) {
      if (asked.list === "accounts") return accounts.count(asked.filter, most, asked.createdBeforeMs)
      if (asked.list === "keys") return keys.count(asked.filter, most)
      if (asked.list === "notices") return countRows(parts, { ...noticeQuery(asked.filter), most })
      if (asked.list === "mails") return countRows(parts, { ...mailQuery(asked.filter), most })
      return countRows(parts, { ...auditQuery(asked.filter, parts.texts), most })
    },
    /** Notices, newest first. */
    notices: (filter: NoticeFilter, page: Page) => list<NoticeRecord>({ ...noticeQuery(filter), page }),
    /** Attempts to deliver notices, newest first: sorted by `atMs`, `noticeId` and `attempt`. */
    noticeAttempts({ noticeId, accountId }: AttemptFilter, page: Page) {
      const ofAccount = equals("account_id", accountId).map(([toSql, ...values]): Condition => {
        return [(one) => `notice_id IN (SELECT id FROM notices WHERE ${toSql(one)})`, ...values]
      })
      return list<AttemptRecord>({
        table: "notice_attempts",
        select: (attempts) => `SELECT ${rows.attemptColumns} FROM ${attempts}`,
        conditions: [...equals("notice_id", noticeId), ...ofAccount],
        ...{ order: attemptsByTime, page },
      })
    },
    /** Admin keys in the order of creation. */
    async adminKeys(page: Page) {
      const query = {
        table: "admin_keys",
        select: () => rows.selectAdminKeys,
        conditions: [],
        order: byCreation,
        page,
      }
      return (await list<rows.PermittedRow<AdminKeyRecord>>(query)).map(rows.withPermissions)
    },
    /** Invitations that were not used, expired ones included until they are deleted. Newest first. */
    invitations: (page: Page) =>
      list<EmailLink>({
        table: "email_links",
        select: (links) => rows.selectEmailLinks.replace("FROM email_links", `FROM ${links}`),
        conditions: [],
        checks: [[() => "kind = 'invitation' AND used_ms IS NULL"]],
        ...{ order: byNewest, page },
      }),
    /** Operators' changes of the bonus of accounts, newest first: sorted by `atMs` and `id`. */
    adjustments({ accountIds, fromMs }: AdjustmentFilter, page: Page) {
      return list<AdjustmentRecord>({
        table: "adjustments",
        select: () => rows.selectAdjustments,
        conditions: isOneOf("account_id", accountIds, parts.texts),
        end: compares("at_ms", ">=", fromMs),
        order: byTime,
        page,
      })
    },
    /** People who were not removed, in the order of creation. */
    async people(page: Page) {
      const query = {
        table: "people",
        select: (people: string) => rows.selectPeople.replace("FROM people", `FROM ${people}`),
        conditions: [isNotRemoved],
        order: byCreation,
        page,
      }
      return (await list<rows.PersonRow>(query)).map(rows.toPerson)
    },
    /** Audit records, newest first. */
    audit: (filter: AuditFilter, page: Page) =>
      list<AuditRecord>({ ...auditQuery(filter, parts.texts), page }),
    /** Mails, newest first. */
    mails: (filter: MailFilter, page: Page) => list<MailRecord>({ ...mailQuery(filter), page }),
    /** Finds mails by their ids; unknown ids are left out. */
    mailsById: (ids: readonly string[]) =>
      parts.read<MailRecord>(`${selectMails("mails")} WHERE id ${parts.texts.isIn("$1")}`, [
        parts.texts.toParameter(ids),
      ]),
  }

  async function namesOf(table: "accounts" | "keys", ids: readonly string[]): Promise<readonly NameOfId[]> {
    if (ids.length === 0) return []
    return parts.read(`SELECT id, name FROM ${table} WHERE id ${parts.texts.isIn("$1")}`, [
      parts.texts.toParameter(ids),
    ])
  }

  function noticeQuery({ accountId, state }: NoticeFilter): Omit<ListQuery, "page"> {
    const select = (notices: string) => rows.selectNotices.replace("FROM notices", `FROM ${notices}`)
    const found = byFirst([...equals("account_id", accountId), ...equals(shownState, state)])
    return { table: "notices", select, ...found, order: noticesByTime }
  }
}

const selectMails = (mails: string) => `SELECT ${mailColumns} FROM ${mails}`

/** Mails to one address are fewer than those of an account. */
function mailQuery({ accountId, recipient, state }: MailFilter): Omit<ListQuery, "page"> {
  const found = byFirst([
    ...equals("recipient", recipient),
    ...equals("account_id", accountId),
    ...equals("state", state),
  ])
  return { table: "mails", select: selectMails, ...found, order: mailsByTime }
}

function auditQuery(filter: AuditFilter, texts: rows.TextList): Omit<ListQuery, "page"> {
  const select = (audit: string) => rows.selectAudit.replace("FROM audit", `FROM ${audit}`)
  return { table: "audit", select, ...auditConditions(filter, texts), order: byTime }
}

/** Records of one thing are fewer than those of its account, and these fewer than those of an actor or an operation. */
function auditConditions(
  filter: AuditFilter,
  texts: rows.TextList,
): Required<Pick<ListQuery, "conditions" | "begin" | "end" | "checks">> {
  const ofTargets = isOneOf("target_id", filter.targetIds, texts)
  const ofThing = [...ofTargets, ...equals("account_id", filter.accountId)]
  const others = [...equals("operation", filter.operation), ...equals("actor", filter.actor)]
  const range = {
    begin: compares("at_ms", "<", filter.toMs),
    end: compares("at_ms", ">=", filter.fromMs),
  }
  // An index has operations with their actors.
  if (ofThing.length === 0) return { conditions: others, checks: [], ...range }
  return { ...byFirst([...ofThing, ...others]), ...range }
}
