/** Where operators read what happened. Values are plain data; never a key, a secret or a caller's input. */
export interface Log {
  info(message: string, fields: Readonly<Record<string, unknown>>): void
  error(message: string, fields: Readonly<Record<string, unknown>>): void
}

/** JSON lines on stderr. */
export function createLog(write: (line: string) => void): Log {
  const at = (level: string): Log["error"] => {
    return (message, fields) => write(`${JSON.stringify({ level, message, ...fields })}\n`)
  }
  return { info: at("info"), error: at("error") }
}
