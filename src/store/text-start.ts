import type { Condition } from "./list-page.ts"

/** The condition that a column begins with a text of ASCII characters, in the words of an index of the column's bytes. */
export function beginsWith(column: string, text: string): Condition {
  const last = text.length - 1
  const end = text.slice(0, last) + String.fromCharCode(text.charCodeAt(last) + 1)
  return [(from, to) => `(${column} >= ${from} AND ${column} < ${to})`, text, end]
}
