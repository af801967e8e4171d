import type { TObject, TSchema } from "@sinclair/typebox"
import {
  type GraphQLFieldConfigArgumentMap,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
} from "graphql"
import { choicesOf, deprecationOf, deprecationText, isPremium } from "../../apis/contract.ts"
import { isJsonValue } from "../../values/json-value.ts"
import { toFields, toTypeName } from "./names.ts"
import { toScalarType } from "./scalars.ts"

type Values = Readonly<Record<string, unknown>>

/** The `input` argument of an API, required when one of its parameters is. */
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
    const isJson = isJsonValue(member)
    const mark = deprecationOf(member)
    const field = {
      // GraphQL cannot deprecate required parameters.
      ...(mark && !required.has(original) && { deprecationReason: deprecationText(mark) }),
      type: required.has(original) && !isJson ? new GraphQLNonNull(type) : type,
      description: describe(member),
      ...(member.default !== undefined && { defaultValue: member.default as unknown }),
    }
    return { name, original, toParameter, isJson, field }
  })
  return {
    type: new GraphQLInputObjectType({
      name: toTypeName(...path),
      fields: Object.fromEntries(parameters.map(({ name, field }) => [name, field])),
    }),
    /** GraphQL clients send null for a parameter that is left out. For a JSON parameter it is a value. */
    toParameters(input: Values): Values {
      const values: Record<string, unknown> = {}
      for (const { name, original, toParameter, isJson } of parameters) {
        const value = input[name]
        if (value !== undefined && (value !== null || isJson))
          values[original] = toParameter ? toParameter(value) : value
      }
      return values
    },
  }
}

interface ValueType {
  readonly type: GraphQLInputType
  /** Null when a value is the same in GraphQL as in JSON. */
  readonly toParameter: ((value: unknown) => unknown) | null
}

function typeOf(schema: TSchema, path: readonly string[]): ValueType {
  if (schema.type === "object") {
    const { type, toParameters } = toInputType(schema as TObject, path)
    return { type, toParameter: (value) => toParameters(value as Values) }
  }
  if (schema.type !== "array") return { type: toScalarType(schema, path), toParameter: null }
  const { type, toParameter } = typeOf(schema.items as TSchema, path)
  return {
    type: new GraphQLList(new GraphQLNonNull(type)),
    toParameter: toParameter && ((value) => (value as unknown[]).map(toParameter)),
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
