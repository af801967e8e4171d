import type { TObject, TSchema } from "@sinclair/typebox"
import { GraphQLList, GraphQLNonNull, GraphQLObjectType, type GraphQLOutputType } from "graphql"
import { isPremium } from "../../apis/contract.ts"
import { toFields, toTypeName } from "./names.ts"
import { toScalarType } from "./scalar-type.ts"

/** The object type of an output schema. The types of inner objects are named by their path. */
export function toOutputType(schema: TObject, path: readonly string[]): GraphQLObjectType {
  const fields = [...toFields(schema.properties)].map(([name, [original, member]]) => {
    const type = typeOf(member, [...path, original])
    const field = {
      type,
      description: describe(member),
      ...(name !== original && { resolve: (source: Record<string, unknown>) => source[original] }),
    }
    return [name, field] as const
  })
  return new GraphQLObjectType({
    name: toTypeName(...path),
    description: schema.description ?? null,
    fields: Object.fromEntries(fields),
  })
}

/** Every field may be null: absent, premium on a plan without it, or failed. */
function typeOf(schema: TSchema, path: readonly string[]): GraphQLOutputType {
  const inner = withoutNull(schema)
  switch (inner.type) {
    case "object":
      return toOutputType({ ...inner, description: schema.description } as TObject, path)
    case "array": {
      const items = inner.items as TSchema
      const type = typeOf(items, path)
      return new GraphQLList(withoutNull(items) === items ? new GraphQLNonNull(type) : type)
    }
    default:
      return toScalarType(inner, path)
  }
}

/** The schema inside a `nullable`; other schemas unchanged. */
function withoutNull(schema: TSchema): TSchema {
  const members: unknown = schema.anyOf
  if (!Array.isArray(members)) return schema
  const others = members.filter((member: TSchema) => member.type !== "null") as TSchema[]
  const [only] = others
  return others.length === 1 && only && members.length > 1 ? only : schema
}

function describe(schema: TSchema): string {
  return `${schema.description ?? ""}${isPremium(schema) ? " (Premium: null on plans without it.)" : ""}`.trim()
}
