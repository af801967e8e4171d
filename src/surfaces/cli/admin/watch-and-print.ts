import type { Operation, OperationCommand } from "../../../admin/operation.ts"
import { escapeHidden } from "../../../values/hidden-characters.ts"
import type { CliParts } from "../parts.ts"
import type { RemoteBackend } from "./backend.ts"
import { requireValues } from "./present.ts"
import type { Flags } from "./read-entry.ts"

/** Prints events until the user or the service ends it: as JSON lines, or in columns that grow with their values. */
export async function watchAndPrint(
  backend: RemoteBackend,
  operation: Operation,
  command: OperationCommand,
  input: Readonly<Record<string, unknown>>,
  { json = false, wide = false }: Flags,
  { terminal, stopRequested }: Pick<CliParts, "terminal" | "stopRequested">,
): Promise<void> {
  const stop = new AbortController()
  void stopRequested().then(() => stop.abort())
  const names = wide || !command.columns ? Object.keys(operation.output.properties) : command.columns
  const widths = names.map(() => 0)
  const widen = (cells: readonly string[]) => {
    for (const [index, cell] of cells.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, Bun.stringWidth(cell))
    }
  }
  const printLine = (cells: readonly string[]) => {
    const padded = cells.map((cell, index) => cell + " ".repeat((widths[index] ?? 0) - Bun.stringWidth(cell)))
    terminal.out(`${padded.join("  ").trimEnd()}\n`)
  }
  let isFirst = true
  for await (const { events, lost } of backend.watch(operation, input, stop.signal)) {
    for (const event of events) {
      if (json) terminal.out(`${JSON.stringify(event)}\n`)
      else {
        const values = requireValues(event)
        const cells = names.map((name) => toCell(values[name], wide))
        widen(cells)
        if (isFirst) {
          widen(names)
          printLine(names)
        }
        isFirst = false
        printLine(cells)
      }
    }
    if (lost > 0) terminal.err(`${lost} more were left out: there were too many to show.\n`)
  }
}

function toCell(value: unknown, isFull: boolean): string {
  if (value === null || value === undefined || value === "") return "-"
  const text = escapeHidden(String(value))
  // The date is omitted: users watch today's requests.
  return isFull ? text : text.replace(/^\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d\.\d{3})Z$/, "$1")
}
