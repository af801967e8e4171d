import { escapeHiddenInLines } from "../../values/hidden-characters.ts"

/** Where commands print: standard output and standard error. */
export interface Terminal {
  out(text: string): void
  err(text: string): void
  /** Prints a text with colours to standard output. Text from outside must be escaped already. */
  styled(text: string): void
  /** The width of the terminal in columns; null when standard output goes to a file or a program. */
  readonly columns: number | null
  readonly colours: boolean
  /** Whether standard error is a terminal, and not read by a program as a log. */
  readonly errIsTerminal: boolean
}

/** A terminal that escapes hidden characters, except line breaks and tabs: some come from a data file or a caller. */
export function withoutHidden(terminal: Terminal): Terminal {
  const { out, err } = terminal
  return {
    ...terminal,
    out: (text) => out(escapeHiddenInLines(text)),
    err: (text) => err(escapeHiddenInLines(text)),
  }
}

/** The example at the end of a command's help. */
export function example(line: string): string {
  return `\nExample:\n  ${line}`
}
