import { Command } from "commander"
import { printRecord } from "./output.ts"
import type { CliParts, Copied } from "./parts.ts"
import { addSettings, readSettings } from "./settings.ts"

/** `backup`: a consistent copy of the data file, also while a server runs on it. */
export function backupCommand({ terminal, env, safekeeping }: CliParts): Command {
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
export function restoreCommand({ terminal, env, safekeeping }: CliParts): Command {
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
