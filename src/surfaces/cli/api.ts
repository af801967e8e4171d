import type { Command } from "commander"
import { PluginRefused } from "../../plugins/plugin-refused.ts"
import { printRows } from "./admin/present.ts"
import { example } from "./output.ts"
import type { CliParts } from "./parts.ts"
import { choiceOfApis, onConfig } from "./settings.ts"

/** `api new | check | list`: own APIs of the operator. */
export function addApiCommands(program: Command, parts: CliParts): void {
  const group = program
    .command("api")
    .description("Create and check your own APIs, which 'serve --apis DIR' serves with the built-in ones.")
    .addHelpText("after", example("penknife api list"))
  addNew(group, parts)
  addCheck(group, parts)
  addList(group, parts)
}

function addNew(group: Command, { terminal, ownApis }: CliParts): void {
  group
    .command("new <name>")
    .summary("Write a first API to change.")
    .description("Writes a folder with a working API, and the types for your editor.")
    .option("--apis <DIR>", "the folder of your APIs", "apis")
    .option("--json", "print JSON")
    .addHelpText("after", example("penknife api new wordcount --apis apis"))
    .action(async (name: string, { apis, json }: { readonly apis: string; readonly json?: boolean }) => {
      const files = await ownApis.writeNew(apis, name)
      if (json) terminal.out(`${JSON.stringify({ files })}\n`)
      else {
        terminal.out(
          `${files.map((file) => `Wrote ${file}\n`).join("")}\nTry it:\n\n  penknife api check ${apis}\n  penknife call ${name} --apis ${apis} --text 'one two three'\n`,
        )
      }
    })
}

function addCheck(group: Command, { terminal, ownApis }: CliParts): void {
  group
    .command("check <dir>")
    .summary("Try your APIs.")
    .description(
      "Loads every API of a folder and tries its examples, like a service. The exit code is 1 if one cannot be used.",
    )
    .option("--json", "print JSON")
    .addHelpText("after", example("penknife api check apis"))
    .action(async (dir: string, { json }: { readonly json?: boolean }) => {
      const { usable, problems } = await ownApis.check(dir)
      if (json) terminal.out(`${JSON.stringify({ usable, problems })}\n`)
      else {
        for (const { id, examples } of usable)
          terminal.out(`${id}: ${examples === 1 ? "1 example is" : `${examples} examples are`} right.\n`)
        for (const { problem } of problems) terminal.err(`penknife: ${problem}\n`)
      }
      if (usable.length + problems.length === 0)
        throw new PluginRefused(
          `${dir} has no folder with an index.ts. Make one with 'penknife api new NAME'.`,
        )
      if (problems.length > 0)
        throw new PluginRefused(
          `${problems.length} of ${usable.length + problems.length} APIs cannot be used.`,
        )
    })
}

function addList(group: Command, parts: CliParts): void {
  const command = group
    .command("list")
    .summary("List all APIs with their prices.")
    .description("Lists the built-in APIs and those of --apis, with the credits of a call.")
    .option("--json", "print JSON")
    .addHelpText("after", example("penknife api list --apis apis"))
  onConfig(
    command,
    ["apis", ...choiceOfApis],
    parts,
    async (config, { json }: { readonly json?: boolean }) => {
      const { apis, problems } = await parts.loadApis(config)
      const builtIn = parts.catalog.map(({ id }) => id)
      const rows = apis.map(({ definition: { id, title, method }, credits }) => ({
        id,
        title,
        method,
        credits,
        origin: builtIn.includes(id) ? "built in" : "own",
      }))
      const refused = problems.map(({ name }) => ({ id: name, origin: "refused" }))
      printRows(parts.terminal, json ? [...rows, ...refused] : rows, json, "No APIs.")
      if (!json) for (const { problem } of problems) parts.terminal.err(`penknife: not served: ${problem}\n`)
    },
  )
}
