interface RunOptions {
  readonly cwd?: string
  /** The whole environment; that of the tests by default. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** Runs a program to its end. */
export async function runProgram(command: readonly string[], options: RunOptions = {}) {
  const child = Bun.spawn([...command], { ...options, stdio: ["ignore", "pipe", "pipe"] })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, out, err }
}
