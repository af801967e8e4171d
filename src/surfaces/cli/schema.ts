import type { Command } from "commander"
import { example } from "./output.ts"
import { loadUsable } from "./own-apis.ts"
import type { CliParts } from "./parts.ts"
import { onConfig } from "./settings.ts"

/** `schema`: the GraphQL schema of the catalog. */
export function addSchema(program: Command, parts: CliParts): void {
  const command = program
    .command("schema")
    .description("Print the GraphQL schema in the schema definition language (SDL).")
    .option("--json", "print it as the answer to an introspection query")
    .addHelpText("after", example("penknife schema > schema.graphql"))
  onConfig(command, ["apis"], parts, async (config, { json }: { json?: boolean }) => {
    // Loaded only here, since GraphQL slows the start of every other command.
    const { introspectCatalogSchema, printCatalogSchema } = await import("../graphql/schema.ts")
    const catalog = (await loadUsable(config, parts)).map(({ definition }) => definition)
    parts.terminal.out(
      json ? `${JSON.stringify(introspectCatalogSchema(catalog))}\n` : printCatalogSchema(catalog),
    )
  })
}
