import type { Condition } from "./list-page.ts"

/** "Begins with" for ASCII text, written so that an index by bytes answers it. */
export function beginsWith(column: string, text: string): Condition {
  const last = text.length - 1
  const end = text.slice(0, last) + String.fromCharCode(text.charCodeAt(last) + 1)
  return [(from, to) => `(${column} >= ${from} AND ${column} < ${to})`, text, end]
}
