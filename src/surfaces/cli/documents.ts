import type { Command } from "commander"
import { logoPath, readBrand } from "../../config/brand.ts"
import { toDocInput } from "../openapi/json-object.ts"
import { example } from "./output.ts"
import type { CliParts } from "./parts.ts"
import { choiceOfApis, loadUsable, onConfig } from "./settings.ts"

/** `openapi`: the document that `GET /openapi.json` returns for the same settings. */
export function addOpenApi(program: Command, parts: CliParts): void {
  const { terminal, version } = parts
  const command = program
    .command("openapi")
    .description("Print the OpenAPI document of the service.")
    .option("--json", "changes nothing: the document is always JSON")
    .addHelpText("after", example("penknife openapi > openapi.json"))
  const keys = [
    "apis",
    ...choiceOfApis,
    "maxBodyBytes",
    "data",
    "noGraphql",
    "noMcp",
    "publicUrl",
    "exampleDomain",
    "noMetrics",
    "metricsToken",
    "title",
    "brandColor",
    "logo",
    "favicon",
  ] as const
  onConfig(command, keys, parts, async (config) => {
    // Loaded only here, since it slows the start of every other command.
    const { printOpenApi } = await import("../openapi/document.ts")
    const logo = logoPath(readBrand(config))
    const input = toDocInput(config, { apis: await loadUsable(config, parts), version, logo })
    terminal.out(await printOpenApi(input))
  })
}

/** `schema`: the GraphQL schema of the catalog. */
export function addSchema(program: Command, parts: CliParts): void {
  const command = program
    .command("schema")
    .description("Print the GraphQL schema in the schema definition language (SDL).")
    .option("--json", "print it as the answer to an introspection query")
    .addHelpText("after", example("penknife schema > schema.graphql"))
  onConfig(command, ["apis", ...choiceOfApis], parts, async (config, { json }: { json?: boolean }) => {
    // Loaded only here, since GraphQL slows the start of every other command.
    const { introspectCatalogSchema, printCatalogSchema } = await import("../graphql/schema.ts")
    const catalog = (await loadUsable(config, parts)).map(({ definition }) => definition)
    parts.terminal.out(
      json ? `${JSON.stringify(introspectCatalogSchema(catalog))}\n` : printCatalogSchema(catalog),
    )
  })
}
