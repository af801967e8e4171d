import type { Command } from "commander"
import { example } from "./output.ts"
import type { CliParts } from "./parts.ts"
import { choiceOfApis, loadUsable, onConfig } from "./settings.ts"

/** `mcp`: the catalog as MCP tools for the program that starts this command. */
export function addMcp(program: Command, parts: CliParts): void {
  const { terminal, version, stopRequested, createLocalCalls } = parts
  const command = program
    .command("mcp")
    .summary("Offer the APIs to an agent over standard input and output.")
    .description(
      "Offer the APIs as tools of the Model Context Protocol over standard input and output. It needs no server and no key, and charges nothing.",
    )
    .option("--search", "offer three tools that find, describe and call any API")
    .addHelpText("after", example("penknife mcp --search"))
  const keys = ["apis", ...choiceOfApis, "dnsServers", "noOutbound", "data", "dnssecAnchor", "title"] as const
  onConfig(command, keys, parts, async (config, { search = false }: { search?: boolean }) => {
    // Loaded only here, since it slows the start of every other command.
    const { serveOverStdio } = await import("../mcp/stdio.ts")
    const stopped = stopRequested({ stdin: true })
    const broken = serveOverStdio({
      apis: await loadUsable(config, parts),
      name: { title: config.title, version },
      search,
      call: createLocalCalls(config),
      input: process.stdin,
      report: terminal.err,
    })
    await Promise.race([stopped, broken])
  })
}
