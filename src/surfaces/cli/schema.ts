import { Command } from "commander"
import type { CliParts } from "./parts.ts"

/** `schema`: the GraphQL schema of the catalog. */
export function schemaCommand({ terminal, catalog }: Pick<CliParts, "terminal" | "catalog">): Command {
  const command = new Command("schema")
    .description("Print the GraphQL schema, in the schema definition language.")
    .option("--json", "print it as the answer to an introspection query")
  return command.action(async () => {
    // Only this command needs GraphQL, which takes a while to load.
    const { introspectCatalogSchema, printCatalogSchema } = await import("../graphql/schema.ts")
    const { json } = command.opts<{ json?: boolean }>()
    terminal.out(json ? `${JSON.stringify(introspectCatalogSchema(catalog))}\n` : printCatalogSchema(catalog))
  })
}
