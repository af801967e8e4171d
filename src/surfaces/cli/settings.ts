import { readFileSync } from "node:fs"
import { type Command, Option as Flag } from "commander"
import { ConfigError } from "../../config/config-error.ts"
import { type Config, loadConfig } from "../../config/load.ts"
import { allOptions, type Option, type OptionKey } from "../../config/options.ts"
import { collect } from "./values.ts"

/** Gives a command the flags of some settings, and `--config`. */
export function addSettings(command: Command, keys: readonly OptionKey[]): Command {
  for (const key of keys) command.addOption(toFlag(key, allOptions[key]))
  return command.option("--config <FILE>", "TOML file with settings (env: PENKNIFE_CONFIG)")
}

/** The configuration from a command's flags, the environment and the TOML file that either of them names. */
export function readSettings(command: Command, env: Readonly<Record<string, string | undefined>>): Config {
  const flags = command.opts()
  const file = flags.config ?? env.PENKNIFE_CONFIG
  return loadConfig({ flags, env, file: file ? readToml(file) : null })
}

/**
 * The environment is read by `loadConfig`. Commander's own `env()` would turn GraphQL off for `PENKNIFE_NO_GRAPHQL=false`,
 * and take an empty variable for a value.
 */
function toFlag(key: OptionKey, option: Option<unknown>): Flag {
  const flag = new Flag(
    option.value === null ? option.flag : `${option.flag} <${option.value}>`,
    `${option.help} (default: ${option.defaultText}, env: ${option.env})`,
  )
  flag.attributeName = () => key
  // Commander would take `--no-graphql` as the opposite of a flag `--graphql`.
  flag.negate = false
  if (option.read.choices) flag.choices(option.read.choices)
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
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ConfigError(`The configuration file ${name} is not valid TOML: ${reason}.`)
  }
}
