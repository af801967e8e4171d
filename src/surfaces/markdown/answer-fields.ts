import type { TSchema } from "@sinclair/typebox"
import { choicesOf, isPremium } from "../../apis/contract.ts"
import { isJsonValue } from "../../values/json-value.ts"

/** A field of an answer, for documentation. */
export interface Field {
  /** `a.b` is a field of an object, `a[].b` a field of each object in a list. */
  readonly path: string
  readonly schema: TSchema
  /** Whether the field or one that it is in is premium. */
  readonly premium: boolean
}

/** Every field of a schema, at any depth. */
export function fieldsOf(schema: TSchema): readonly Field[] {
  const withAllBelow = (field: Field): readonly Field[] => [field, ...fieldsIn(field).flatMap(withAllBelow)]
  return fieldsIn({ path: "", schema, premium: false }).flatMap(withAllBelow)
}

/** The fields directly in a field: those of its object, or of each object in its list, also where it may be null. */
export function fieldsIn({ path, schema, premium }: Field): readonly Field[] {
  if (Array.isArray(schema.anyOf)) {
    const all = schema.anyOf.flatMap((member: TSchema) => fieldsIn({ path, schema: member, premium }))
    return [...new Map(all.map((field) => [field.path, field])).values()]
  }
  if (schema.type === "array") return fieldsIn({ path: `${path}[]`, schema: schema.items, premium })
  const children = Object.entries((schema.properties ?? {}) as Record<string, TSchema>)
  return children.map(([name, child]) => ({
    path: path === "" ? name : `${path}.${name}`,
    schema: child,
    premium: premium || isPremium(child),
  }))
}

/** The type of a value in words. Choices stand in backticks. */
export function typeOf(schema: TSchema): string {
  const choices = choicesOf(schema)
  if (choices) return choices.map((choice) => `\`${choice}\``).join(", ")
  if (isJsonValue(schema)) return "any JSON value"
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map(typeOf).join(" or ")
  if (schema.type === "array") return `list of ${typeOf(schema.items)}s`
  if (schema.type === "boolean") return "true or false"
  return schema.type === "integer" ? "whole number" : String(schema.type)
}
