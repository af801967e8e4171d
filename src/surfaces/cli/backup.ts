import { Command } from "commander"
import type { Config } from "../../config/options.ts"
import { printRecord, type Terminal } from "./output.ts"
import { addSettings, readSettings } from "./settings.ts"

/** A copy that was made of a store. */
export interface Copied {
  readonly file: string
  readonly bytes: number
  readonly storeVersion: number
  readonly accounts: number
}

export interface Safekeeping {
  /** Copies the data file into a new file. */
  backUp(config: Config, file: string): Copied
  /** Puts a backup in the place of the data file. */
  restore(config: Config, file: string): Copied & { readonly replaced: string | null }
}

interface BackupParts {
  readonly terminal: Terminal
  readonly env: Readonly<Record<string, string | undefined>>
  readonly safekeeping: Safekeeping
}

/** `backup`: a consistent copy of the data file, also while a server runs on it. */
export function backupCommand({ terminal, env, safekeeping }: BackupParts): Command {
  const command = new Command("backup")
    .description("Copy the data file as it is at one instant, also while a server runs on it.")
    .argument("<FILE>", "the copy; it must not exist yet")
  addSettings(command.option("--json", "print JSON"), ["db"])
  return command.action((file: string, { json }: { json?: boolean }) => {
    const copied = safekeeping.backUp(readSettings(command, env), file)
    printRecord(terminal, toRecord(copied), json === true)
  })
}

/** `restore`: the way back. */
export function restoreCommand({ terminal, env, safekeeping }: BackupParts): Command {
  const command = new Command("restore")
    .description("Check a backup and put it in the place of the data file, which is kept under another name.")
    .argument("<FILE>", "a file that 'backup' made; it stays as it is")
  addSettings(command.option("--json", "print JSON"), ["db"])
  return command.action((file: string, { json }: { json?: boolean }) => {
    const { replaced, ...copied } = safekeeping.restore(readSettings(command, env), file)
    printRecord(terminal, { ...toRecord(copied), replaced }, json === true)
  })
}

function toRecord({ file, bytes, storeVersion, accounts }: Copied) {
  return { file, bytes, store_version: storeVersion, accounts }
}
