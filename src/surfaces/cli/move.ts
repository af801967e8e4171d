import type { Command } from "commander"
import { example, printRecord } from "./output.ts"
import type { CliParts, Moved } from "./parts.ts"
import { onConfig } from "./settings.ts"

/** `move`: from a data file to a PostgreSQL database, or back. */
export function addMove(program: Command, parts: CliParts): void {
  const command = program
    .command("move")
    .description(
      "Copy all accounts, keys, credits, usage, history, notices, admin keys and audit records to another, empty store, all or nothing. " +
        "Stop the services on both first. The old store is not changed. A password may be in PGPASSWORD, or in the file " +
        "that '?passfile=FILE' in a URL names.",
    )
    .summary("Copy everything from a data file to PostgreSQL, or back.")
    .requiredOption("--from <FILE|URL>", "the data file, or the postgres:// URL, that is read")
    .requiredOption("--to <FILE|URL>", "the empty one that is written; a file is made")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      example("penknife move --from penknife.db --to postgres://penknife@db.example.com/penknife"),
    )
  onConfig(command, [], parts, async (config, { from, to, json }: MoveFlags) => {
    printRecord(parts.terminal, toRecord(await parts.safekeeping.move(config, from, to)), json)
  })
}

function toRecord({ from, to, ...sums }: Moved) {
  const numbers = Object.entries(sums).map(([name, text]) => [name, Number(text)])
  return { from, to, ...Object.fromEntries(numbers) }
}

interface MoveFlags {
  readonly from: string
  readonly to: string
  readonly json?: boolean
}
