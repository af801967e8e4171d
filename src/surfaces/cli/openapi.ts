import { Command } from "commander"
import { toDocInput } from "../openapi/doc-input.ts"
import type { CliParts } from "./parts.ts"
import { addSettings, readSettings } from "./settings.ts"

/** `openapi`: the document that `GET /openapi.json` answers with, for the same settings. */
export function openApiCommand({ terminal, env, version, prepareApis }: CliParts): Command {
  const command = new Command("openapi").description("Print the OpenAPI document of the service.")
  addSettings(command, ["maxBodyBytes", "bluetoothCompanies", "noGraphql", "noMetrics", "metricsToken"])
  command.option("--json", "it is JSON in any case")

  return command.action(async () => {
    const config = readSettings(command, env)
    const { printOpenApi } = await import("../openapi/document.ts")
    terminal.out(printOpenApi(toDocInput(config, { apis: prepareApis(config), version })))
  })
}
