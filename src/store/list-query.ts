import { InputRejected } from "../apis/contract.ts"
import type { Page } from "./admin-store.ts"

type Value = string | number

/** A condition on rows: SQL made of the placeholders of its values, and the values. */
export type Condition = readonly [toSql: (...placeholders: string[]) => string, ...values: Value[]]

/** The order of a list: columns whose values no two rows share, and the types of these values. */
export interface Order {
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
export function toListSql({ select, conditions, order, page }: ListQuery): {
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
export function either([a, ...ofA]: Condition, [b, ...ofB]: Condition): Condition {
  const toSql = (...placeholders: string[]) =>
    `(${a(...placeholders.slice(0, ofA.length))} OR ${b(...placeholders.slice(ofA.length))})`
  return [toSql, ...ofA, ...ofB]
}

/** The condition that a column has a value; none when there is no value. */
export function equals(column: string, value: Value | undefined): Condition[] {
  return compares(column, "=", value)
}

/** The condition that compares a column with a value; none when there is no value. */
export function compares(column: string, operator: "=" | "<" | ">=", value: Value | undefined): Condition[] {
  return value === undefined ? [] : [[(one) => `${column} ${operator} ${one}`, value]]
}

function placeOf({ after }: Page, { columns }: Order): readonly Value[] | null {
  if (after === null) return null
  const fits = after.length === columns.length && columns.every(([, type], n) => typeof after[n] === type)
  if (fits) return after
  throw new InputRejected("after", "must be the 'next' of a page of this list")
}
