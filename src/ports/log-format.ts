/** Turns a JSON log line into the line that is written. */
export type LogFormat = (line: string) => string

/**
 * Escapes the characters that JSON leaves alone, but that move a terminal's cursor or break a line in a viewer: DEL, C1
 * (which contains a one-character CSI), U+2028 and U+2029.
 */
export function escapeControls(text: string): string {
  if (!/[\u007f-\u009f\u2028\u2029]/.test(text)) return text
  return text.replace(/[\u007f-\u009f\u2028\u2029]/g, toEscape)
}

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
    customPrettifiers: { cause: (cause) => String(cause).replace(/[^\P{Cc}\n]/gu, toEscape) },
    // The library removes control characters from the message, but not line breaks.
    messageFormat: (log, key) => String(log[key]).replace(/\p{Cc}/gu, toEscape),
  })
}

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
}
