/** Input that a person types, or another program sends. */
export type StandardInput = typeof standardInput

/** Standard input of this process. Line editing is loaded with the first question, since most processes ask none. */
export const standardInput = {
  /** Whether a person can be asked. */
  get isTerminal(): boolean {
    return process.stdin.isTTY === true && process.stderr.isTTY === true
  },
  /** Everything up to the end. */
  read: () => Bun.stdin.text(),
  /**
   * Shows a question on standard error and returns the line that is typed; null if the input ends instead.
   * @param options.hidden whether the typed text is not shown
   */
  async ask(question: string, { hidden }: { readonly hidden: boolean }) {
    const { createInterface } = await import("node:readline")
    const { Writable } = await import("node:stream")
    const { promise, resolve } = Promise.withResolvers<string | null>()
    // Line editing writes the typed text to its output; an output that keeps nothing hides it.
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
    const output = hidden ? nowhere : process.stderr
    const lines = createInterface({ input: process.stdin, output, terminal: true })
    // Only now: the terminal shows what is typed until line editing begins.
    process.stderr.write(question)
    lines.once("line", (line) => {
      resolve(line)
      lines.close()
    })
    lines.once("close", () => {
      if (hidden) process.stderr.write("\n")
      process.stdin.unref()
      resolve(null)
    })
    return promise
  },
}
