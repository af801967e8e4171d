import type { TSchema } from "@sinclair/typebox"
import { choicesOf, isPremium } from "../../apis/contract.ts"

/** A field of an answer, for documentation. */
export interface Field {
  /** `a.b` is a field of an object, `a[].b` a field of each object in a list. */
  readonly path: string
  readonly schema: TSchema
  /** Whether the field or one that it is in is premium. */
  readonly premium: boolean
}

/** Every field of a schema, at any depth. */
export function fieldsOf(schema: TSchema, parent = { path: "", premium: false }): readonly Field[] {
  if (schema.type === "array") return fieldsOf(schema.items, { ...parent, path: `${parent.path}[]` })
  const children = Object.entries((schema.properties ?? {}) as Record<string, TSchema>)
  return children.flatMap(([name, child]) => {
    const path = parent.path === "" ? name : `${parent.path}.${name}`
    const field = { path, schema: child, premium: parent.premium || isPremium(child) }
    return [field, ...fieldsOf(child, field)]
  })
}

/** The type of a value in words. Choices stand in backticks. */
export function typeOf(schema: TSchema): string {
  const choices = choicesOf(schema)
  if (choices) return choices.map((choice) => `\`${choice}\``).join(", ")
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map(typeOf).join(" or ")
  if (schema.type === "array") return `list of ${typeOf(schema.items)}s`
  if (schema.type === "boolean") return "true or false"
  return schema.type === "integer" ? "whole number" : String(schema.type)
}
