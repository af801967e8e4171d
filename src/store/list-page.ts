import { InputRejected } from "../apis/contract.ts"
import type { Page } from "./admin-store.ts"
import type { Run, TextList } from "./rows.ts"

/** Rows that a list looks at first, if it has conditions that no index answers. */
const firstLook = 1_024
/** Rows that are found by another index, and sorted. */
const mostNamed = 50_000

/** A condition on rows: SQL made of the placeholders of its values, and the values. */
export type Condition = readonly [toSql: (...placeholders: string[]) => string, ...values: Value[]]

type Value = string | number

/** The order of a list: columns whose values no two rows share, and the types of these values. */
export interface Order {
  readonly columns: readonly (readonly [column: string, type: "number" | "string"])[]
  readonly isDescending: boolean
  /** Whether the index of the order lacks what conditions need: then all rows are looked at in another order, and sorted. */
  readonly isSorted?: boolean
  /** Set if no index has the order, so that a look for the first rows reads all: some rows from all over the table. */
  readonly sample?: string | undefined
}

/** A page of a list. */
export interface ListQuery {
  /** The table with the columns of the order, and the columns that `checks` and `select` use. */
  readonly table: string
  readonly columns?: string
  /** The SELECT, from the table or from some of its rows under the same name. */
  readonly select: (table: string) => string
  /** The conditions that an index answers in the order of the list. */
  readonly conditions: readonly Condition[]
  /**
   * Bounds of the list, as conditions of the index of its order. Dropped when the cursor is a tighter bound, since SQLite would
   * start at the looser one.
   */
  readonly begin?: readonly Condition[]
  readonly end?: readonly Condition[]
  /** All other conditions. No index is looked at for them. */
  readonly checks?: readonly Condition[]
  /** The same for a look at all rows, where that takes less time. */
  readonly whole?: readonly Condition[]
  /** Indexes that may show at once that few rows meet the conditions. */
  readonly candidates?: readonly Candidates[]
  readonly order: Order
  readonly page: Page
}

/** A column of the table, and a SELECT of its values in all rows that meet the conditions, as `id`. */
export interface Candidates {
  readonly column: string
  readonly select: Condition
}

/** How a kind of store reads pages. */
interface PageParts {
  /** Runs a read that may look at many rows. */
  readonly read: Run
  readonly texts: TextList
  /** A condition of a table that comes first, so that a long read can be ended. */
  readonly alive: (table: string) => readonly Condition[]
  /** The condition that a column's value is one of those of a SELECT, which are few: they are found first. */
  readonly isOneOf: (column: string, select: string) => string
  /** A column of an ORDER BY that is not answered by an index. */
  readonly unindexed: (column: string) => string
}

/** How a kind of store reads the lists of the administration. */
export interface ListParts extends PageParts {
  /** The columns of `accounts` that conditions use, and those that the order by name needs, too. */
  readonly accountColumns: { readonly usual: string; readonly byName: string }
  /** The names of accounts and of keys in small letters (A to Z), as an index has them. */
  readonly lowerName: { readonly accounts: string; readonly keys: string }
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
  /** The rows of the days in `ledger`, with columns account_id, day and key_id; the condition is added. */
  readonly openDays: string
  /** About one in a hundred rows of `ledger`. */
  readonly ledgerSample: string
}

/**
 * Reads a page of a list. With conditions that no index answers it looks at the first rows. If too few of them fit, it looks for
 * an index that names few rows, and then at all.
 * @throws InputRejected when the page begins after a place that is not one of this list
 */
export async function readPage<Row>(parts: PageParts, query: ListQuery): Promise<readonly Row[]> {
  const {
    table,
    columns = "*",
    select,
    order,
    page,
    begin = [],
    end = [],
    checks = [],
    candidates = [],
  } = query
  const place = afterPlace(order, page)
  const alive = parts.alive(table)
  const found = [...query.conditions, ...(place.length > 0 ? place : begin), ...end]
  const whole = [...alive, ...found]
  const firstOf = (limit: number) => [...alive, ...boundsOf(order, found, limit), ...found]
  const readRows = (from: (add: Add) => string, given: readonly Condition[], sorted = toOrder(order)) => {
    const { values, add } = createValues()
    const rows = `${select(from(add))} ${toWhere(given, add)} ${sorted} LIMIT ${add(page.limit)}`
    return parts.read<Row>(rows, values)
  }
  const all = () => table
  if (checks.length === 0) return readRows(all, firstOf(page.limit))
  const early = order.sample ? await findFew(parts, candidates) : none
  if (early.length === 0) {
    const first = await readRows(
      (add) =>
        `(SELECT ${columns} FROM ${table} ${toWhere(firstOf(firstLook), add)} ${toOrder(order)} LIMIT ${firstLook}) AS ${table}`,
      checks,
    )
    if (first.length >= page.limit) return first
  }
  const named = order.sample ? early : await findFew(parts, candidates)
  const others = named.length === 0 && query.whole ? query.whole : checks.map(unindexed)
  const isSorted = order.isSorted === true || named.length > 0
  const sorted = isSorted ? toOrder(order, parts.unindexed) : undefined
  return readRows(all, [...whole, ...named, ...others], sorted)
}

const none: readonly Condition[] = []

/** A count of rows that may be higher. */
export interface RowCount {
  readonly count: number
  /** False when there may be more rows: the count ended at its bound. */
  readonly isExact: boolean
}

/** Counts the rows of a list. It looks at `most` rows at most, unless an index names few. */
export async function countRows(
  parts: PageParts,
  query: Omit<ListQuery, "page" | "order"> & { readonly most: number },
): Promise<RowCount> {
  const { table, columns = "*", begin = [], end = [], checks = [], candidates = [], most } = query
  const named = checks.length > 0 ? await findFew(parts, candidates, most) : []
  const conditions = [...named, ...query.conditions, ...begin, ...end]
  const { values, add } = createValues()
  const from = `(SELECT ${columns} FROM ${table} ${toWhere(conditions, add)} LIMIT ${add(most + 1)}) AS ${table}`
  const isCounted = checks.length > 0 ? checks.map((one) => toText(one, add)).join(" AND ") : "true"
  const [row] = await parts.read<{ looked: number; count: number | null }>(
    `SELECT count(*)::float8 AS looked, sum(CASE WHEN ${isCounted} THEN 1 ELSE 0 END)::float8 AS count FROM ${from}`,
    values,
  )
  return { count: Math.min(row?.count ?? 0, most), isExact: (row?.looked ?? 0) <= most }
}

/** The condition that rows are those of the first candidates that are few; none when none are. */
async function findFew(
  parts: PageParts,
  candidates: readonly Candidates[],
  most = mostNamed,
): Promise<readonly Condition[]> {
  for (const { column, select } of candidates) {
    const { values, add } = createValues()
    const counted = `SELECT count(*)::float8 AS count FROM (${toText(select, add)} LIMIT ${most + 1}) AS named`
    const [row] = await parts.read<{ count: number }>(counted, values)
    if (!row || row.count > most) continue
    const [toSelect, ...given] = select
    return [[(...placeholders) => parts.isOneOf(column, toSelect(...placeholders)), ...given]]
  }
  return []
}

/** Neither kind of store looks for an index of such a condition, which would have the rows in another order. */
function unindexed([toSql, ...values]: Condition): Condition {
  return [(...given) => `(${toSql(...given)}) IS TRUE`, ...values]
}

type Add = (value: Value) => string

function createValues(): { readonly values: Value[]; readonly add: Add } {
  const values: Value[] = []
  return {
    values,
    add: (value) => `$${values.push(value)}::${typeof value === "number" ? "bigint" : "text"}`,
  }
}

function toText([toCondition, ...values]: Condition, add: Add): string {
  return toCondition(...values.map(add))
}

function toWhere(conditions: readonly Condition[], add: Add): string {
  return conditions.length > 0 ? `WHERE ${conditions.map((one) => toText(one, add)).join(" AND ")}` : ""
}

function toOrder({ columns, isDescending }: Order, toColumn = (column: string) => column): string {
  return `ORDER BY ${columns.map(([column]) => toColumn(column) + (isDescending ? " DESC" : "")).join(", ")}`
}

/**
 * Leaves out rows that cannot be on the page, so that they need not be sorted. Where a sample has as many rows as the page, no
 * row after the last of them can be on it.
 */
function boundsOf(order: Order, found: readonly Condition[], limit: number): readonly Condition[] {
  if (!order.sample) return []
  const names = order.columns.map(([column]) => column).join(", ")
  const [toSample, ...values] = allOf(found)
  const select = (...given: string[]) =>
    `SELECT ${names} FROM ${order.sample} WHERE ${toSample(...given)} ${toOrder(order)} LIMIT 1 OFFSET ${limit - 1}`
  const after = order.isDescending ? "<" : ">"
  // With too few rows in the sample the SELECT gives NULL, and no row is left out.
  return [[(...given) => `((${names}) ${after} (${select(...given)})) IS NOT TRUE`, ...values]]
}

/** The condition of rows after the place where a page begins. */
function afterPlace({ columns, isDescending }: Order, page: Page): readonly Condition[] {
  const place = placeOf(
    page,
    columns.map(([, type]) => type),
  )
  if (place === null) return []
  const names = columns.map(([column]) => column).join(", ")
  return [[(...values) => `(${names}) ${isDescending ? "<" : ">"} (${values.join(", ")})`, ...place]]
}

/**
 * The values of the place where a page begins after; null at the start.
 * @param types the types of the values
 * @throws InputRejected when the place is not one of this list
 */
export function placeOf<const Types extends readonly ("number" | "string")[]>(
  { after }: Page,
  types: Types,
): { readonly [N in keyof Types]: Types[N] extends "number" ? number : string } | null {
  if (after !== null && (after.length !== types.length || types.some((type, n) => typeof after[n] !== type)))
    throw new InputRejected("after", "must be the 'next' of a page of this list")
  return after as never
}

/** An order by a time and an id. */
export function orderBy(isDescending: boolean, time: string, id: string): Order {
  return {
    columns: [
      [time, "number"],
      [id, "string"],
    ],
    isDescending,
  }
}

/** All of some conditions at once. */
export function allOf(conditions: readonly Condition[]): Condition {
  const toWhere = (...given: string[]) => {
    const left = [...given]
    return conditions.map(([toSql, ...values]) => toSql(...left.splice(0, values.length))).join(" AND ")
  }
  return [toWhere, ...conditions.flatMap(([, ...values]) => values)]
}

/** The first condition is answered by its index, the others are checked. */
export function byFirst([first, ...checks]: readonly Condition[]): Required<
  Pick<ListQuery, "conditions" | "checks">
> {
  return { conditions: first ? [first] : [], checks }
}

/** The condition that a column has a value; none when there is no value. */
export function equals(column: string, value: Value | undefined): Condition[] {
  return compares(column, "=", value)
}

/** The condition that a column has one of some values. For a single value, an index has the rows in the order of a list. */
export function isOneOf(column: string, values: readonly string[] | undefined, texts: TextList): Condition[] {
  if (values === undefined || values.length === 1) return equals(column, values?.[0])
  return [[(list) => `${column} ${texts.isIn(list)}`, texts.toParameter(values)]]
}

/** The condition that compares a column with a value; none when there is no value. */
export function compares(column: string, operator: "=" | "<" | ">=", value: Value | undefined): Condition[] {
  return value === undefined ? [] : [[(one) => `${column} ${operator} ${one}`, value]]
}

/** "Begins with" for ASCII text, written so that an index by bytes answers it. */
export function beginsWith(column: string, text: string): Condition {
  const last = text.length - 1
  const end = text.slice(0, last) + String.fromCharCode(text.charCodeAt(last) + 1)
  return [(from, to) => `(${column} >= ${from} AND ${column} < ${to})`, text, end]
}
