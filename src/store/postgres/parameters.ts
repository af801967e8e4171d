import type { TextList } from "../rows.ts"

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
