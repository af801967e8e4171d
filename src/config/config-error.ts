/** A setting that cannot be used; the message names it and says what to change. */
export class ConfigError extends Error {
  override readonly name = "ConfigError"
}
