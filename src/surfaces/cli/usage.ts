import type { Command } from "commander"
import { maxUsageDays } from "../../admin/program-accounts.ts"
import { onAccounts } from "./data-file-command.ts"
import { example, printRows } from "./output.ts"
import type { CliParts } from "./parts.ts"
import { wholeNumberUpTo } from "./values.ts"

/** `usage ID`: what an account was charged, by day and API. */
export function addUsage(program: Command, parts: CliParts): void {
  const command = program
    .command("usage")
    .description("Show an account's usage by UTC day and API, newest day first.")
    .argument("<ID>", "the account's id")
    .option("--days <NUMBER>", "how many days, today included", wholeNumberUpTo(maxUsageDays), 31)
    .addHelpText("after", example("penknife usage acc_1234567890abcdef --days 7"))
  onAccounts(command, parts, async (accounts, { json, days }: { json?: boolean; days: number }, id = "") => {
    printRows(parts.terminal, await accounts.usage(id, days), json, "No usage in these days.")
  })
}
