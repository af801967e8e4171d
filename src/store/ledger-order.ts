/** Lists of accounts by what a charge changes. No index has that, since each charge would have to write it too. */
import type { Page } from "./admin-store.ts"
import type { AccountOrder } from "./list-filters.ts"
import { type Condition, readPage, refusePlace } from "./list-page.ts"
import type { LedgerRow, ListParts } from "./list-parts.ts"

/** Accounts that meet the conditions of a list, if they are few enough to sort. */
export const mostSorted = 5_000
/** Rows of the first part of a list that are looked at for conditions. Each further part is four times as large. */
const firstPart = 1_024
/** Rows of a part that are checked at once, until there are enough for the page. */
const checkedAtOnce = 256
const byId = { columns: [["account_id", "string"]] as const, isDescending: true }

const createdOfLedger = "(SELECT created_ms FROM accounts WHERE accounts.id = ledger.account_id)::float8"
export const ledgerColumns = columnsWith(createdOfLedger)

type Order = Extract<AccountOrder, { readonly by: "used" | "last_used" }>
type Place = readonly [value: string | number, id: string]

/** The value that an account is sorted by: its used credits of the present month, or the last day with a call. */
function rankOf(row: LedgerRow, order: Order): string | number {
  if (order.by === "last_used") return row.day
  const { periodStartMs, used } = row
  if (periodStartMs > order.perhapsOverMs) return used
  return periodStartMs <= order.surelyOverMs || order.isMonthOver(row) ? 0 : used
}

function columnsWith(createdMs: string): string {
  return `account_id AS id, used::float8 AS used, day, period_start_ms::float8 AS "periodStartMs", ${createdMs} AS "createdMs"`
}

/** Sorts a few accounts and returns the ids of a page of them. */
export async function sortFew(
  { read, texts }: ListParts,
  ids: readonly string[],
  order: Order,
  page: Page,
): Promise<readonly string[]> {
  const select = `SELECT ${columnsWith(createdIfAsked(order))} FROM ledger WHERE account_id ${texts.isIn("$1")}`
  const rows = await read<LedgerRow>(select, [texts.toParameter(ids)])
  const after = placeOf(page, order)
  return rows
    .map((row): Place => [rankOf(row, order), row.id])
    .sort((a, b) => compare(b, a))
    .filter((place) => after === null || compare(place, after) < 0)
    .slice(0, page.limit)
    .map(([, id]) => id)
}

/**
 * Reads the ids of a page of all accounts, or of those that a check leaves: parts of the order, each checked.
 * @param check returns those of the ids that meet the conditions of the list; null without conditions
 */
export async function readInLedgerOrder(
  parts: ListParts,
  order: Order,
  page: Page,
  check: ((ids: readonly string[]) => Promise<ReadonlySet<string>>) | null,
): Promise<readonly string[]> {
  const found: string[] = []
  let after = placeOf(page, order)
  let size = check === null ? page.limit : Math.max(firstPart, page.limit)
  while (found.length < page.limit) {
    const { rows, isUsed } = await readPart(parts, order, after, size)
    // A row of a month that is over has another place.
    const inOrder = rows.filter((row) => isUsed === (rankOf(row, order) !== noneOf(order)))
    const ids = inOrder.map(({ id }) => id)
    for (let first = 0; first < ids.length && found.length < page.limit; first += checkedAtOnce) {
      const some = ids.slice(first, first + checkedAtOnce)
      const kept = await check?.(some)
      found.push(...some.filter((id) => kept?.has(id) ?? true))
    }
    const last = rows.at(-1)
    if (rows.length < size && !isUsed) break
    after =
      rows.length < size || last === undefined ? [noneOf(order), endOfIds] : placeIn(last, order, isUsed)
    if (check !== null) size *= 4
  }
  return found.slice(0, page.limit)
}

/** The time of creation is in another table, and only tells whether a month that may be over is over. */
function createdIfAsked(order: Order): string {
  if (order.by !== "used") return "0"
  const [after, until] = [order.surelyOverMs, order.perhapsOverMs].map(Math.floor)
  return `CASE WHEN period_start_ms > ${after} AND period_start_ms <= ${until} THEN ${createdOfLedger} ELSE 0 END`
}

/** Comes after each id. */
const endOfIds = "~"

function noneOf({ by }: Order): string | number {
  return by === "used" ? 0 : ""
}

function placeIn(row: LedgerRow, order: Order, isUsed: boolean): Place {
  if (!isUsed) return [noneOf(order), row.id]
  return [order.by === "used" ? row.used : row.day, row.id]
}

/** The next rows after a place: of accounts with use, or, after all of these, of those without. */
async function readPart(parts: ListParts, order: Order, after: Place | null, limit: number) {
  if (after === null || after[0] !== noneOf(order)) {
    const where = order.by === "used" ? `period_start_ms > ${Math.floor(order.surelyOverMs)}` : "true"
    const column = order.by === "used" ? "used" : "day"
    return { rows: await parts.topOfLedger(column, where, after, limit), isUsed: true }
  }
  const isUnused: Condition =
    order.by === "used"
      ? [(ms) => `(used = 0 OR period_start_ms <= ${ms})`, Math.floor(order.perhapsOverMs)]
      : [() => "day = ''"]
  const rows = await readPage<LedgerRow>(parts, {
    table: "ledger",
    columns: "account_id, used, day, period_start_ms",
    select: (ledger) => `SELECT ${ledgerColumns} FROM ${ledger}`,
    conditions: [],
    checks: [isUnused],
    order: byId,
    page: { limit, after: [after[1]] },
  })
  return { rows, isUsed: false }
}

function placeOf({ after }: Page, order: Order): Place | null {
  if (after === null) return null
  const [value, id] = after
  const type = typeof noneOf(order)
  if (after.length === 2 && typeof value === type && typeof id === "string" && value !== undefined) {
    return [value, id]
  }
  return refusePlace()
}

/** Compares by value, then by id; both by their bytes. */
function compare([a, aId]: Place, [b, bId]: Place): number {
  if (a !== b) return a < b ? -1 : 1
  return Buffer.compare(Buffer.from(aId), Buffer.from(bId))
}
