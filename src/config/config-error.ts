/** A setting that cannot be used; the message names it and says what to change. */
export class ConfigError extends Error {
  override readonly name = "ConfigError"
}

/**
 * Runs all checks, also after one that fails.
 * @throws ConfigError with the mistakes of all, one a line
 */
export async function requireAll(checks: readonly (() => unknown)[]): Promise<void> {
  const mistakes: string[] = []
  for (const check of checks) {
    try {
      await check()
    } catch (thrown) {
      if (!(thrown instanceof ConfigError)) throw thrown
      mistakes.push(thrown.message)
    }
  }
  if (mistakes.length > 0) throw new ConfigError(mistakes.join("\n"))
}
