import type { Command } from "commander"
import { example } from "./output.ts"
import type { CliParts } from "./parts.ts"

/** `schema`: the GraphQL schema of the catalog. */
export function addSchema(program: Command, { terminal, catalog }: CliParts): void {
  const command = program
    .command("schema")
    .description("Print the GraphQL schema in the schema definition language (SDL).")
    .option("--json", "print it as the answer to an introspection query")
    .addHelpText("after", example("penknife schema > schema.graphql"))
  command.action(async () => {
    // Loaded only here, since GraphQL slows the start of every other command.
    const { introspectCatalogSchema, printCatalogSchema } = await import("../graphql/schema.ts")
    const { json } = command.opts<{ json?: boolean }>()
    terminal.out(json ? `${JSON.stringify(introspectCatalogSchema(catalog))}\n` : printCatalogSchema(catalog))
  })
}
