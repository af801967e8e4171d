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
}
