import { Command } from "commander"
import { administrative } from "./administrative.ts"
import { printRows } from "./output.ts"
import type { CliParts } from "./parts.ts"
import { toPositiveInteger } from "./values.ts"

/** `usage ID`: what an account was charged for, by day and API. */
export function usageCommand(parts: CliParts): Command {
  return administrative(
    parts,
    new Command("usage")
      .description("Show what an account used, by UTC day and API, newest day first.")
      .argument("<ID>", "the account")
      .option("--days <NUMBER>", "how many days back, today included", toPositiveInteger, 31),
    async (accounts, { json, days }, id) => {
      const rows = await accounts.usage(id, Number(days))
      printRows(
        parts.terminal,
        rows.map((row) => ({ ...row })),
        json,
        "Nothing was used in that time.",
      )
    },
  )
}
