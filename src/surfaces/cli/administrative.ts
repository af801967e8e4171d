import type { Command } from "commander"
import type { Accounts } from "../../accounts/accounts.ts"
import type { Config } from "../../config/load.ts"
import type { CliParts } from "./parts.ts"
import { addSettings, readSettings } from "./settings.ts"

export type AdminOptions = Readonly<Record<string, unknown>> & { readonly json: boolean }

interface AdminNeeds {
  /** Makes the data file where there is none. */
  readonly create?: boolean
  /** Throws what can be known to be wrong before the data file is touched. */
  readonly check?: (config: Config, options: Readonly<Record<string, unknown>>) => void
}

/** Gives a command `--db`, `--config` and `--json`, opens the accounts for its action and closes them after. */
export function administrative(
  { env, openAccounts }: CliParts,
  command: Command,
  action: (accounts: Accounts, options: AdminOptions, ...args: string[]) => Promise<void>,
  { create = false, check = () => {} }: AdminNeeds = {},
): Command {
  addSettings(command.option("--json", "print JSON"), ["db"])
  return command.action(async () => {
    const config = readSettings(command, env)
    const options = command.opts()
    check(config, options)
    const opened = openAccounts(config, { create })
    try {
      await action(opened.accounts, { ...options, json: options.json === true }, ...command.processedArgs)
    } finally {
      await opened.close()
    }
  })
}
