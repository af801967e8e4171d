import { type Command, Option as Flag } from "commander"
import type { PreparedApi } from "../../call/prepared-api.ts"
import type { Option } from "../../config/define-option.ts"
import { type ConfigSource, createConfigSource } from "../../config/file.ts"
import { type Config, loadConfig } from "../../config/load.ts"
import { allOptions, type OptionKey, type OwnOptions } from "../../config/options.ts"
import type { CliParts } from "./parts.ts"
import { collect } from "./values.ts"

/**
 * Adds the flags of some settings and `--config` to a command, and runs it with the configuration.
 * @param own options of this command that differ from those of the table
 */
export function onConfig<Options extends object>(
  command: Command,
  keys: readonly OptionKey[],
  parts: CliParts,
  run: (config: Config, options: Options, ...args: string[]) => Promise<void> | void,
  own: OwnOptions = {},
): Command {
  return onConfigSource(
    command,
    keys,
    parts,
    (source, options: Options, ...args) => run(source.read(source.readText()), options, ...args),
    own,
  )
}

/** Like {@link onConfig}, for a command that reads its configuration itself, and may read it again. */
export function onConfigSource<Options extends object>(
  command: Command,
  keys: readonly OptionKey[],
  { env }: CliParts,
  run: (source: ConfigSource, options: Options, ...args: string[]) => Promise<void> | void,
  own: OwnOptions = {},
): Command {
  for (const key of keys) command.addOption(toFlag(key, own[key] ?? allOptions[key]))
  command.option("--config <FILE>", "TOML file with settings (env: PENKNIFE_CONFIG)")
  return command.action(async () => {
    const flags = command.opts()
    const file = flags.config ?? env.PENKNIFE_CONFIG
    // Other flags may have the name of a setting: `--plan` of an account.
    const settings = Object.fromEntries(keys.map((key) => [key, flags[key]]))
    const source = createConfigSource(file || null, (read) =>
      loadConfig({ flags: settings, env, file: read }, own),
    )
    await run(source, flags as Options, ...command.processedArgs)
  })
}

/** Without commander's `env()`: it would turn GraphQL off for `PENKNIFE_NO_GRAPHQL=false` and accept an empty variable. */
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

/** The settings that say which APIs are served. */
export const choiceOfApis = ["catalogInclude", "catalogExclude"] as const

/** Whether some APIs may be off. */
export function isChosen({ catalogInclude, catalogExclude }: Config): boolean {
  return catalogInclude.length + catalogExclude.length > 0
}

/** The APIs that a command can use. APIs of `--apis` that cannot be used are named on standard error. */
export async function loadUsable(
  config: Config,
  { loadApis, terminal }: Pick<CliParts, "loadApis" | "terminal">,
): Promise<readonly PreparedApi[]> {
  const { apis, problems } = await loadApis(config)
  for (const { problem } of problems) terminal.err(`penknife: This API is left out: ${problem}\n`)
  return apis
}
