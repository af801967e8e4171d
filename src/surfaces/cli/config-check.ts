import type { Command } from "commander"
import { type OptionKey, options } from "../../config/options.ts"
import { findOrAdd } from "./admin/groups.ts"
import { example } from "./output.ts"
import type { CliParts } from "./parts.ts"
import { onConfig } from "./settings.ts"

/** `config check`: reads the configuration as `serve` does and says every mistake. It opens nothing. */
export function addConfigCheck(program: Command, parts: CliParts): void {
  const command = findOrAdd(program, ["config", "check"])
    .summary("Check a configuration without starting a service.")
    .description(
      "Reads flags, environment and file like 'serve', and lists every mistake. The exit code is 2 if there is one. It " +
        "opens no store and no port.",
    )
    .option("--json", "print JSON")
    .addHelpText("after", example("penknife config check --max-calls 500"))
  const keys = Object.keys(options) as OptionKey[]
  onConfig(command, keys, parts, async (config, { json }: { json?: boolean }) => {
    await parts.checkSettings(config)
    const { file } = config
    const text = file === null ? "The settings can be used." : `The settings of ${file} can be used.`
    parts.terminal.out(json ? `${JSON.stringify({ ok: true, file })}\n` : `${text}\n`)
  })
}
