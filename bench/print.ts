import { toTable } from "../scripts/findings.ts"
import type { Report, Row } from "./case.ts"

/** A case's figures as text for people. */
export function toText(title: string, { rows, findings, notes }: Report): string {
  const parts = [
    `## ${title}`,
    ...(rows.length > 0 ? [rowTable(rows)] : []),
    ...(findings.length > 0 ? [toTable(findings)] : []),
    ...notes.map((note) => `Note: ${note}`),
  ]
  return `\n${parts.join("\n\n")}\n`
}

function rowTable(rows: readonly Row[]): string {
  return Bun.inspect.table(Object.fromEntries(rows.map((row) => [row.subject, rowCells(row)]))).trimEnd()
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
