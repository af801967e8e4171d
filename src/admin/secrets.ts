import { KindGuard, type TSchema } from "@sinclair/typebox"
import { isOperatorOnly, isSecret, textForCustomers } from "./operation.ts"

/** A value of a schema, in which fields that are shown only once are null. */
export function withoutSecrets(schema: TSchema, value: unknown): unknown {
  return isSecret(schema) ? null : inside(schema, value, withoutSecrets)
}

/** An answer of an operation without the fields and texts that are for operators alone. */
export function forCustomers(schema: TSchema, value: unknown): unknown {
  const text = textForCustomers(schema)
  if (text !== undefined) return value === null ? null : text
  const hidden = new Set(
    KindGuard.IsObject(schema)
      ? Object.entries(schema.properties).flatMap(([name, field]) => (isOperatorOnly(field) ? [name] : []))
      : [],
  )
  const seen = inside(schema, value, forCustomers)
  if (hidden.size === 0 || typeof seen !== "object" || seen === null) return seen
  return Object.fromEntries(Object.entries(seen).filter(([name]) => !hidden.has(name)))
}

/** Changes the parts of a value by their schemas. */
function inside(schema: TSchema, value: unknown, change: (schema: TSchema, part: unknown) => unknown) {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) {
    return KindGuard.IsArray(schema) ? value.map((item) => change(schema.items, item)) : value
  }
  if (!KindGuard.IsObject(schema)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => {
      const property = schema.properties[name]
      return [name, property ? change(property, part) : part]
    }),
  )
}
