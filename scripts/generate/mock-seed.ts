import type { TSchema } from "@sinclair/typebox"
import { entrySchemas, seedSchema } from "../../src/app/mock-seed.ts"
import { toTable } from "./table.ts"

/** The fields of a seed file, of its accounts and of their keys. */
export function seedTables(): string {
  const tables = { "a seed": seedSchema, "an account": entrySchemas.account, "a key": entrySchemas.key }
  return Object.entries(tables)
    .map(([name, { properties, required = [] }]) => {
      const rows = Object.entries<TSchema>(properties).map(([field, { description = "" }]) => [
        `\`${field}\``,
        required.includes(field) ? `${description} Required.` : description,
      ])
      return toTable([`field of ${name}`, "meaning"], rows)
    })
    .join("\n")
}
