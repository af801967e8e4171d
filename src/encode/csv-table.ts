import { toField } from "./csv.ts"

/**
 * One row of a CSV table (RFC 4180) with its line break. Null is an empty field; lists and objects are JSON. A text that a
 * spreadsheet would take for a formula gets an apostrophe before it, since customers choose some of them (OWASP, CSV injection).
 */
export function toCsvRow(cells: readonly unknown[]): string {
  return `${cells.map(toCell).join(",")}\r\n`
}

function toCell(value: unknown): string {
  if (value === null || value === undefined) return ""
  if (typeof value === "string") return toField(/^[=+\-@\t\r\n＝＋－＠]/.test(value) ? `'${value}` : value)
  return toField(typeof value === "object" ? JSON.stringify(value) : String(value))
}
