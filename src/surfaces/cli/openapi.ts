import type { Command } from "commander"
import { toDocInput } from "../openapi/doc-input.ts"
import { example } from "./output.ts"
import { loadUsable } from "./own-apis.ts"
import type { CliParts } from "./parts.ts"
import { onConfig } from "./settings.ts"

/** `openapi`: the document that `GET /openapi.json` gives for the same settings. */
export function addOpenApi(program: Command, parts: CliParts): void {
  const { terminal, version } = parts
  const command = program
    .command("openapi")
    .description("Print the OpenAPI document of the service.")
    .option("--json", "changes nothing: the document is always JSON")
    .addHelpText("after", example("penknife openapi > openapi.json"))
  const keys = [
    "apis",
    "maxBodyBytes",
    "bluetoothCompanies",
    "noGraphql",
    "noMcp",
    "publicUrl",
    "noMetrics",
    "metricsToken",
  ] as const
  onConfig(command, keys, parts, async (config) => {
    // Loaded only here, since it slows the start of every other command.
    const { printOpenApi } = await import("../openapi/document.ts")
    terminal.out(printOpenApi(toDocInput(config, { apis: await loadUsable(config, parts), version })))
  })
}
