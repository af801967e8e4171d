import { isUtf8 } from "node:buffer"
import { readFile, stat } from "node:fs/promises"
import type { TObject, TSchema } from "@sinclair/typebox"
import { CsvError, parse } from "csv-parse/sync"
import { readEmail } from "../../../accounts/email.ts"
import { ConfigError } from "../../../config/setting-name.ts"
import { parseJson } from "../../../values/is-object.ts"
import { messageOf } from "../../../values/message-of.ts"

/** A file is read as a whole, so that nothing is imported of one with a mistake. */
const maxFileBytes = 100_000_000
/** A quote that does not close would otherwise make one cell of the rest of the file. */
const maxRowCharacters = 20_000

/** An entry of a list, as a line of a file has it. */
export interface Line {
  /** The line in which it begins, counted from 1. */
  readonly line: number
  /** By column, without empty cells. */
  readonly values: Readonly<Record<string, unknown>>
}

export interface LineMistake {
  readonly line: number
  /** The name of its column; null if it is about the line. */
  readonly column: string | null
  /** The correction, for the reader. */
  readonly detail: string
}

/** The columns that no two accounts may have the same text in. */
export const uniqueColumns = ["email", "external_id"]

/**
 * Reads a CSV file (RFC 4180) in UTF-8 whose first line names the columns. Lines end with LF or CRLF; empty ones are skipped.
 * @param schema the schema of an entry: texts are written as they are, everything else as JSON, as in the CSV of lists
 * @returns the columns, the entries, the mistakes that can be seen without a store, and the SHA-256 of the file's bytes
 * @throws ConfigError for a file that cannot be read
 */
export async function readCsvFile(file: string, schema: TObject) {
  const bytes = await readBytes(file)
  const hash = new Bun.CryptoHasher("sha256").update(bytes).digest("hex")
  const { columns, lines, mistakes } = readLines(bytes, schema)
  return { hash, columns, lines, mistakes: [...mistakes, ...(await findRepeated(lines))] }
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    if ((await stat(file)).size <= maxFileBytes) return await readFile(file)
  } catch (cause) {
    throw new ConfigError(`The file ${file} cannot be read: ${messageOf(cause)}. Check its name.`)
  }
  throw new ConfigError(`The file ${file} is too large: it may have 100,000,000 bytes. Import it in parts.`)
}

const [lineFeed, quote] = Buffer.from('\n"')
const byteOrderMark = Buffer.from("\ufeff")

function readLines(file: Buffer, schema: TObject) {
  const bytes = file.subarray(file.indexOf(byteOrderMark) === 0 ? byteOrderMark.length : 0)
  const lines: Line[] = []
  const mistakes: LineMistake[] = []
  let columns: readonly string[] | null = null
  let isHeaderRight = false
  /** The place where the next record begins. */
  let [next, end] = [1, 0]
  const onRecord = (cells: string[], { bytes: nextEnd }: { readonly bytes: number }) => {
    const record = bytes.subarray(end, nextEnd)
    const line = next
    const name = (column: string | null, detail: string) => mistakes.push({ line, column, detail })
    for (const byte of record) if (byte === lineFeed) next++
    end = nextEnd
    if (cells.length === 1 && cells[0] === "" && record[0] !== quote) return null
    if (!isUtf8(record)) {
      const index = cells.findIndex((cell) => cell.includes("\ufffd"))
      name(columns?.[index] ?? null, "A character is not UTF-8. Save the file as CSV in UTF-8.")
    } else if (columns === null) {
      for (const [column, detail] of mistakesOfHeader(cells, schema)) name(column, detail)
      isHeaderRight = mistakes.length === 0
    } else if (cells.length !== columns.length) {
      const counts = `Cells: ${cells.length}, columns: ${columns.length}.`
      name(
        null,
        `${counts} Put a cell that has a comma in quotes, and write a comma also before an empty cell.`,
      )
    } else if (isHeaderRight) {
      const values = columns.map((column, index) => [
        column,
        readCell(cells[index], schema.properties[column]),
      ])
      lines.push({ line, values: Object.fromEntries(values.filter(([, value]) => value !== "")) })
    }
    columns ??= cells
    return null
  }
  try {
    parse(bytes, {
      record_delimiter: ["\n", "\r\n"],
      relax_column_count: true,
      max_record_size: maxRowCharacters,
      on_record: onRecord,
    })
  } catch (thrown) {
    if (!(thrown instanceof CsvError)) throw thrown
    const place: unknown = "column" in thrown ? thrown.column : null
    const column = typeof place === "number" ? (columns?.[place] ?? null) : null
    // After a mistake with quotes nobody knows where the next cell begins.
    const detail = `${quoteMistakes[thrown.code] ?? quoteMistake} The lines after it were not read.`
    mistakes.push({ line: next, column, detail })
  }
  if (mistakes.length + lines.length === 0) {
    const names = Object.keys(schema.properties).join(",")
    const detail = `There is no line with an account. Begin with the names of the columns, such as ${names}`
    mistakes.push({ line: next, column: null, detail })
  }
  return { columns: columns ?? [], lines, mistakes }
}

const quoteMistake =
  "A quote is inside a cell. Put the whole cell in quotes, and write each quote in it twice."
const quoteMistakes: Partial<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: "A quote opens here and does not close.",
  CSV_MAX_RECORD_SIZE: "The line has over 20,000 characters, or a quote in it does not close.",
}

function mistakesOfHeader(names: readonly string[], { properties, required = [] }: TObject) {
  const known = Object.keys(properties)
  const unknown = `There is no such column. The columns may be ${known.join(", ")}, with commas between.`
  const missing = required.filter((name) => !names.includes(name))
  return [
    ...names.flatMap((name, index): [string, string][] => {
      if (names.indexOf(name) < index) return [[name, "This column comes twice. Leave one out."]]
      return known.includes(name) ? [] : [[name, unknown]]
    }),
    ...missing.map((name): [string, string] => [name, "This column is needed, and missing."]),
  ]
}

/** A cell that is no JSON stays as it is: the operation says what its parameter must be. */
function readCell(cell = "", schema?: TSchema): unknown {
  if (cell === "" || schema?.type === "string") return cell
  const value = parseJson(cell)
  return value === undefined ? cell : value
}

/** The lines that have what an earlier line has, and no two accounts may have. */
async function findRepeated(lines: readonly Line[]): Promise<readonly LineMistake[]> {
  const mistakes: LineMistake[] = []
  const seen = new Map<string, number>()
  for (const { line, values } of lines) {
    for (const column of uniqueColumns) {
      const given = values[column]
      const text = column === "email" && typeof given === "string" ? await readEmail(given.trim()) : given
      if (typeof text !== "string") continue
      const earlier = seen.get(`${column} ${text}`)
      if (earlier === undefined) seen.set(`${column} ${text}`, line)
      else mistakes.push({ line, column, detail: `Line ${earlier} has this one too.` })
    }
  }
  return mistakes
}
