import { reject } from "../contract.ts"
import type { Notes } from "./notes.ts"
import { addKey, placeAt, placeText, refuse, type Value } from "./values.ts"

/**
 * Reads CSV (RFC 4180) with the names of the columns in its first row. Each row becomes an object; all values are text. Any line
 * break ends a line. Empty lines are left out. In a field that does not begin with a quote, quotes are ordinary characters.
 */
export function readCsv(text: string, notes: Notes): Value {
  const [header, ...rows] = splitRows(text)
  if (!header) return []
  const names = new Map<string, number>()
  for (const [index, { value, offset }] of header.entries())
    addKey(names, value, index, () => placeAt(text, offset))
  if (rows.length === 0) notes.add("header_alone", () => ({ line: 1, column: 1 }))
  return rows.map((row) => {
    if (row.length !== names.size)
      reject(
        "text",
        `must have ${names.size} fields in each row, as in the first one, and has ${row.length} in the row at ${placeText(placeAt(text, row[0]?.offset ?? 0))}`,
      )
    return new Map(names.entries().map(([name, index]) => [name, row[index]?.value ?? ""]))
  })
}

interface Field {
  readonly value: string
  /** Where it begins in the text. */
  readonly offset: number
}

function splitRows(text: string): Field[][] {
  const rows: Field[][] = []
  let row: Field[] = []
  let at = 0
  while (at < text.length || row.length > 0) {
    const offset = at
    const isQuoted = text[at] === '"'
    const end = isQuoted ? endOfQuoted(text, at) : nextEnd(text, at)
    const value = isQuoted ? text.slice(at + 1, end - 1).replaceAll('""', '"') : text.slice(at, end)
    row.push({ value, offset })
    if (isQuoted && !isEnd(text[end]))
      refuse("CSV", placeAt(text, end), "a comma or a new line must follow the quote")
    at = end + (text.startsWith("\r\n", end) ? 2 : 1)
    if (text[end] === ",") continue
    if (row.length > 1 || end > offset) rows.push(row)
    row = []
  }
  return rows
}

const ends = /[,\r\n]/g

function nextEnd(text: string, from: number): number {
  ends.lastIndex = from
  return ends.exec(text)?.index ?? text.length
}

function isEnd(character: string | undefined): boolean {
  return character === undefined || /[,\r\n]/.test(character)
}

/** The offset after the quote that ends a field. Two quotes in a row are one quote inside the field. */
function endOfQuoted(text: string, start: number): number {
  let at = text.indexOf('"', start + 1)
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2)
  if (at < 0) refuse("CSV", placeAt(text, start), "a quote that begins here has no end")
  return at + 1
}
