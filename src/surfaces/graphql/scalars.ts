import type { TSchema } from "@sinclair/typebox"
import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLInt,
  GraphQLScalarType,
  GraphQLString,
  valueFromASTUntyped,
} from "graphql"
import { choicesOf } from "../../apis/contract.ts"
import { isJsonValue } from "../../values/json-value.ts"

/** Any JSON value, also null. So fields and arguments of this type are never marked as non-null. */
const jsonScalar = new GraphQLScalarType({
  name: "JSON",
  description: "Any JSON value.",
  parseValue: (value) => value,
  parseLiteral: (node, variables) => valueFromASTUntyped(node, variables),
})

/** The scalar of a schema that is neither an object nor an array. */
export function toScalarType(schema: TSchema, path: readonly string[]): GraphQLScalarType {
  if (isJsonValue(schema)) return jsonScalar
  const { type, anyOf, minimum, maximum } = schema
  if (choicesOf(schema) || type === "string") return GraphQLString
  // GraphQL has no union of scalars: a parameter that is a string or a number is always a string here.
  if (anyOf?.some((one: TSchema) => one.type === "string")) return GraphQLString
  if (type === "boolean") return GraphQLBoolean
  // GraphQL's Int has 32 bits (GraphQL §3.5.1).
  if (type === "integer" && minimum >= -(2 ** 31) && maximum < 2 ** 31) return GraphQLInt
  if (type === "integer" || type === "number") return GraphQLFloat
  throw new Error(`${path.join(".")}: there is no GraphQL type for ${JSON.stringify(schema)}`)
}
