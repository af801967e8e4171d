/** What commands write to: two streams and a clock for what they print. */
export interface Terminal {
  out(text: string): void
  err(text: string): void
}

export type Row = Readonly<Record<string, unknown>>

/** Data for scripts (`--json`: one JSON value) or for people (an aligned table). */
export function printRows(terminal: Terminal, rows: readonly Row[], json: boolean, none: string): void {
  if (json) terminal.out(`${JSON.stringify(rows)}\n`)
  else if (rows.length === 0) terminal.err(`${none}\n`)
  else terminal.out(toTable(rows))
}

/** One record, as JSON or as lines of `name  value`. */
export function printRecord(terminal: Terminal, record: Row, json: boolean): void {
  if (json) {
    terminal.out(`${JSON.stringify(record)}\n`)
    return
  }
  const width = Math.max(...Object.keys(record).map((name) => name.length))
  for (const [name, value] of Object.entries(record))
    terminal.out(`${name.padEnd(width)}  ${toText(value)}\n`)
}

function toTable(rows: readonly Row[]): string {
  const names = Object.keys(rows[0] ?? {})
  const lines = [names, ...rows.map((row) => names.map((name) => toText(row[name])))]
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("")
}

function toText(value: unknown): string {
  if (value === null || value === undefined || value === "") return "-"
  if (Array.isArray(value)) return value.length === 0 ? "-" : value.join(",")
  return String(value)
}

/** An instant in milliseconds as ISO 8601 UTC, or null. */
export function toIso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
