import { isUtf8 } from "node:buffer"
import { readFile, stat } from "node:fs/promises"
import { CsvError, parse } from "csv-parse/sync"
import { ConfigError } from "../../../config/config-error.ts"
import { messageOf } from "../../../values/message-of.ts"
import { group, type LineMistake } from "./import-refused.ts"

/** A file is read as a whole, so that nothing is imported of one with a mistake. */
const maxFileBytes = 100_000_000
/** A quote that does not close would otherwise make one cell of the rest of the file. */
const maxRowCharacters = 20_000

/** A table as its file has it. */
export interface CsvTable {
  /** The names of the first line; none if one of them is wrong, since nothing can be said of cells then. */
  readonly columns: readonly string[]
  readonly rows: readonly CsvRow[]
  readonly mistakes: readonly LineMistake[]
  /** SHA-256 of the file's bytes. */
  readonly hash: string
}

export interface CsvRow {
  /** The line in which it begins, counted from 1. */
  readonly line: number
  /** As many as there are columns. */
  readonly cells: readonly string[]
}

/** The columns that a table may have. */
export interface KnownColumns {
  readonly known: readonly string[]
  readonly required: readonly string[]
}

/**
 * Reads a CSV file (RFC 4180) in UTF-8 whose first line names the columns. Lines end with LF or CRLF; empty ones are skipped.
 * @throws ConfigError for a file that cannot be read
 */
export async function readCsvFile(file: string, columns: KnownColumns): Promise<CsvTable> {
  const bytes = await readBytes(file)
  const hash = new Bun.CryptoHasher("sha256").update(bytes).digest("hex")
  const wrong = mistakeOfUtf8(bytes)
  if (wrong !== null) return { columns: [], rows: [], mistakes: [wrong], hash }
  return { ...readTable(bytes, columns), hash }
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    const { size } = await stat(file)
    if (size <= maxFileBytes) return await readFile(file)
  } catch (cause) {
    throw new ConfigError(`The file ${file} cannot be read: ${messageOf(cause)}. Check its name.`)
  }
  throw new ConfigError(
    `The file ${file} is too large: it may have ${group(maxFileBytes)} bytes. Import it in parts.`,
  )
}

function readTable(bytes: Buffer, known: KnownColumns): Omit<CsvTable, "hash"> {
  const rows: CsvRow[] = []
  const mistakes: LineMistake[] = []
  const lineAt = createLineCounter(bytes)
  let columns: readonly string[] | null = null
  let isHeaderWrong = false
  let end = 0
  const onRecord = (cells: string[], { bytes: nextEnd }: { readonly bytes: number }) => {
    const line = lineAt(skipEmptyLines(bytes, end))
    end = nextEnd
    if (columns === null) {
      columns = cells
      mistakes.push(...mistakesOfHeader(cells, line, known))
      isHeaderWrong = mistakes.length > 0
    } else if (cells.length === columns.length) rows.push({ line, cells })
    else mistakes.push({ line, column: null, detail: wrongCount(cells.length, columns.length) })
    return null
  }
  try {
    parse(bytes, {
      bom: true,
      record_delimiter: ["\n", "\r\n"],
      skip_empty_lines: true,
      relax_column_count: true,
      max_record_size: maxRowCharacters,
      on_record: onRecord,
    })
  } catch (thrown) {
    if (!(thrown instanceof CsvError)) throw thrown
    const line = lineAt(skipEmptyLines(bytes, end))
    mistakes.push({ line, column: columnOf(thrown, columns), detail: quoteMistake(thrown) })
  }
  if (columns === null && mistakes.length === 0) {
    const detail = `The file is empty. Its first line must name the columns, such as ${known.known.join(",")}`
    mistakes.push({ line: 1, column: null, detail })
  }
  return { columns: isHeaderWrong ? [] : (columns ?? []), rows, mistakes }
}

function mistakesOfHeader(
  columns: readonly string[],
  line: number,
  { known, required }: KnownColumns,
): readonly LineMistake[] {
  const names = `The columns may be ${known.join(", ")}.`
  const unknown = columns.filter((name, index) => !known.includes(name) && columns.indexOf(name) === index)
  const twice = columns.filter((name, index) => columns.indexOf(name) !== index)
  const missing = required.filter((name) => !columns.includes(name))
  const hint = columns.length === 1 && /[;\t|]/.test(columns[0] ?? "") ? " Separate them by commas." : ""
  const toMistake = (name: string, detail: string) => ({ line, column: cut(name), detail })
  return [
    ...unknown.map((name) => toMistake(name, `There is no such column. ${names}${hint}`)),
    ...new Set(twice).values().map((name) => toMistake(name, "This column comes twice. Leave one out.")),
    ...missing.map((name) => toMistake(name, "This column is needed, and missing.")),
  ]
}

/** The name of a column in a message. */
function cut(name: string): string {
  return name.length > 50 ? `${name.slice(0, 50)}…` : name
}

function wrongCount(cells: number, columns: number): string {
  const advice =
    cells > columns ? "Put a cell that has a comma in quotes." : "Write a comma also before an empty cell."
  return `${cells === 1 ? "There is 1 cell" : `There are ${cells} cells`} for ${columns} columns. ${advice}`
}

/** The name of the column in which the reader stopped. */
function columnOf(error: CsvError, columns: readonly string[] | null): string | null {
  const place: unknown = "column" in error ? error.column : null
  return typeof place === "number" ? (columns?.[place] ?? null) : null
}

/** After a mistake with quotes nobody knows where the next cell begins. */
function quoteMistake({ code }: CsvError): string {
  const unread = "The lines after it were not read."
  switch (code) {
    case "CSV_QUOTE_NOT_CLOSED":
      return `A quote opens here and does not close. ${unread}`
    case "CSV_MAX_RECORD_SIZE":
      return `The line has over ${group(maxRowCharacters)} characters, or a quote in it does not close. ${unread}`
    default:
      return `A quote is inside a cell. Put the whole cell in quotes, and write each quote in it twice. ${unread}`
  }
}

/** Returns the line of a place, counted from 1. The places that it is asked for rise. */
function createLineCounter(bytes: Uint8Array): (place: number) => number {
  let line = 1
  let at = 0
  return (place) => {
    for (; at < place; at++) if (bytes[at] === lineFeed) line++
    return line
  }
}

const lineFeed = 0x0a
const carriageReturn = 0x0d

function skipEmptyLines(bytes: Uint8Array, start: number): number {
  let at = start
  while (true) {
    if (bytes[at] === lineFeed) at++
    else if (bytes[at] === carriageReturn && bytes[at + 1] === lineFeed) at += 2
    else return at
  }
}

/** The first place that is not UTF-8; null if there is none. */
function mistakeOfUtf8(bytes: Buffer): LineMistake | null {
  if (isUtf8(bytes)) return null
  let line = 1
  let start = 0
  while (true) {
    // No byte of a longer character is a line feed.
    const end = bytes.indexOf(lineFeed, start)
    const text = bytes.subarray(start, end === -1 ? bytes.length : end)
    if (!isUtf8(text) || end === -1) {
      const detail = `Character ${placeOfBad(text)} is not UTF-8. Save the file as CSV in UTF-8.`
      return { line, column: null, detail }
    }
    start = end + 1
    line++
  }
}

/** The number of the character at which the bytes stop being UTF-8, counted from 1. */
function placeOfBad(bytes: Buffer): number {
  let at = 0
  let place = 1
  for (const character of bytes.toString("utf8")) {
    const own = Buffer.from(character)
    if (!bytes.subarray(at, at + own.length).equals(own)) break
    at += own.length
    place++
  }
  return place
}
