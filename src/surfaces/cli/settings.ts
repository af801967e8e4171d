import { readFileSync } from "node:fs"
import { type Command, Option as Flag } from "commander"
import { ConfigError } from "../../config/config-error.ts"
import {
  allOptions,
  type Config,
  defaultTextOf,
  envOf,
  flagOf,
  loadConfig,
  type Option,
  type OptionKey,
} from "../../config/options.ts"
import { collect } from "./values.ts"

/** Gives a command the settings it uses, from the configuration table, and `--config`. */
export function addSettings(command: Command, keys: readonly OptionKey[]): Command {
  for (const key of keys) command.addOption(toFlag(key, allOptions[key]))
  return command.option("--config <FILE>", "TOML file with settings (environment: PENKNIFE_CONFIG)")
}

/** The configuration from a command's flags, the environment and the file that either names. */
export function readSettings(command: Command, env: Readonly<Record<string, string | undefined>>): Config {
  const flags = command.opts()
  const file = flags.config ?? env.PENKNIFE_CONFIG
  return loadConfig({ flags, env, file: file ? readToml(file) : null })
}

function toFlag(key: OptionKey, option: Option<unknown>): Flag {
  const flag = new Flag(
    option.value === null ? flagOf(option) : `${flagOf(option)} <${option.value}>`,
    `${option.help} (default: ${defaultTextOf(option)}; environment: ${envOf(option)})`,
  )
  flag.attributeName = () => key
  // Commander reads `--no-x` as the opposite of an `--x`; here it is a switch like any other.
  flag.negate = false
  if (option.repeatable) flag.argParser(collect)
  return flag
}

function readToml(name: string): { name: string; values: Record<string, unknown> } {
  let text: string
  try {
    text = readFileSync(name, "utf8")
  } catch {
    throw new ConfigError(`The configuration file ${name} cannot be read.`)
  }
  try {
    return { name, values: Bun.TOML.parse(text) as Record<string, unknown> }
  } catch (cause) {
    throw new ConfigError(
      `The configuration file ${name} is not TOML: ${cause instanceof Error ? cause.message : cause}.`,
    )
  }
}
