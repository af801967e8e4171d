import { escapeHidden, escapeHiddenInLines } from "../values/hidden-characters.ts"

/** Turns a JSON log line into the line that is written. */
export type LogFormat = (line: string) => string

/** Loads pino-pretty, which only a terminal needs, and returns the format for people. */
export async function loadPrettyFormat({ color }: { readonly color: boolean }): Promise<LogFormat> {
  const { prettyFactory } = await import("pino-pretty")
  return prettyFactory({
    colorize: color,
    messageKey: "message",
    translateTime: "UTC:HH:MM:ss.l",
    singleLine: true,
    // Prints the stack of a cause on indented lines.
    errorLikeObjectKeys: ["cause"],
    customPrettifiers: { cause: (cause) => escapeHiddenInLines(String(cause)) },
    // The library removes control characters from the message, but not line breaks.
    messageFormat: (log, key) => escapeHidden(String(log[key])),
  })
}
