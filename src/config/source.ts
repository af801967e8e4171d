import type { Config } from "./load.ts"

/** Where a running service reads its configuration again: the same flags and environment, and the file as it is now. */
export interface ConfigSource {
  /**
   * The text of the configuration file; null without a file.
   * @throws ConfigError when it cannot be read
   */
  readText(): string | null
  /**
   * The configuration with this text in the place of the file's.
   * @throws ConfigError
   */
  read(text: string | null): Config
  /**
   * Checks whether {@link ConfigSource.replaceText} will likely work.
   * @throws ConfigError
   */
  requireReplaceable(): void
  /**
   * Writes the configuration file anew, if its text is still the expected one.
   * @throws ConfigError; the file is then as it was
   */
  replaceText(expected: string, text: string): void
}
