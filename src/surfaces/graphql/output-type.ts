import type { TObject, TSchema } from "@sinclair/typebox"
import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLString,
} from "graphql"
import { choicesOf, isPremium } from "../../apis/contract.ts"
import { toFields, toTypeName } from "./names.ts"

/** The object type of an output schema; objects within get types of their own, named by their path. */
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
  if (choicesOf(inner)) return GraphQLString
  switch (inner.type) {
    case "object":
      return toOutputType({ ...inner, description: schema.description } as TObject, path)
    case "array": {
      const items = inner.items as TSchema
      const type = typeOf(items, path)
      return new GraphQLList(withoutNull(items) === items ? new GraphQLNonNull(type) : type)
    }
    case "string":
      return GraphQLString
    case "boolean":
      return GraphQLBoolean
    case "integer":
      return fitsInt(inner) ? GraphQLInt : GraphQLFloat
    case "number":
      return GraphQLFloat
    default:
      throw new Error(`${path.join(".")}: there is no GraphQL type for ${JSON.stringify(inner)}`)
  }
}

/** GraphQL's Int has 32 bits; a whole number that may be larger is a Float there (GraphQL §3.5.1). */
export function fitsInt({ minimum, maximum }: TSchema): boolean {
  return Number(minimum) >= -(2 ** 31) && Number(maximum) < 2 ** 31
}

/** The schema inside a `nullable`; any other schema as it is. */
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
