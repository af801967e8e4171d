import { type Finding, meets, type Report, type Row } from "./case.ts"

/** A case's figures as text for people. */
export function toText(title: string, { rows, findings, notes }: Report): string {
  const tables = [
    Object.fromEntries(rows.map((row) => [row.subject, rowCells(row)])),
    Object.fromEntries(findings.map((finding) => [finding.what, findingCells(finding)])),
  ].filter((table) => Object.keys(table).length > 0)
  const parts = [`## ${title}`, ...tables.map((table) => Bun.inspect.table(table).trimEnd())]
  return `\n${[...parts, ...notes.map((note) => `Note: ${note}`)].join("\n\n")}\n`
}

function rowCells(row: Row): Record<string, string> {
  return {
    "CPU µs/request": row.cpuMicroseconds?.toFixed(1) ?? "?",
    "requests/s": Math.round(row.requestsPerSecond).toLocaleString("en"),
    "p50 ms": row.p50Ms.toFixed(2),
    "p99 ms": row.p99Ms.toFixed(2),
    "MB idle": row.idleMb?.toFixed(0) ?? "?",
    "MB load": row.loadMb?.toFixed(0) ?? "?",
  }
}

function findingCells({ value, range, goal }: Finding): Record<string, string> {
  return {
    value: value.toFixed(2),
    rounds: range ? `${range[0].toFixed(2)} to ${range[1].toFixed(2)}` : "",
    goal: goal ? ("atLeast" in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`) : "",
    result: goal ? (meets(value, goal) ? "met" : "MISSED") : "",
  }
}
