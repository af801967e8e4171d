import { toLowerAscii } from "../values/text.ts"
import type { AccountDetails, Page } from "./admin-store.ts"
import type { AccountFilter, AccountOrder } from "./list-filters.ts"
import {
  allOf,
  beginsWith,
  type Candidates,
  type Condition,
  compares,
  countRows,
  equals,
  type ListParts,
  type ListQuery,
  type Order,
  orderBy,
  placeOf,
  type RowCount,
  readPage,
} from "./list-page.ts"
import * as rows from "./rows.ts"

/** The start of each account's id. */
const idStart = "acc_"

const oldestFirst = orderBy(false, "created_ms", "id")

/** The list of accounts, in any kind of store. */
export function prepareAccountList(parts: ListParts) {
  const { read, texts, isClosed, indexed, lowerName } = parts
  const closed = `SELECT account_id AS id FROM ledger ${indexed("ledger_closed")} WHERE closed_ms IS NOT NULL`
  const [isAlive] = allOf([...parts.alive("accounts"), [() => "true"]])
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
      isSorted: true,
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
      const [toSql, ...values] = beginsWith(`prefix COLLATE "C"`, keyPrefix)
      check(
        [
          (...given) =>
            `EXISTS (SELECT 1 FROM keys WHERE keys.account_id = accounts.id AND ${toSql(...given)})`,
          ...values,
        ],
        [(...given) => `SELECT account_id AS id FROM keys WHERE ${toSql(...given)}`, ...values],
      )
    }
    // Both columns are unique.
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

  function ofAccounts(where: Where, order = oldestFirst) {
    const columns = parts.accountColumns[order === orders.name ? "byName" : "usual"]
    const select = (accounts: string) => `SELECT id FROM ${accounts}`
    return { table: "accounts", columns, select, ...where }
  }

  /** The accounts with these ids, in their order. */
  async function readDetails(found: readonly { readonly id: string }[]): Promise<readonly AccountDetails[]> {
    if (found.length === 0) return []
    const select = `${rows.selectAccountDetails} WHERE id ${texts.isIn("$1")}`
    const ids = found.map(({ id }) => id)
    const details = await read<rows.AccountDetailsRow>(select, [texts.toParameter(ids)])
    const byId = new Map(details.map((row) => [row.id, row]))
    return ids.flatMap((id) => {
      const row = byId.get(id)
      return row ? [rows.toAccountDetails(row)] : []
    })
  }

  /**
   * Reads accounts by what a charge changes. No index has that, since each charge would have to write it too. First come those
   * with use, and then the others. Whether a month is over that may be is told when an account is read.
   */
  async function readByUse(filter: AccountFilter, order: UseOrder, page: Page) {
    const { conditions, candidates, ...where } = toWhere(filter, false)
    const checks = [...conditions, ...where.checks]
    const ofLedger = {
      table: "ledger",
      columns: "account_id, used, day, period_start_ms",
      select: (ledger: string) => `SELECT account_id AS id, used::float8 AS used, day FROM ${ledger}`,
      checks: checks.map(ofAccount),
      whole: checks.length > 0 ? [oneOf(withIds("accounts", "id", allOf(checks)))] : [],
      candidates: candidates.map(({ select }) => ({ column: "account_id", select })),
    }
    const found: AccountDetails[] = []
    let { isUsed, after } = partAt(page, order)
    while (found.length < page.limit) {
      const part = {
        ...ofLedger,
        ...partOf(order, isUsed, parts.ledgerSample),
        page: { limit: page.limit, after },
      }
      const some = await readPage<LedgerRow>(parts, part)
      const details = await readDetails(some)
      found.push(...details.filter((account) => isUsed === (rankOf(account, order) !== noneOf(order))))
      const last = some.at(-1)
      if (some.length < page.limit && !isUsed) break
      if (some.length < page.limit || last === undefined) ({ isUsed, after } = { isUsed: false, after: null })
      else after = isUsed ? [order.by === "used" ? last.used : last.day, last.id] : [last.id]
    }
    return found.slice(0, page.limit)
  }

  return {
    async read(filter: AccountFilter, page: Page, order: AccountOrder = { by: "oldest" }) {
      // No name has it, and SQLite's LIKE ends a pattern there.
      if (filter.search?.includes("\0")) return []
      if (order.by === "used" || order.by === "last_used") return readByUse(filter, order, page)
      const where = toWhere(filter, order.by !== "name")
      const query = { ...ofAccounts(where, orders[order.by]), order: orders[order.by], page }
      return readDetails(await readPage<{ id: string }>(parts, query))
    },
    /** Open accounts by plan: all of them, less those that are closed. */
    plansInUse: (): Promise<readonly { readonly plan: string; readonly accounts: number }[]> =>
      read(
        `SELECT plan, sum(n)::float8 AS accounts FROM (
           SELECT plan, count(*) AS n FROM accounts WHERE ${isAlive()} GROUP BY plan
           UNION ALL SELECT plan, -count(*) FROM (${closed}) AS closed JOIN accounts ON accounts.id = closed.id GROUP BY plan) AS plans
         GROUP BY plan HAVING sum(n) > 0 ORDER BY plan COLLATE "C"`,
        [],
      ),
    async count(filter: AccountFilter, most: number, createdBeforeMs?: number): Promise<RowCount> {
      if (filter.search?.includes("\0")) return { count: 0, isExact: true }
      const end = compares("created_ms", "<", createdBeforeMs)
      return countRows(parts, { ...ofAccounts(toWhere(filter, true)), most, end })
    },
  }
}

/** A SELECT of the ids of rows that meet a condition. */
function withIds(table: string, column: string, [toSql, ...values]: Condition): Condition {
  return [(...given) => `SELECT ${column} AS id FROM ${table} WHERE ${toSql(...given)}`, ...values]
}

/** The condition that an account is one of a SELECT. */
function oneOf([toSelect, ...values]: Condition): Condition {
  return [(...given) => `account_id IN (${toSelect(...given)})`, ...values]
}

/** The condition that one of two is true. */
function either([a, ...ofA]: Condition, [b, ...ofB]: Condition): Condition {
  const toSql = (...placeholders: string[]) =>
    `(${a(...placeholders.slice(0, ofA.length))} OR ${b(...placeholders.slice(ofA.length))})`
  return [toSql, ...ofA, ...ofB]
}

/** The condition of the account of a row of the ledger. */
function ofAccount([toSql, ...values]: Condition): Condition {
  const toWhere = (...given: string[]) =>
    `EXISTS (SELECT 1 FROM accounts WHERE accounts.id = ledger.account_id AND ${toSql(...given)})`
  return [toWhere, ...values]
}

type UseOrder = Extract<AccountOrder, { readonly by: "used" | "last_used" }>
type LedgerRow = { readonly id: string; readonly used: number; readonly day: string }

/** The value that an account is sorted by: its used credits of the present month, or the last day with a call. */
function rankOf(account: AccountDetails, order: UseOrder): string | number {
  if (order.by === "last_used") return account.lastDay ?? ""
  const { periodStartMs, used } = account
  if (periodStartMs > order.perhapsOverMs) return used
  return periodStartMs <= order.surelyOverMs || order.isMonthOver(account) ? 0 : used
}

function noneOf({ by }: UseOrder): string | number {
  return by === "used" ? 0 : ""
}

/** The accounts with use, or those without; one whose month may be over is in both parts. */
function partOf(order: UseOrder, isUsed: boolean, ofAll: string): Pick<ListQuery, "conditions" | "order"> {
  const id = ["account_id", "string"] as const
  const isDescending = true
  if (order.by === "last_used")
    return isUsed
      ? {
          conditions: [[() => "day > ''"]],
          order: { columns: [["day", "string"], id], isDescending, sample: ofAll },
        }
      : { conditions: [[() => "day = ''"]], order: { columns: [id], isDescending } }
  return isUsed
    ? {
        conditions: [[(ms) => `used > 0 AND period_start_ms > ${ms}`, Math.floor(order.surelyOverMs)]],
        order: { columns: [["used", "number"], id], isDescending, sample: ofAll },
      }
    : {
        conditions: [[(ms) => `(used = 0 OR period_start_ms <= ${ms})`, Math.floor(order.perhapsOverMs)]],
        order: { columns: [id], isDescending },
      }
}

/** The place of a page in the part with use or without. */
function partAt(page: Page, order: UseOrder): { isUsed: boolean; after: Page["after"] } {
  const after = placeOf(page, [order.by === "used" ? "number" : "string", "string"])
  return after?.[0] === noneOf(order) ? { isUsed: false, after: [after[1]] } : { isUsed: true, after }
}
