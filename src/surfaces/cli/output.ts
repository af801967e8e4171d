import { escapeHidden, escapeHiddenInLines } from "../../values/hidden-characters.ts"

/** Where commands print: standard output and standard error. */
export interface Terminal {
  out(text: string): void
  err(text: string): void
}

/** A terminal that gets all hidden characters escaped, except line breaks and tabs: some come from a data file or a caller. */
export function withoutHidden({ out, err }: Terminal): Terminal {
  return { out: (text) => out(escapeHiddenInLines(text)), err: (text) => err(escapeHiddenInLines(text)) }
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
  else terminal.out(toTable(rows))
}

/** Prints a record as JSON or as lines of `name  value`. */
export function printRecord(terminal: Terminal, record: Row, json = false): void {
  const width = Math.max(...Object.keys(record).map((name) => name.length))
  const lines = Object.entries(record).map(([name, value]) => `${name.padEnd(width)}  ${toText(value)}\n`)
  terminal.out(json ? `${JSON.stringify(record)}\n` : lines.join(""))
}

function toTable(rows: readonly Row[]): string {
  const names = Object.keys(rows[0] ?? {})
  const lines = [names, ...rows.map((row) => Object.values(row).map(toText))]
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const toLine = (cells: readonly string[]) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0))
  return lines.map((line) => `${toLine(line).join("  ").trimEnd()}\n`).join("")
}

function toText(value: unknown): string {
  if (value === null || value === undefined || value === "") return "-"
  if (Array.isArray(value)) return value.length === 0 ? "-" : escapeHidden(value.join(","))
  return escapeHidden(String(value))
}

/** An instant in milliseconds as ISO 8601 UTC; null stays null. */
export function toIso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}

/** The example at the end of a command's help. */
export function example(line: string): string {
  return `\nExample:\n  ${line}`
}
