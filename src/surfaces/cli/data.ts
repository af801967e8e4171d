import type { Command } from "commander"
import { example, printRows } from "./output.ts"
import type { CliParts } from "./parts.ts"

/** `data check`: lists that the operator renews without a new version of the program. */
export function addDataCommands(program: Command, { terminal, checkData }: CliParts): void {
  program
    .command("data")
    .description("Check newer lists, which 'serve --data DIR' uses instead of those inside.")
    .addHelpText("after", example("penknife data check lists"))
    .command("check <dir>")
    .summary("Check newer lists.")
    .description(
      "Reads the lists of a folder as a service does, and prints all lists that the APIs would use, with their dates. Those without a file are built in. If a file cannot be used, the exit code is 2 and the message says why.",
    )
    .option("--json", "print JSON")
    .addHelpText("after", example("penknife data check lists"))
    .action(async (directory: string, { json }: { readonly json?: boolean }) => {
      printRows(terminal, await checkData(directory), json, "The folder has no list.")
    })
}
