import { InputRejected } from "../apis/contract.ts"
import type { Page } from "./admin-store.ts"
import type { Run, TextList } from "./rows.ts"

/** Rows that one statement looks at, if a list has conditions that no index answers. Other work gets its turn after it. */
const rowsPerStep = 1_024
/** A subquery with a limit is read as it is written: neither kind of store reads it by an index for the conditions around it. */
const asWritten = "LIMIT 1000000"

/** A condition on rows: SQL made of the placeholders of its values, and the values. */
export type Condition = readonly [toSql: (...placeholders: string[]) => string, ...values: Value[]]

type Value = string | number

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
  const { order, page, conditions, checks = [] } = query
  const rowsOf = (given: readonly Condition[], limit: number, checked = checks) =>
    read<Row>(...toSql({ ...query, conditions: given, checks: checked }, limit))
  let rest = compares(order, "after", placeOf(page, order))
  if (checks.length === 0) return rowsOf([...conditions, ...rest], page.limit)
  const found: Row[] = []
  let candidates = query.candidates ?? []
  for (;;) {
    const last = await readStepEnd(read, { ...query, conditions: [...conditions, ...rest] })
    const step = [...conditions, ...rest, ...compares(order, "upTo", last)]
    found.push(...(await rowsOf(step, page.limit - found.length)))
    if (last === null || found.length >= page.limit) return found
    rest = compares(order, "after", last)
    const few = await findFew(read, candidates)
    if (few !== null) {
      const isOne: Condition = [(list) => `${few.column} ${texts.isIn(list)}`, texts.toParameter(few.ids)]
      const others = [...conditions, ...rest, ...checks]
      return [...found, ...(await rowsOf([isOne], page.limit - found.length, others))]
    }
    candidates = []
  }
}

/** The values of the first candidates that are few; null when none are. */
async function findFew(
  read: Run,
  candidates: readonly Candidates[],
): Promise<{ readonly column: string; readonly ids: readonly string[] } | null> {
  for (const { column, select } of candidates) {
    const { values, add } = createValues()
    const rows = await read<{ id: string }>(`${toText(select, add)} LIMIT ${rowsPerStep + 1}`, values)
    if (rows.length <= rowsPerStep) return { column, ids: rows.map(({ id }) => id) }
  }
  return null
}

type Place = readonly Value[]

/** The place of the last row of a step; null when the list ends in this step. */
async function readStepEnd(read: Run, { table, conditions, order }: ListQuery): Promise<Place | null> {
  const { values, add } = createValues()
  const places = order.columns.map(
    ([column, type], n) => `${type === "number" ? `${column}::float8` : column} AS c${n}`,
  )
  const sql = `SELECT ${places.join(", ")} FROM ${table} ${toWhere(conditions, add)} ${toOrder(order)}
    LIMIT 1 OFFSET ${rowsPerStep - 1}`
  const [row] = await read<Record<string, Value>>(sql, values)
  return row ? order.columns.map((_, n) => row[`c${n}`] ?? "") : null
}

/** The SQL of a page, made of the filters that are given, so that the database finds the index for them. */
function toSql(query: ListQuery, limit: number): [sql: string, values: Value[]] {
  const { table, columns = "*", select, conditions, checks = [], order } = query
  const { values, add } = createValues()
  const where = toWhere(conditions, add)
  const end = () => `${toOrder(order)} LIMIT ${add(limit)}`
  if (checks.length === 0) return [`${select(table)} ${where} ${end()}`, values]
  const step = `(SELECT ${columns} FROM ${table} ${where} ${asWritten}) AS ${table}`
  return [`${select(step)} ${toWhere(checks, add)} ${end()}`, values]
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
function compares(
  { columns, isDescending }: Order,
  side: "after" | "upTo",
  place: Place | null,
): Condition[] {
  if (place === null) return []
  const operator = { after: isDescending ? "<" : ">", upTo: isDescending ? ">=" : "<=" }[side]
  const names = columns.map(([column]) => column).join(", ")
  return [[(...values) => `(${names}) ${operator} (${values.join(", ")})`, ...place]]
}

function placeOf({ after }: Page, { columns }: Order): Place | null {
  if (after === null) return null
  const fits = after.length === columns.length && columns.every(([, type], n) => typeof after[n] === type)
  if (fits) return after
  throw new InputRejected("after", "must be the 'next' of a page of this list")
}
