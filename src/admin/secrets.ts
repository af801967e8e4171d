import { KindGuard, type TSchema } from "@sinclair/typebox"
import { isSecret } from "./operation.ts"

/** A value of a schema with null in place of what is shown only once. */
export function withoutSecrets(schema: TSchema, value: unknown): unknown {
  if (isSecret(schema)) return null
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) {
    return KindGuard.IsArray(schema) ? value.map((item) => withoutSecrets(schema.items, item)) : value
  }
  if (!KindGuard.IsObject(schema)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      const property = schema.properties[name]
      return [name, property ? withoutSecrets(property, field) : field]
    }),
  )
}
