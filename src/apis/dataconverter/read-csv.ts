import { reject } from "../contract.ts"
import { addKey, type Notes, placeAt, placeText, refuse, type Value } from "./values.ts"

/**
 * Reads CSV (RFC 4180) with the names of the columns in its first row. Each row becomes an object; all values are text. Any line
 * break ends a line. Empty lines are left out. In a field that does not begin with a quote, quotes are ordinary characters.
 */
export function readCsv(text: string, notes: Notes, { delimiter, fillsRows }: CsvForm): Value {
  // Spreadsheets write and read such a line before the names.
  const [line = "", named = ""] = /^sep=([,;\t|])(?:\r\n?|\n|$)/i.exec(text) ?? []
  if (line !== "") notes.add("separator_line", start)
  const [header, ...rows] = splitRows(text, line.length, named || delimiter)
  if (!header) return []
  const names = new Map<string, number>()
  for (const [index, { value, offset }] of header.entries())
    addKey(names, value, index, () => placeAt(text, offset))
  const isOther = header.length === 1 && /[;\t]/.test(header[0]?.value ?? "")
  if (isOther) notes.add("other_delimiter", start)
  if (rows.length === 0) notes.add("header_alone", start)
  return rows.map((row) => {
    if (fillsRows && row.length < names.size)
      notes.add("short_rows", () => placeAt(text, row[0]?.offset ?? 0))
    else if (row.length !== names.size)
      reject(
        "text",
        `must have ${names.size} field${names.size === 1 ? "" : "s"} in each row, as in the first one, and has ${row.length} in the row at ${placeText(placeAt(text, row[0]?.offset ?? 0))}${isOther ? "; or set 'delimiter' to what parts the columns" : row.length < names.size ? "; or set 'short_rows' to fill" : ""}`,
      )
    return new Map(names.entries().map(([name, index]) => [name, row[index]?.value ?? ""]))
  })
}

/** How CSV is written. */
export interface CsvForm {
  /** The character that parts the columns. */
  readonly delimiter: string
  /** Whether a row may have fewer fields than the first. */
  readonly fillsRows: boolean
}

const start = () => ({ line: 1, column: 1 })

interface Field {
  readonly value: string
  /** Where it begins in the text. */
  readonly offset: number
}

function splitRows(text: string, from: number, delimiter: string): Field[][] {
  const ends = new RegExp(`[${delimiter}\\r\\n]`, "g")
  const rows: Field[][] = []
  let row: Field[] = []
  let at = from
  while (at < text.length || row.length > 0) {
    const offset = at
    const isQuoted = text[at] === '"'
    const end = isQuoted ? endOfQuoted(text, at) : nextEnd(text, at, ends)
    const value = isQuoted ? text.slice(at + 1, end - 1).replaceAll('""', '"') : text.slice(at, end)
    row.push({ value, offset })
    if (isQuoted && end < text.length && nextEnd(text, end, ends) !== end)
      refuse("CSV", placeAt(text, end), `${nameOf(delimiter)} or a new line must follow the quote`)
    at = end + (text.startsWith("\r\n", end) ? 2 : 1)
    if (text[end] === delimiter) continue
    if (row.length > 1 || end > offset) rows.push(row)
    row = []
  }
  return rows
}

function nextEnd(text: string, from: number, ends: RegExp): number {
  ends.lastIndex = from
  return ends.exec(text)?.index ?? text.length
}

function nameOf(delimiter: string): string {
  return { ",": "a comma", ";": "a semicolon", "\t": "a tab" }[delimiter] ?? `'${delimiter}'`
}

/** The offset after the quote that ends a field. Two quotes in a row are one quote inside the field. */
function endOfQuoted(text: string, start: number): number {
  let at = text.indexOf('"', start + 1)
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2)
  if (at < 0) refuse("CSV", placeAt(text, start), "a quote that begins here has no end")
  return at + 1
}
