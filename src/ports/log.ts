/** Where operators read what happened. Values are plain data; never a key, a secret or a caller's input. */
export interface Log {
  error(message: string, fields: Readonly<Record<string, unknown>>): void
}

/** JSON lines on stderr. */
export function createLog(write: (line: string) => void): Log {
  return {
    error: (message, fields) => write(`${JSON.stringify({ level: "error", message, ...fields })}\n`),
  }
}
