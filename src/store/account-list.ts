import { toLowerAscii } from "../values/ascii.ts"
import type { AccountDetails, Page } from "./admin-store.ts"
import { mostSorted, readInLedgerOrder, sortFew } from "./ledger-order.ts"
import type { AccountFilter, AccountOrder } from "./list-filters.ts"
import {
  type Candidates,
  type Condition,
  compares,
  countRows,
  equals,
  findFew,
  type ListQuery,
  type Order,
  orderBy,
  type RowCount,
  readPage,
  readThose,
} from "./list-page.ts"
import type { ListParts } from "./list-parts.ts"
import * as rows from "./rows.ts"
import { beginsWith } from "./text-start.ts"

/** The start of each account's id. */
const idStart = "acc_"

const oldestFirst = orderBy(false, "created_ms", "id")
const noWhere = { conditions: [], checks: [], candidates: [] }
/** Accounts that one statement checks. */
const checkedAtOnce = 2_048
/** Ids are random: if so many of the first ones meet a filter, then about that part of all accounts does. */
const sample = { size: 256, many: 64 }
const byId: Order = { columns: [["id", "string"]], isDescending: false }

/** An index has these alone. */
const closedAccounts = {
  table: "ledger",
  select: (ledger: string) => `SELECT account_id FROM ${ledger}`,
  conditions: [[() => "closed_ms IS NOT NULL"]] as const,
  order: { columns: [["account_id", "string"]] as const, isDescending: false },
}

/** The list of accounts, in any kind of store. */
export function prepareAccountList(parts: ListParts) {
  const { read, texts, isClosed, indexed, lowerName } = parts
  const closed = `SELECT account_id AS id FROM ledger ${indexed("ledger_closed")} WHERE closed_ms IS NOT NULL`
  const nearLimit = `SELECT account_id AS id FROM ledger ${indexed("ledger_near_limit")} WHERE notified > 0 AND closed_ms IS NULL`
  const orders: Readonly<Record<"newest" | "oldest" | "name", Order>> = {
    newest: orderBy(true, "created_ms", "id"),
    oldest: oldestFirst,
    name: {
      columns: [
        [lowerName.accounts, "string"],
        ["id", "string"],
      ],
      isDescending: false,
    },
  }

  type Where = Pick<ListQuery, "conditions"> & Required<Pick<ListQuery, "checks" | "candidates">>

  /**
   * The conditions of a filter.
   * @param hasPlanIndex whether an index has the accounts of a plan in the order of the list
   */
  function toWhere(filter: AccountFilter, hasPlanIndex: boolean): Where {
    const checks: Condition[] = []
    const candidates: Candidates[] = []
    const check = (condition: Condition, select: Condition | null) => {
      checks.push(condition)
      if (select) candidates.push({ column: "id", select })
    }
    const ofPlan = equals("plan", filter.plan)
    if (!hasPlanIndex) for (const one of ofPlan) check(one, withIds("accounts", "id", one))
    if (filter.closed === true) check([() => isClosed], [() => closed])
    if (filter.closed === false) check([() => `NOT (${isClosed})`], null)
    const { mayBeNearLimitSinceMs: sinceMs, search, keyPrefix } = filter
    if (sinceMs !== undefined) check([parts.mayBeNearLimit, sinceMs], [() => nearLimit])
    if (search !== undefined) check(...finds(search))
    if (keyPrefix !== undefined) {
      const [toSql, ...values] = beginsWith(parts.byBytes("prefix"), keyPrefix)
      check(
        [
          (...given) =>
            `EXISTS (SELECT 1 FROM keys WHERE keys.account_id = accounts.id AND ${toSql(...given)})`,
          ...values,
        ],
        [(...given) => `SELECT account_id AS id FROM keys WHERE ${toSql(...given)}`, ...values],
      )
    }
    // At most one account has it.
    const ofOne = [...equals("email", filter.email), ...equals("external_id", filter.externalId)]
    return { conditions: [...ofOne, ...(hasPlanIndex ? ofPlan : [])], checks, candidates }
  }

  /** The conditions of accounts with a text in their name or at the beginning of their id, by row and by index. */
  function finds(search: string): [check: Condition, select: Condition | null] {
    const { nameContains, nameIndex, idBeginsWith } = parts
    const text = toLowerAscii(search)
    // In PostgreSQL a name is found in one index, and an id in another.
    const mayBeId = text.startsWith(idStart) || idStart.startsWith(text)
    const withId = (name: Condition) => (mayBeId ? either(name, idBeginsWith(text)) : name)
    if (nameIndex === null) return [withId(nameContains(text)), null]
    return [withId(nameContains(text)), withIds("accounts", "id", withId(nameIndex(text)))]
  }

  /** Reads ids of accounts. The page is found in indexes alone; only its rows are read whole. */
  async function readIds(where: Where, order: Order, page: Page): Promise<readonly string[]> {
    const found = await readPage<{ id: string }>(parts, { ...ofAccounts(where, order), order, page })
    return found.map(({ id }) => id)
  }

  function ofAccounts(where: Where, order = oldestFirst) {
    const columns = parts.accountColumns[order === orders.name ? "byName" : "usual"]
    const select = (accounts: string) => `SELECT id FROM ${accounts}`
    return { table: "accounts", columns, select, ...where }
  }

  /** In the order by name, looking at a row takes several times as long: few accounts are found in another way, and sorted. */
  async function readByName(filter: AccountFilter, page: Page): Promise<readonly string[]> {
    const few = await findFewIds(filter)
    if (few === null) return readIds(toWhere(filter, false), orders.name, page)
    const isOne: Condition = [(list) => `id ${texts.isIn(list)}`, texts.toParameter(few)]
    return readIds({ ...noWhere, conditions: [isOne] }, orders.name, page)
  }

  async function readByUse(
    filter: AccountFilter,
    order: Extract<AccountOrder, { readonly by: "used" | "last_used" }>,
    page: Page,
  ): Promise<readonly string[]> {
    const checks = checksOf(filter)
    // To find out that accounts are too many to sort takes as long as to read the first of them in the order.
    const few = (await leavesMany(checks)) ? null : await findFewIds(filter)
    if (few !== null) return sortFew(parts, few, order, page)
    return readInLedgerOrder(
      parts,
      order,
      page,
      checks.length === 0 ? null : async (ids) => new Set(await checkIds(ids, checks)),
    )
  }

  async function leavesMany(checks: readonly Condition[]): Promise<boolean> {
    if (checks.length === 0) return true
    const some = await readIds(noWhere, byId, { limit: sample.size, after: null })
    return (await checkIds(some, checks)).length >= sample.many
  }

  /** The accounts that meet the conditions, if they are few enough to sort; else null. */
  async function findFewIds(filter: AccountFilter): Promise<readonly string[] | null> {
    const { conditions, ...others } = toWhere(filter, false)
    const checks = checksOf(filter)
    const candidates = [
      ...conditions.map((one): Candidates => ({ column: "id", select: withIds("accounts", "id", one) })),
      ...others.candidates,
    ]
    const few = await findFew(read, candidates, mostSorted)
    // The index of accounts near their limit has more of them; the others say all of their condition.
    const isWhole = checks.length === 1 && filter.mayBeNearLimitSinceMs === undefined
    if (few !== null) return isWhole ? [...new Set(few.ids)] : checkIds(few.ids, checks)
    if (candidates.length === checks.length) return null
    // No index says how many there are.
    const ids = await readIds(toWhere(filter, true), oldestFirst, { limit: mostSorted + 1, after: null })
    return ids.length <= mostSorted ? ids : null
  }

  function checksOf(filter: AccountFilter): readonly Condition[] {
    const { conditions, checks } = toWhere(filter, false)
    return [...conditions, ...checks]
  }

  /** Those of some accounts that meet conditions. */
  async function checkIds(ids: readonly string[], checks: readonly Condition[]): Promise<readonly string[]> {
    const found: string[] = []
    for (let first = 0; first < ids.length; first += checkedAtOnce) {
      const some = ids.slice(first, first + checkedAtOnce)
      const rows = await readThose<{ id: string }>(parts, ofAccounts({ ...noWhere, checks }), "id", some)
      found.push(...rows.map(({ id }) => id))
    }
    return found
  }

  function readInOrder(filter: AccountFilter, order: AccountOrder, page: Page): Promise<readonly string[]> {
    if (order.by === "used" || order.by === "last_used") return readByUse(filter, order, page)
    if (order.by === "name") return readByName(filter, page)
    return readIds(toWhere(filter, true), orders[order.by], page)
  }

  return {
    async read(
      filter: AccountFilter,
      page: Page,
      order: AccountOrder = { by: "oldest" },
    ): Promise<readonly AccountDetails[]> {
      // No name has it, and SQLite's LIKE ends a pattern there.
      if (filter.search?.includes("\0")) return []
      const ids = await readInOrder(filter, order, page)
      if (ids.length === 0) return []
      const select = `${rows.selectAccountDetails} WHERE id ${texts.isIn("$1")}`
      const found = await read<rows.AccountDetailsRow>(select, [texts.toParameter(ids)])
      const byId = new Map(found.map((row) => [row.id, row]))
      return ids.flatMap((id) => {
        const row = byId.get(id)
        return row ? [rows.toAccountDetails(row)] : []
      })
    },
    async count(filter: AccountFilter, most: number, createdBeforeMs?: number): Promise<RowCount> {
      if (filter.search?.includes("\0")) return { count: 0, isExact: true }
      const { closed: isClosedAsked, ...others } = filter
      const end = compares("created_ms", "<", createdBeforeMs)
      const count = (where: Where) =>
        countRows(parts, { ...ofAccounts(where), order: oldestFirst, most, end })
      if (
        isClosedAsked === undefined ||
        createdBeforeMs !== undefined ||
        Object.values(others).some((value) => value !== undefined)
      ) {
        return count(toWhere(filter, true))
      }
      const ofClosed = await countRows(parts, { ...closedAccounts, most })
      if (isClosedAsked) return ofClosed
      const all = await count(toWhere({}, true))
      return { count: Math.max(0, all.count - ofClosed.count), isExact: all.isExact && ofClosed.isExact }
    },
  }
}

/** A SELECT of the ids of rows that meet a condition. */
function withIds(table: string, column: string, [toSql, ...values]: Condition): Condition {
  return [(...given) => `SELECT ${column} AS id FROM ${table} WHERE ${toSql(...given)}`, ...values]
}

/** The condition that one of two is true. */
function either([a, ...ofA]: Condition, [b, ...ofB]: Condition): Condition {
  const toSql = (...placeholders: string[]) =>
    `(${a(...placeholders.slice(0, ofA.length))} OR ${b(...placeholders.slice(ofA.length))})`
  return [toSql, ...ofA, ...ofB]
}
