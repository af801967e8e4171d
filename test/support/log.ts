import type { LogOutput } from "../../src/ports/log-output.ts"

/** A log output that keeps its lines in memory, as a text. */
export function createMemoryLog(): LogOutput & { text(): string } {
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

/** Lines of JSON, such as those of a log. */
export function readLines(text: string): Record<string, unknown>[] {
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]))
}

/** The log lines with a message. */
export function linesWith(message: string, log: string): Record<string, unknown>[] {
  return readLines(log).filter((line) => line.message === message)
}

/** The log lines of requests. */
export const requestsIn = (log: string) => linesWith("request", log)
