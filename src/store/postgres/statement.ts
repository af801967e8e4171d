import type { AdminOutcome } from "../admin-store.ts"
import type { TextList } from "../rows.ts"
import type { Step } from "../step.ts"
import type { Connection } from "./connection.ts"

/** An array as PostgreSQL reads it from text (manual §8.15.2). */
export function toArray(values: readonly (string | number | null)[]): string {
  return `{${values.map(toElement).join(",")}}`
}

const special = /["\\]/

function toElement(value: string | number | null): string {
  if (value === null) return "NULL"
  if (typeof value === "number") return String(value)
  return `"${special.test(value) ? value.replace(/["\\]/g, "\\$&") : value}"`
}

/**
 * A text as PostgreSQL can keep it: without U+0000 and halves of surrogate pairs, which SQLite takes. U+FFFD is in their place.
 */
export function toStorableText(text: string): string {
  return text.replaceAll("\0", "\uFFFD").toWellFormed()
}

/** A list of texts as a PostgreSQL array. */
export const texts: TextList = { toParameter: toArray, isIn: (parameter) => `= ANY (${parameter}::text[])` }

/** Runs all steps of a change, or none, with one statement: an instance that stops inside a transaction would stop all others. */
export async function applySteps({ run }: Pick<Connection, "run">, steps: readonly Step[]) {
  const json = JSON.stringify(steps.map(toJson), (_, value: unknown) =>
    typeof value === "string" ? toStorableText(value) : value,
  )
  const apply = "SELECT apply_change($1::text::jsonb) AS outcome"
  const [row] = await run<{ outcome: AdminOutcome }>(apply, [json])
  if (!row) throw new Error("a SELECT without FROM gave no row")
  return row.outcome
}

/** A step as the function `apply_change` takes it: with all values in one parameter. */
function toJson({ sql, ...rest }: Step) {
  return { sql: sql.replace(/\$(\d+)/g, (_, place: string) => `($1->>${Number(place) - 1})`), ...rest }
}
