import { InputRejected } from "../apis/contract.ts"
import type { Page } from "./admin-store.ts"
import type { Run, TextList } from "./rows.ts"

/** Rows that one statement looks at, if a list has conditions that no index answers. Other work gets its turn after it. */
const rowsPerStep = 1_024

/** A condition on rows: SQL made of the placeholders of its values, and the values. */
export type Condition = readonly [toSql: (...placeholders: string[]) => string, ...values: Value[]]

export type Value = string | number

/** The order of a list: columns whose values no two rows share, and the types of these values. */
export interface Order {
  readonly columns: readonly (readonly [column: string, type: "number" | "string"])[]
  readonly isDescending: boolean
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
   * The first and the last rows of the order, as conditions of the same index. They are left out where a place of the list says
   * more: SQLite would take either of them for the beginning of a search, and look at all rows in between.
   */
  readonly begin?: readonly Condition[]
  readonly end?: readonly Condition[]
  /** All other conditions. With them the list is read in steps. */
  readonly checks?: readonly Condition[]
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
export interface PageParts {
  /** Gives way to other work before each statement. */
  readonly read: Run
  readonly texts: TextList
}

/**
 * Reads a page of a list. Each of its statements takes a bounded time, however many rows there are and however few are found.
 * @throws InputRejected when the page begins after a place that is not one of this list
 */
export async function readPage<Row>({ read, texts }: PageParts, query: ListQuery): Promise<readonly Row[]> {
  const { order, page, conditions, begin = [], end = [], checks = [] } = query
  const rowsOf = (given: readonly Condition[], limit: number, checked = checks) =>
    read<Row>(...toSql({ ...query, conditions: given, checks: checked }, limit))
  const place = besides(order, "after", placeOf(page, order))
  let rest: readonly Condition[] = place.length > 0 ? place : begin
  if (checks.length === 0) return rowsOf([...conditions, ...rest, ...end], page.limit)
  const found: Row[] = []
  let candidates = query.candidates ?? []
  for (;;) {
    const last = await readStepEnd(read, { ...query, conditions: [...conditions, ...rest, ...end] })
    const step = [...conditions, ...rest, ...(last ? besides(order, "upTo", last) : end)]
    found.push(...(await rowsOf(step, page.limit - found.length)))
    if (last === null || found.length >= page.limit) return found
    rest = besides(order, "after", last)
    const few = await findFew(read, candidates)
    if (few !== null) {
      const isOne: Condition = [(list) => `${few.column} ${texts.isIn(list)}`, texts.toParameter(few.ids)]
      const others = [...conditions, ...rest, ...end, ...checks]
      return [...found, ...(await rowsOf([isOne], page.limit - found.length, others))]
    }
    candidates = []
  }
}

/**
 * Reads those rows of a list whose column has one of some values, and which meet the checks: in no order, looking at no index for
 * them.
 */
export async function readThose<Row>(
  { read, texts }: PageParts,
  { table, columns = "*", select, checks = [] }: Pick<ListQuery, "table" | "columns" | "select" | "checks">,
  column: string,
  of: readonly string[],
): Promise<readonly Row[]> {
  const { values, add } = createValues()
  const those = `(SELECT ${columns} FROM ${table} WHERE ${column} ${texts.isIn(add(texts.toParameter(of)))} LIMIT ${add(of.length)}) AS ${table}`
  return read<Row>(`${select(those)} ${toWhere(checks, add)}`, values)
}

/** A count of rows that may be higher. */
export interface RowCount {
  readonly count: number
  /** False when there may be more rows: the count ended at its bound. */
  readonly isExact: boolean
}

/** Rows that one statement counts, in an index. */
const countedPerStep = 8_192
/** Looking at a row takes about as long as counting so many in an index. */
const checkedCost = 4

/**
 * Counts the rows of a list up to a bound, in steps between which other work gets its turn. With conditions that no index answers
 * it ends after a quarter of so many rows.
 */
export async function countRows(
  { read, texts }: PageParts,
  query: Omit<ListQuery, "page"> & { readonly most: number },
): Promise<RowCount> {
  const { table, conditions, begin = [], end = [], checks = [], order, most } = query
  if (checks.length > 0) {
    const few = await findFew(read, query.candidates ?? [])
    if (few !== null) {
      const isOne: Condition = [(list) => `${few.column} ${texts.isIn(list)}`, texts.toParameter(few.ids)]
      return {
        count: await countStep([isOne, ...conditions, ...begin, ...end, ...checks], []),
        isExact: true,
      }
    }
  }
  let count = 0
  let looked = 0
  for (let rest = begin; ; ) {
    const given = [...conditions, ...rest]
    const last = await readStepEnd(read, { ...query, conditions: [...given, ...end] }, countedPerStep)
    count += await countStep([...given, ...(last ? besides(order, "upTo", last) : end)], checks)
    looked += checks.length > 0 ? checkedCost * countedPerStep : countedPerStep
    if (last === null) return { count: Math.min(count, most), isExact: count <= most }
    if (count > most || looked >= most) return { count: Math.min(count, most), isExact: false }
    rest = besides(order, "after", last)
  }

  async function countStep(given: readonly Condition[], checked: readonly Condition[]): Promise<number> {
    const { values, add } = createValues()
    const where = toWhere(given, add)
    const from =
      checked.length === 0
        ? `${table} ${where}`
        : `${toStep(query, where, countedPerStep)} ${toWhere(checked, add)}`
    const [row] = await read<{ count: number }>(`SELECT count(*)::float8 AS count FROM ${from}`, values)
    return row?.count ?? 0
  }
}

/** The values of the first candidates that are few; null when none are. */
export async function findFew(
  read: Run,
  candidates: readonly Candidates[],
  most = rowsPerStep,
): Promise<{ readonly column: string; readonly ids: readonly string[] } | null> {
  for (const { column, select } of candidates) {
    const { values, add } = createValues()
    const rows = await read<{ id: string }>(`${toText(select, add)} LIMIT ${most + 1}`, values)
    if (rows.length <= most) return { column, ids: rows.map(({ id }) => id) }
  }
  return null
}

type Place = readonly Value[]

/** The place of the last row of a step; null when the list ends in this step. */
async function readStepEnd(
  read: Run,
  { table, conditions, order }: Pick<ListQuery, "table" | "conditions" | "order">,
  size = rowsPerStep,
): Promise<Place | null> {
  const { values, add } = createValues()
  const places = order.columns.map(
    ([column, type], n) => `${type === "number" ? `${column}::float8` : column} AS c${n}`,
  )
  const sql = `SELECT ${places.join(", ")} FROM ${table} ${toWhere(conditions, add)} ${toOrder(order)}
    LIMIT 1 OFFSET ${size - 1}`
  const [row] = await read<Record<string, Value>>(sql, values)
  return row ? order.columns.map((_, n) => row[`c${n}`] ?? "") : null
}

/** The SQL of a page, made of the filters that are given, so that the database finds the index for them. */
function toSql(query: ListQuery, limit: number): [sql: string, values: Value[]] {
  const { table, select, conditions, checks = [], order } = query
  const { values, add } = createValues()
  const where = toWhere(conditions, add)
  const end = () => `${toOrder(order)} LIMIT ${add(limit)}`
  if (checks.length === 0) return [`${select(table)} ${where} ${end()}`, values]
  const step = toStep(query, where, rowsPerStep)
  return [`${select(step)} ${toWhere(checks, add)} ${end()}`, values]
}

/**
 * The rows of a step as a table. A subquery with an order and a limit is read as it is written: neither kind of store reads it by
 * an index for the conditions around it, or without the index of the order. Rows that come meanwhile fit into twice the size.
 */
function toStep(
  { table, columns = "*", order }: Pick<ListQuery, "table" | "columns" | "order">,
  where: string,
  size: number,
): string {
  return `(SELECT ${columns} FROM ${table} ${where} ${toOrder(order)} LIMIT ${2 * size}) AS ${table}`
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

function toOrder({ columns, isDescending }: Order): string {
  return `ORDER BY ${columns.map(([column]) => (isDescending ? `${column} DESC` : column)).join(", ")}`
}

/** The condition of rows after a place of the list, or up to it; none without a place. */
function besides({ columns, isDescending }: Order, side: "after" | "upTo", place: Place | null): Condition[] {
  if (place === null) return []
  const operator = { after: isDescending ? "<" : ">", upTo: isDescending ? ">=" : "<=" }[side]
  const names = columns.map(([column]) => column).join(", ")
  return [[(...values) => `(${names}) ${operator} (${values.join(", ")})`, ...place]]
}

function placeOf({ after }: Page, { columns }: Order): Place | null {
  if (after === null) return null
  const fits = after.length === columns.length && columns.every(([, type], n) => typeof after[n] === type)
  return fits ? after : refusePlace()
}

/** @throws InputRejected always: the page begins after a place that is not one of this list */
export function refusePlace(): never {
  throw new InputRejected("after", "must be the 'next' of a page of this list")
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

/** The condition that a column has one of some values. Of one value, an index has the rows in the order of a list. */
export function isOneOf(column: string, values: readonly string[] | undefined, texts: TextList): Condition[] {
  if (values === undefined || values.length === 1) return equals(column, values?.[0])
  return [[(list) => `${column} ${texts.isIn(list)}`, texts.toParameter(values)]]
}

/** The condition that compares a column with a value; none when there is no value. */
export function compares(column: string, operator: "=" | "<" | ">=", value: Value | undefined): Condition[] {
  return value === undefined ? [] : [[(one) => `${column} ${operator} ${one}`, value]]
}
