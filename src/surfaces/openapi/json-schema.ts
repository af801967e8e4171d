import type { TSchema } from "@sinclair/typebox"
import { choicesOf, deprecationOf, deprecationText, isPremium } from "../../apis/contract.ts"
import type { JsonObject } from "./json-object.ts"

/** Converts a definition's schema to JSON Schema 2020-12. Premium fields are not required: not every plan gets them. */
export function toJsonSchema(schema: TSchema): JsonObject {
  const {
    "x-requirement": _,
    "x-deprecation": __,
    anyOf,
    properties = {},
    required = [],
    items,
    ...plain
  } = schema
  const choices = choicesOf(schema)
  const mark = deprecationOf(schema)
  const members = Object.entries(properties as Readonly<Record<string, TSchema>>)
  const needed = members.filter(([name, member]) => required.includes(name) && !isPremium(member))
  return {
    ...(choices ? { type: "string", enum: choices } : unionOf(anyOf)),
    ...plain,
    ...((isPremium(schema) || mark) && {
      description: [isPremium(schema) && "Premium.", schema.description, mark && deprecationText(mark)]
        .filter(Boolean)
        .join(" "),
    }),
    ...(members.length > 0 && {
      properties: Object.fromEntries(members.map(([name, member]) => [name, toJsonSchema(member)])),
    }),
    ...(needed.length > 0 && { required: needed.map(([name]) => name) }),
    ...(items && { items: toJsonSchema(items) }),
  }
}

/** A union of null and a simple type becomes a list of two types, which is easier to read. */
function unionOf(members: readonly TSchema[] = []): JsonObject {
  const [other, ...more] = members.filter(({ type }) => type !== "null")
  const isSimple = typeof other?.type === "string" && !("properties" in other) && !("items" in other)
  if (isSimple && more.length === 0) return { ...toJsonSchema(other), type: [other.type, "null"] }
  return members.length > 0 ? { anyOf: members.map(toJsonSchema) } : {}
}
