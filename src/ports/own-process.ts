/** The result of a command of this program in a separate process. */
interface ProcessResult {
  /** Null when a signal ended it. */
  readonly exitCode: number | null
  readonly output: string
  /** The text that it wrote to standard error. */
  readonly errors: string
}

/** Runs a command of this program in a separate process, so that this process goes on with its work. */
export type RunOwnCommand = (args: readonly string[]) => Promise<ProcessResult>

/**
 * @param program the command that runs this program
 * @param env its environment
 */
export function createRunOwnCommand(
  program: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): RunOwnCommand {
  return async (args) => {
    const child = Bun.spawn([...program, ...args], { stdin: "ignore", stdout: "pipe", stderr: "pipe", env })
    const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { exitCode: child.exitCode, output, errors }
  }
}
