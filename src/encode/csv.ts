import { createEscape } from "./escape.ts"
import { type Encoded, type Envelope, encodeTree, type Layout } from "./tree.ts"

/**
 * CSV (RFC 4180): `key,value`, then a row for each value in `data`, with keys such as `formatted.loanAmount` and `sorted[0]`.
 * Null is an empty field, an empty string is `""`. Text that a spreadsheet would take for a formula is not changed.
 */
export function encodeCsv({ status, error, data }: Envelope): Encoded {
  const rows = status === "error" ? { status, error } : (data ?? {})
  return encodeTree(csvLayout, rows, { text: "", isItem: false, depth: 0 })
}

const header = "key,value\r\n"

/** The text of a place is the key of a row. */
export const csvLayout: Layout = {
  isAbsent: (member) => member === undefined,
  begin: ({ depth }) => (depth === 0 ? header : ""),
  end: () => "",
  empty: ({ depth }) => (depth === 0 ? header : ""),
  member: ({ text }, name) => (text === "" ? name : `${text}.${name}`),
  item: ({ text }, index) => `${text}[${index}]`,
  scalar({ text: key }, value) {
    return `${toField(key)},${value === null ? "" : toField(String(value))}\r\n`
  },
  longText({ text: key }, text) {
    const quote = needsQuotes(text) ? '"' : ""
    return { before: `${toField(key)},${quote}`, escape: escapeField, after: `${quote}\r\n` }
  },
}

/** A field of a row, in quotes where it needs them. */
function toField(text: string): string {
  return needsQuotes(text) ? `"${escapeField(text)}"` : text.toWellFormed()
}

/**
 * Characters that end a field need quotes (RFC 4180 §2; for many readers CR or LF alone ends a row). The RFC does not ask for
 * quotes around outer spaces and empty text, but without them readers drop spaces and read null.
 */
function needsQuotes(text: string): boolean {
  return text === "" || /[",\r\n]|^\s|\s$/.test(text)
}

function escapeField(part: string): string {
  const field = part.toWellFormed()
  return field.includes('"') ? doubleQuotes(field) : field
}

const doubleQuotes = createEscape([['"', '""']])

/**
 * One row of a CSV table (RFC 4180) with its line break. Null is an empty field; lists and objects are JSON. A text that a
 * spreadsheet would take for a formula gets an apostrophe before it, since customers choose some of them (OWASP, CSV injection).
 */
export function toCsvRow(cells: readonly unknown[]): string {
  return `${cells.map(toCell).join(",")}\r\n`
}

/** Spaces of any kind and invisible characters before a formula do not stop every spreadsheet. */
const formula = /^(?:[\t\r\n]|[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])/u

function toCell(value: unknown): string {
  if (value === null || value === undefined) return ""
  if (typeof value === "string") return toField(formula.test(value) ? `'${value}` : value)
  return toField(typeof value === "object" ? JSON.stringify(value) : String(value))
}
