import type { Command } from "commander"
import { findOrAdd } from "./admin/groups.ts"
import { printThing } from "./admin/present.ts"
import { example, type Terminal } from "./output.ts"
import type { CliParts, Copied, Moved, OnStep } from "./parts.ts"
import { onConfig } from "./settings.ts"

/** `backup`: a consistent copy of the data file. */
export function addBackup(program: Command, parts: CliParts): void {
  const command = program
    .command("backup")
    .description("Make a consistent copy of the data file. A server may be using it.")
    .argument("<FILE>", "the copy; it must not exist yet")
    .option("--json", "print JSON")
    .addHelpText("after", example("penknife backup penknife-backup.db"))
  onConfig(command, ["db"], parts, (config, { json }: { json?: boolean }, file = "") => {
    const copied = parts.safekeeping.backUp(config, file, showSteps(parts.terminal))
    printThing(parts.terminal, toRecord(copied), json)
  })
}

/** `check-backup`, hidden: `backups verify` runs it in a separate process. */
export function addCheckBackup(program: Command, { terminal, safekeeping }: CliParts): void {
  program
    .command("check-backup", { hidden: true })
    .description("Check a backup without changing it; 'backups verify' runs this.")
    .argument("<FILE>", "the backup")
    .option("--json", "print JSON")
    .action((file: string, { json }: { json?: boolean }) => {
      const copied = safekeeping.checkBackup(file)
      printThing(terminal, { ...toRecord(copied), keys: copied.keys }, json)
    })
}

/** `restore`: puts a backup back. */
export function addRestore(program: Command, parts: CliParts): void {
  const command = program
    .command("restore")
    .description(
      "Check a backup and replace the data file with it. The old data file is kept under another name.",
    )
    .argument("<FILE>", "a file that 'backup' made; it is not changed")
    .option("--json", "print JSON")
    .addHelpText("after", example("penknife restore penknife-backup.db"))
  onConfig(command, ["db"], parts, (config, { json }: { json?: boolean }, file = "") => {
    const { replaced, ...copied } = parts.safekeeping.restore(config, file, showSteps(parts.terminal))
    printThing(parts.terminal, { ...toRecord(copied), replaced }, json)
  })
}

/** `compact`: gives the space of deleted rows back to the disk. */
export function addCompact(program: Command, parts: CliParts): void {
  const command = program
    .command("compact")
    .description(
      "Give the space of deleted records back to the disk. Stop the server first; the file is copied once, so as much free space is " +
        "needed. PostgreSQL does this by itself.",
    )
    .summary("Make the data file as small as its records need.")
    .option("--json", "print JSON")
    .addHelpText("after", example("penknife compact"))
  onConfig(command, ["db"], parts, (config, { json }: { json?: boolean }) => {
    const { file, bytesBefore, bytes } = parts.safekeeping.compact(config)
    printThing(parts.terminal, { file, bytes_before: bytesBefore, bytes }, json)
  })
}

/** `audit prune`: deletes old audit records. Over HTTP nobody can. */
export function addAuditPrune(program: Command, parts: CliParts): void {
  const command = findOrAdd(program, ["audit", "prune"])
    .description(
      "Delete audit records that are older than --keep-audit, and record that. It works on the store alone: in PostgreSQL as the owner " +
        "of the tables, which services are not.",
    )
    .summary("Delete audit records older than --keep-audit.")
    .option("--json", "print JSON")
    .addHelpText("after", example("penknife audit prune --keep-audit 730"))
  onConfig(command, ["db", "keepAudit"], parts, async (config, { json }: { json?: boolean }) => {
    printThing(parts.terminal, { ...(await parts.safekeeping.pruneAudit(config)) }, json)
  })
}

/** A smaller file is copied so fast that no progress is shown. */
const largeBytes = 100_000_000
const steps = { copy: "Copying", check: "Checking" } as const

/** Shows the present step with a large file on a terminal. SQLite copies and checks in one step, so there is no percentage. */
export function showSteps({ errIsTerminal, err }: Terminal): OnStep {
  return (step, file, bytes) => {
    if (!errIsTerminal || bytes < largeBytes) return
    err(`${steps[step]} ${file} (${Math.round(bytes / 1_000_000).toLocaleString("en")} MB) ...\n`)
  }
}

function toRecord({ file, bytes, storeVersion, accounts }: Copied) {
  return { file, bytes, store_version: storeVersion, accounts }
}

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
    printThing(parts.terminal, sumsOf(await parts.safekeeping.move(config, from, to)), json)
  })
}

type MoveFlags = { readonly from: string; readonly to: string; readonly json?: boolean }

function sumsOf({ from, to, ...sums }: Moved) {
  const numbers = Object.entries(sums).map(([name, text]) => [name, Number(text)])
  return { from, to, ...Object.fromEntries(numbers) }
}
