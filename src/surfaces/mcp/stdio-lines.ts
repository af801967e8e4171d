import type { Readable } from "node:stream"

/** A longer message ends the connection, as the protocol's library does by default. */
export const maxMessageBytes = 10 * 1_024 * 1_024

/**
 * Reports lines that are not JSON, which the protocol's library ignores silently. Their text is not repeated, since it may hold a
 * secret. Attach it before the library: then it sees each line first.
 * @returns a promise that resolves when a line is too long
 */
export function reportMalformedLines(input: Readable, report: (problem: string) => void): Promise<void> {
  const { promise: tooLong, resolve } = Promise.withResolvers<void>()
  let pieces: Buffer[] = []
  let bytes = 0

  function endLine(): void {
    const line = Buffer.concat(pieces).toString().trim()
    pieces = []
    bytes = 0
    if (line !== "" && !isJson(line)) report("a line is not JSON and was passed over")
  }

  input.on("data", (chunk: Buffer) => {
    let rest = chunk
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
      pieces.push(rest.subarray(0, end))
      endLine()
      rest = rest.subarray(end + 1)
    }
    pieces.push(rest)
    bytes += rest.length
    if (bytes <= maxMessageBytes) return
    report("a message is longer than 10 MiB, so the connection ends")
    pieces = []
    bytes = 0
    resolve()
  })
  input.on("end", () => {
    if (bytes > 0) report("the input ended before the end of its last line, which was passed over")
  })
  return tooLong
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
