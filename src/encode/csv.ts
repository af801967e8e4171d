import type { Envelope, ListPart } from "./envelope.ts"

/**
 * RFC 4180: the header `key,value`, then one row for each leaf of `data`, keys joined as in `formatted.loanAmount`
 * and `sorted[0]`; or, for an error, the rows `status` and `error`. Null is an empty field, an empty string is `""`.
 * Empty arrays and objects have no leaf and so no row. Text is left as it is, also where a spreadsheet would take it
 * for a formula.
 */
export function encodeCsv({ status, error, data }: Envelope): string {
  const header = toRow("key", "value")
  if (status === "error") return header + toRow("status", status) + toRow("error", error)
  return header + toRows("", data ?? {})
}

/** The rows of some items of a list in `data`. */
export function encodeCsvItems({ name, items, firstIndex }: ListPart): string {
  return items.map((item, index) => toRows(`${name}[${firstIndex + index}]`, item)).join("")
}

function toRows(path: string, value: unknown): string {
  if (value === undefined) return ""
  if (typeof value !== "object" || value === null) return toRow(path, value === null ? null : String(value))
  let rows = ""
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) rows += toRows(`${path}[${index}]`, item)
  } else {
    const prefix = path === "" ? "" : `${path}.`
    for (const [key, member] of Object.entries(value)) rows += toRows(prefix + key, member)
  }
  return rows
}

function toRow(key: string, value: string | null): string {
  return `${toField(key)},${value === null ? "" : toField(value)}\r\n`
}

/** What would end a field (RFC 4180 §2), and CR or LF alone, which end a row for many readers. */
const special = /[",\r\n]/

/** The RFC asks for no quotes around outer blanks and empty text, but readers drop the one and take the other for null. */
function toField(text: string): string {
  const field = text.toWellFormed()
  const quoted = field === "" || field.trim() !== field || special.test(field)
  return quoted ? `"${field.replaceAll('"', '""')}"` : field
}
