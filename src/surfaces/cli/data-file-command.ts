import type { Command } from "commander"
import type { Accounts } from "../../admin/program-accounts.ts"
import type { Config } from "../../config/load.ts"
import type { CliParts } from "./parts.ts"
import { onConfig } from "./settings.ts"

/** Runs a command on what was opened for it. */
type Action<T, Options> = (
  opened: T,
  options: Options & { readonly json?: boolean },
  ...args: string[]
) => Promise<void>

/** Makes a command work on the accounts of an existing data file, as {@link onDataFile} does. */
export function onAccounts<Options extends object>(
  command: Command,
  parts: CliParts,
  action: Action<Accounts, Options>,
): Command {
  const open = (config: Config) => parts.openAccounts(config, { create: false })
  return onDataFile(command, parts, open, ({ accounts }, options: Options, ...args) =>
    action(accounts, options, ...args),
  )
}

/** Adds `--db`, `--config` and `--json` to a command, and runs its action on what `open` opens; closes that afterwards. */
export function onDataFile<T extends { close(): Promise<void> }, Options extends object>(
  command: Command,
  parts: CliParts,
  open: (config: Config, options: Options) => Promise<T>,
  action: Action<T, Options>,
): Command {
  command.option("--json", "print JSON")
  return onConfig(command, ["db"], parts, async (config, options: Options, ...args) => {
    const opened = await open(config, options)
    try {
      await action(opened, options, ...args)
    } finally {
      await opened.close()
    }
  })
}
