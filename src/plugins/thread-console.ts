import { format } from "node:util"

/** What an operator's API writes to the console goes to the log: standard output may be read by a program. */
export interface ThreadConsole {
  readonly console: Readonly<Record<"log" | "info" | "warn" | "error" | "debug" | "trace", Write>>
  /** Begins a run. */
  begin(): void
}

type Write = (...values: unknown[]) => void

/** Of one run. More could fill the log's disk, and take the service's time. */
const maxLines = 20
const maxLength = 500

/** @param say sends a line to the service */
export function createThreadConsole(say: (text: string) => void): ThreadConsole {
  let lines = 0
  const write: Write = (...values) => {
    lines++
    if (lines > maxLines + 1) return
    if (lines > maxLines) say("… (the rest of what this call writes is left out)")
    else say(format(...values).slice(0, maxLength))
  }
  return {
    console: { log: write, info: write, warn: write, error: write, debug: write, trace: write },
    begin() {
      lines = 0
    },
  }
}
