import { type Options, stringify } from "csv-stringify/sync"
import type { Envelope } from "./formats.ts"

type Row = readonly [key: string, value: string | null]

/**
 * RFC 4180: the header `key,value`, then one row for each leaf of `data`, keys joined as in `formatted.loanAmount`
 * and `sorted[0]`; or, for an error, the rows `status` and `error`. Null is an empty field, an empty string is `""`.
 * Empty arrays and objects have no leaf and so no row. Text is left as it is, also where a spreadsheet would take it
 * for a formula.
 */
export function encodeCsv({ status, error, data }: Envelope): string {
  const rows: Row[] = [["key", "value"]]
  if (status === "error")
    rows.push(["status", status], ["error", error === null ? null : error.toWellFormed()])
  else addLeaves(rows, "", data ?? {})
  return stringify(rows, options)
}

const options: Options = {
  record_delimiter: "windows",
  // A lone CR or LF ends a row for many readers, though here only CRLF does.
  quote_record_delimiter: true,
  // The RFC asks for neither, but readers drop outer blanks, and an empty field without quotes is null here.
  quoted_match: /^$|^\s|\s$/,
}

function addLeaves(rows: Row[], path: string, value: unknown): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) addLeaves(rows, `${path}[${index}]`, item)
  } else if (typeof value === "object" && value !== null) {
    const prefix = path === "" ? "" : `${path}.`
    for (const [key, member] of Object.entries(value)) addLeaves(rows, prefix + key, member)
  } else if (value !== undefined) {
    rows.push([path, value === null ? null : String(value).toWellFormed()])
  }
}
