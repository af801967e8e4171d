import type { TObject, TSchema } from "@sinclair/typebox"
import {
  GraphQLBoolean,
  type GraphQLFieldConfigArgumentMap,
  GraphQLFloat,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
} from "graphql"
import { choicesOf, isPremium } from "../../apis/contract.ts"
import { toFields, toTypeName } from "./names.ts"
import { fitsInt } from "./output-type.ts"

type Values = Readonly<Record<string, unknown>>

/** The single `input` argument of an API; needed where any of its parameters is. */
export function toInputArgument(
  schema: TObject,
  path: readonly string[],
): { readonly args: GraphQLFieldConfigArgumentMap; readonly toParameters: (input: unknown) => Values } {
  if (Object.keys(schema.properties).length === 0) return { args: {}, toParameters: () => ({}) }
  const { type, toParameters } = toInputType(schema, path)
  const required = (schema.required ?? []).length > 0
  return {
    args: { input: { type: required ? new GraphQLNonNull(type) : type, description: "The parameters." } },
    toParameters: (input) => toParameters((input ?? {}) as Values),
  }
}

function toInputType(schema: TObject, path: readonly string[]) {
  const required = new Set(schema.required)
  const parameters = [...toFields(schema.properties)].map(([name, [original, member]]) => {
    const { type, toParameter } = typeOf(member, [...path, original])
    const field = {
      type: required.has(original) ? new GraphQLNonNull(type) : type,
      description: describe(member),
      ...(member.default !== undefined && { defaultValue: member.default as unknown }),
    }
    return { name, original, toParameter, field }
  })
  return {
    type: new GraphQLInputObjectType({
      name: toTypeName(...path),
      fields: Object.fromEntries(parameters.map(({ name, field }) => [name, field])),
    }),
    /** GraphQL clients say null for what they leave out, so null is that. */
    toParameters(input: Values): Values {
      const values: Record<string, unknown> = {}
      for (const { name, original, toParameter } of parameters) {
        const value = input[name]
        if (value !== undefined && value !== null) values[original] = toParameter ? toParameter(value) : value
      }
      return values
    },
  }
}

/** `toParameter` is null where a value is the same in GraphQL as in JSON. */
interface ValueType {
  readonly type: GraphQLInputType
  readonly toParameter: ((value: unknown) => unknown) | null
}

function typeOf(schema: TSchema, path: readonly string[]): ValueType {
  if (choicesOf(schema)) return { type: GraphQLString, toParameter: null }
  switch (schema.type) {
    case "object": {
      const { type, toParameters } = toInputType(schema as TObject, path)
      return { type, toParameter: (value) => toParameters(value as Values) }
    }
    case "array": {
      const { type, toParameter } = typeOf(schema.items as TSchema, path)
      return {
        type: new GraphQLList(new GraphQLNonNull(type)),
        toParameter: toParameter && ((value) => (value as unknown[]).map(toParameter)),
      }
    }
    case "string":
      return { type: GraphQLString, toParameter: null }
    case "boolean":
      return { type: GraphQLBoolean, toParameter: null }
    case "integer":
      return { type: fitsInt(schema) ? GraphQLInt : GraphQLFloat, toParameter: null }
    case "number":
      return { type: GraphQLFloat, toParameter: null }
    default:
      throw new Error(`${path.join(".")}: there is no GraphQL type for ${JSON.stringify(schema)}`)
  }
}

function describe(schema: TSchema): string {
  const choices = choicesOf(schema)
  return [
    schema.description,
    choices && `One of ${choices.map((choice) => `\`${choice}\``).join(", ")}.`,
    isPremium(schema) && "(Premium: takes no effect on plans without it.)",
  ]
    .filter(Boolean)
    .join(" ")
}
