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

/** The root field of an API: its id in lower case without hyphens. */
export function toRootField(id: string): string {
  return id.toLowerCase().replaceAll("-", "")
}

/**
 * The GraphQL name of a parameter or result field: `-+:./\` become underscores, other characters that a name cannot have are
 * dropped, and a digit at the start gets an underscore before it.
 */
export function toFieldName(name: string): string {
  const normal = name.replace(/[-+:./\\]/g, "_").replace(/[^A-Za-z0-9_]/g, "")
  return /^\d/.test(normal) ? `_${normal}` : normal
}

/** A type's name from the path to its use: `("spfvalidator", "authorized_ips")` → `SpfvalidatorAuthorizedIps`. */
export function toTypeName(...path: readonly string[]): string {
  return path
    .flatMap((part) => part.split(/[^A-Za-z0-9]+/))
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")
}

/**
 * Object members under their GraphQL names, each with its original name.
 * @throws Error when two names become the same, or a name becomes empty
 */
export function toFields<T>(members: Readonly<Record<string, T>>): ReadonlyMap<string, [string, T]> {
  const fields = new Map<string, [string, T]>()
  for (const [original, member] of Object.entries(members)) {
    const name = toFieldName(original)
    const other = fields.get(name)?.[0]
    if (name === "") throw new Error(`'${original}' has no name in GraphQL`)
    if (other !== undefined) throw new Error(`'${other}' and '${original}' are both '${name}' in GraphQL`)
    fields.set(name, [original, member])
  }
  return fields
}

/** Any JSON value. Null is a value of it, so that no place requires it. */
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
  // A value that is a string or a number in JSON is always a string here.
  if (anyOf?.some((one: TSchema) => one.type === "string")) return GraphQLString
  if (type === "boolean") return GraphQLBoolean
  // GraphQL's Int has 32 bits (GraphQL §3.5.1).
  if (type === "integer" && minimum >= -(2 ** 31) && maximum < 2 ** 31) return GraphQLInt
  if (type === "integer" || type === "number") return GraphQLFloat
  throw new Error(`${path.join(".")}: there is no GraphQL type for ${JSON.stringify(schema)}`)
}
