import type { TSchema } from "@sinclair/typebox"
import { choicesOf, isPremium } from "../../apis/contract.ts"
import type { JsonObject } from "./json-object.ts"

/**
 * A definition's schema as JSON Schema 2020-12, which OpenAPI 3.1 speaks: a copy without the words that only the input
 * check uses. Premium fields keep their mark and are never required, since plans without them do not see them.
 */
export function toJsonSchema(schema: TSchema): JsonObject {
  const choices = choicesOf(schema)
  const own = choices ? { type: "string", enum: choices, ...withoutUnion(schema) } : mergeNull(schema)
  const entries = Object.entries(own).flatMap(([keyword, value]): [string, unknown][] => {
    if (keyword === "x-requirement") return []
    if (keyword === "properties") return [[keyword, mapValues(value as Schemas, toJsonSchema)]]
    if (keyword === "items") return [[keyword, toJsonSchema(value as TSchema)]]
    if (keyword === "anyOf") return [[keyword, (value as TSchema[]).map(toJsonSchema)]]
    if (keyword === "required") return listed(keyword, withoutPremium(value as string[], schema))
    if (keyword === "description" && isPremium(schema)) return [[keyword, `Premium. ${value}`]]
    return [[keyword, value]]
  })
  return Object.fromEntries(entries)
}

type Schemas = Readonly<Record<string, TSchema>>

function withoutPremium(required: readonly string[], { properties }: TSchema): string[] {
  return required.filter((name) => !isPremium((properties as Schemas)[name] ?? ({} as TSchema)))
}

function listed(keyword: string, names: readonly string[]): [string, unknown][] {
  return names.length === 0 ? [] : [[keyword, names]]
}

/** A union of null and one thing that has no more than a type reads better as a type of two. */
function mergeNull(schema: TSchema): JsonObject {
  const members = Array.isArray(schema.anyOf) ? (schema.anyOf as TSchema[]) : []
  const other = members.find(({ type }) => type !== "null")
  const isSimple = members.length === 2 && members.some(({ type }) => type === "null")
  if (!isSimple || !other || typeof other.type !== "string" || "properties" in other || "items" in other) {
    return schema
  }
  return { ...other, type: [other.type, "null"], ...withoutUnion(schema) }
}

function withoutUnion(schema: TSchema): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => keyword !== "anyOf"))
}

function mapValues(values: Schemas, map: (value: TSchema) => JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]))
}
