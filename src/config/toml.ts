import { parse, TomlError } from "smol-toml"
import { ConfigError } from "./config-error.ts"

/**
 * Reads the text of a configuration file. The message about a mistake names its position and does not quote the text, which may
 * hold a secret.
 * @throws ConfigError
 */
export function readToml(name: string, text: string): Record<string, unknown> {
  try {
    return parse(text)
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause
    const [problem = ""] = cause.message.replace(/^Invalid TOML document: /, "").split("\n")
    throw new ConfigError(
      `The configuration file ${name} is not valid TOML at line ${cause.line}, column ${cause.column}: ${problem}.`,
    )
  }
}
