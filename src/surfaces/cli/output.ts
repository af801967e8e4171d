import { escapeHidden, escapeHiddenInLines } from "../../values/hidden-characters.ts"
import { toTable } from "./table.ts"

/** Where commands print: standard output and standard error. */
export interface Terminal {
  out(text: string): void
  err(text: string): void
  /** Prints a text with colours to standard output. Text from outside must be escaped already. */
  styled(text: string): void
  /** The width of the terminal in columns; null when standard output goes to a file or a program. */
  readonly columns: number | null
  readonly colours: boolean
  /** Whether standard error is a terminal, and not read by a program as a log. */
  readonly errIsTerminal: boolean
}

/** A terminal that escapes hidden characters, except line breaks and tabs: some come from a data file or a caller. */
export function withoutHidden(terminal: Terminal): Terminal {
  const { out, err } = terminal
  return {
    ...terminal,
    out: (text) => out(escapeHiddenInLines(text)),
    err: (text) => err(escapeHiddenInLines(text)),
  }
}

/** Values by column name. All rows of a table have the same columns in the same order. */
export type Row = object

/** Prints rows as a JSON array or as a table; without rows the text `empty` goes to standard error instead of a table. */
export function printRows(
  terminal: Terminal,
  rows: readonly Row[],
  json: boolean | undefined,
  empty: string,
): void {
  if (json) terminal.out(`${JSON.stringify(rows)}\n`)
  else if (rows.length === 0) terminal.err(`${empty}\n`)
  else {
    const names = Object.keys(rows[0] ?? {})
    const columns = names.map((name) => ({ name, isNumber: false }))
    const cells = rows.map((row) => Object.values(row).map(toText))
    terminal.out(toTable(columns, cells, { width: null, colours: false }))
  }
}

/** Prints a record as JSON or as lines of `name  value`. */
export function printRecord(terminal: Terminal, record: Row, json = false): void {
  const width = Math.max(...Object.keys(record).map((name) => name.length))
  const lines = Object.entries(record).map(([name, value]) => `${name.padEnd(width)}  ${toText(value)}\n`)
  terminal.out(json ? `${JSON.stringify(record)}\n` : lines.join(""))
}

function toText(value: unknown): string {
  if (value === null || value === undefined || value === "") return "-"
  if (Array.isArray(value)) return value.length === 0 ? "-" : escapeHidden(value.join(","))
  return escapeHidden(String(value))
}

/** The example at the end of a command's help. */
export function example(line: string): string {
  return `\nExample:\n  ${line}`
}
