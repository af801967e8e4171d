import type { LogOutput } from "../../src/ports/log-output.ts"

/** A log output that keeps its lines in memory. */
export interface MemoryLog extends LogOutput {
  text(): string
}

export function createMemoryLog(): MemoryLog {
  let text = ""
  return {
    write(line) {
      text += line
    },
    flush() {},
    close: async () => {},
    dropped: () => 0,
    text: () => text,
  }
}

/** The log lines of requests, as JSON. */
export function requestsIn(log: string): Record<string, unknown>[] {
  const lines = log.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]))
  return lines.filter(({ message }) => message === "request")
}
