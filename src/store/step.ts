import type { AdminOutcome, Mutation } from "./admin-store.ts"
import type { Parameter } from "./rows.ts"

/**
 * One statement of a change, written once for both kinds of stores, as for `Run` in rows.ts. It never holds a value itself:
 * values come as `$1`, which is a text unless it is cast.
 */
export interface Step {
  readonly sql: string
  readonly args: readonly Parameter[]
  /** How the change ends if the statement gives no row. Nothing of the change is kept then. Without it, no row is right too. */
  readonly else?: AdminOutcome
}

/** Makes the steps of each mutation with one of some prefixes, by the mutation's kind. */
export type StepsOf<Prefix extends string> = {
  readonly [One in Mutation as One["kind"] & `${Prefix}.${string}`]: (mutation: One) => readonly Step[]
}

/** Values by field: `createdMs` is in the column `created_ms`. Lists are kept as JSON; undefined fields are left out. */
type Fields = Readonly<Record<string, Parameter | undefined | readonly string[]>>

/** A statement that must give a row. */
export function step(sql: string, args: readonly Parameter[], orElse?: AdminOutcome): Step {
  return orElse === undefined ? { sql, args } : { sql, args, else: orElse }
}

/** Ends the change unless a condition holds. */
export function check(condition: string, args: readonly Parameter[], orElse: AdminOutcome): Step {
  return step(`SELECT 1 WHERE ${condition}`, args, orElse)
}

/**
 * Inserts a row.
 * @param orElse how the change ends if there is such a row already; null if it goes on, and without it that is an error
 */
export function insert(table: string, fields: Fields, orElse?: AdminOutcome | null): Step {
  const { columns, values, args } = toColumns(fields, [])
  const sql = `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${values.join(", ")})`
  const end = orElse === undefined ? "" : " ON CONFLICT DO NOTHING RETURNING 1"
  return step(sql + end, args, orElse ?? undefined)
}

/**
 * Sets fields of the rows that meet a condition.
 * @param given the condition's values, `$1` and on
 */
export function update(
  table: string,
  fields: Fields,
  [condition, ...given]: readonly [condition: string, ...given: Parameter[]],
  orElse?: AdminOutcome,
): Step {
  const { columns, values, args } = toColumns(fields, given)
  const set = columns.map((column, index) => `${column} = ${values[index]}`)
  return step(`UPDATE ${table} SET ${set.join(", ")} WHERE ${condition} RETURNING 1`, args, orElse)
}

/** The columns, the words for their values, and the values after those that are given. */
function toColumns(fields: Fields, given: readonly Parameter[]) {
  const args = [...given]
  const isGiven = Object.entries(fields).filter(([, value]) => value !== undefined)
  const values = isGiven.map(([, value]) => {
    // PostgreSQL would take a parameter without a value for a text, and a truth value for one in SQLite.
    if (value === null) return "NULL"
    if (typeof value === "boolean") return value ? "TRUE" : "FALSE"
    args.push(typeof value === "object" ? JSON.stringify(value) : (value ?? null))
    return typeof value === "number" ? `$${args.length}::bigint` : `$${args.length}`
  })
  const columns = isGiven.map(([field]) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
  return { columns, values, args }
}
