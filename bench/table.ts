import { type Finding, meets, type Report, type Row } from "./case.ts"

/** A case's figures for people. */
export function toText(title: string, { rows, findings, notes }: Report): string {
  const parts = [`## ${title}`]
  if (rows.length > 0) parts.push(table(rowHeads, rows.map(rowCells)))
  if (findings.length > 0) parts.push(table(findingHeads, findings.map(findingCells)))
  parts.push(...notes.map((note) => `Note: ${note}`))
  return `\n${parts.join("\n\n")}\n`
}

const rowHeads = ["server", "req/s", "p50 ms", "p99 ms", "CPU µs/req", "MB idle", "MB load"]
const findingHeads = ["what", "value", "rounds from–to", "goal", ""]

function rowCells(row: Row): string[] {
  return [
    row.subject,
    Math.round(row.requestsPerSecond).toLocaleString("en"),
    row.p50Ms.toFixed(2),
    row.p99Ms.toFixed(2),
    row.cpuMicroseconds?.toFixed(1) ?? "?",
    row.idleMb?.toFixed(0) ?? "",
    row.loadMb?.toFixed(0) ?? "?",
  ]
}

function findingCells({ what, value, range, goal }: Finding): string[] {
  return [
    what,
    value.toFixed(2),
    range ? range.map((end) => end.toFixed(2)).join("–") : "",
    goal ? ("atLeast" in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`) : "",
    goal ? (meets(value, goal) ? "met" : "MISSED") : "",
  ]
}

/** A Markdown table, aligned: text to the left, numbers to the right. */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(" | ")} |`
  const rule = `|${widths.map((width, column) => (column === 0 ? "-".repeat(width + 2) : `${"-".repeat(width + 1)}:`)).join("|")}|`
  return [line(heads), rule, ...rows.map(line)].join("\n")
}
