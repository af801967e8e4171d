import type { Envelope } from "./envelope.ts"
import { createEscape } from "./escape.ts"

/**
 * CSV (RFC 4180): `key,value`, then a row for each value in `data`, with keys such as `formatted.loanAmount` and `sorted[0]`.
 * Null is an empty field, an empty string is `""`. Text that a spreadsheet would take for a formula is not changed.
 */
export function encodeCsv({ status, error, data }: Envelope): string {
  const header = toRow("key", "value")
  if (status === "error") return header + toRow("status", status) + toRow("error", error)
  return header + toRows("", data ?? {})
}

/** The rows of an item of the list `name` in `data`. */
export function encodeCsvItem(name: string, item: unknown, index: number): string {
  return toRows(`${name}[${index}]`, item)
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

/** What ends a field (RFC 4180 §2). For many readers CR or LF alone ends a row. */
const special = /[",\r\n]/

/** Quotes keep outer spaces and empty text, although the RFC does not ask for them: readers drop spaces and read null. */
function toField(text: string): string {
  const field = text.toWellFormed()
  const quoted = field === "" || field.trim() !== field || special.test(field)
  return quoted ? `"${field.includes('"') ? doubleQuotes(field) : field}"` : field
}

const doubleQuotes = createEscape([['"', '""']])
