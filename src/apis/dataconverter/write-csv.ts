import { pointerTo } from "../../values/json-value.ts"
import type { CsvForm } from "./read-csv.ts"
import { isList, isObject, Moment, type Notes, Output, toText, type Value } from "./values.ts"
import { writeCompactJson } from "./write-json.ts"

/** Writes CSV (RFC 4180): the names of all keys in the first row, then a row for each object of the list. */
export function writeCsv(value: Value, notes: Notes, { delimiter }: CsvForm): string {
  const items = isList(value) ? value : [value]
  if (!isList(value)) notes.add("rows", "")
  const columns = new Set<string>()
  const rows = items.map((item, index) => {
    const row = isObject(item) ? item : new Map([["value", item]])
    const where = pointerTo("", index)
    if (!isObject(item)) notes.add("rows", where)
    if (row.size === 0) notes.add("simple_objects", where)
    for (const key of row.keys()) columns.add(key)
    return row
  })
  if (columns.size === 0) return ""
  const names = [...columns]
  const output = new Output()
  const writeRow = (cells: Iterable<string>) => {
    let separator = ""
    for (const cell of cells) {
      // A row with one empty cell would be an empty line, which readers leave out.
      output.add(separator, names.length === 1 && cell === "" ? '""' : quote(cell, delimiter))
      separator = delimiter
    }
    output.add("\r\n")
  }
  writeRow(names)
  for (const [index, row] of rows.entries())
    writeRow(
      names
        .values()
        .map((name) => toCell(row.get(name), `${pointerTo("", index)}${pointerTo("", name)}`, notes)),
    )
  return String(output)
}

function toCell(value: Value | undefined, where: string, notes: Notes): string {
  if (value === undefined) {
    notes.add("missing_cells", where)
    return ""
  }
  if (isList(value) || isObject(value)) {
    notes.add("nested_cells", where)
    return writeCompactJson(value)
  }
  if (value instanceof Moment) notes.add("dates", where)
  else if (typeof value !== "string") notes.add("types", where)
  return toText(value)
}

/** Quotes a cell if needed. Readers would leave out a byte order mark at its beginning, and a first line such as `sep=;`. */
function quote(cell: string, delimiter: string): string {
  return /["\r\n]|^\ufeff|^sep=/i.test(cell) || cell.includes(delimiter)
    ? `"${cell.replaceAll('"', '""')}"`
    : cell
}
