import type { TObject, TSchema } from "@sinclair/typebox"
import {
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getNamedType,
  isLeafType,
} from "graphql"
import { deprecatedEntry } from "../../accounts/deprecated-entry.ts"
import { deprecationOf, deprecationText, type GiveWay, isPremium } from "../../apis/contract.ts"
import { isJsonValue } from "../../values/json-value.ts"
import { toFields, toTypeName } from "./names.ts"
import { toScalarType } from "./scalars.ts"

/** The object type of an output schema. The types of inner objects are named by their path. */
export function toOutputType(schema: TObject, path: readonly string[]): GraphQLObjectType {
  const fields = [...toFields(schema.properties)].map(([name, [original, member]]) => {
    const type = typeOf(member, [...path, original])
    const mark = deprecationOf(member)
    const deprecationReason = mark && deprecationText(mark)
    const field = { type, description: describe(member), deprecationReason, extensions: { member: original } }
    const read = type instanceof GraphQLList ? resolveList(original, type) : (data: Data) => data[original]
    const resolve = mark ? noteUse(entryOf([...path, original]), read) : read
    const isPlain = !(type instanceof GraphQLList) && name === original && !mark
    return [name, isPlain ? field : { ...field, resolve }] as const
  })
  const type = new GraphQLObjectType({
    name: toTypeName(...path),
    description: schema.description ?? null,
    fields: Object.fromEntries(fields),
  })
  // Makes the fields now, in the step of this API, instead of those of all APIs in one go.
  type.getFields()
  return type
}

type Data = Readonly<Record<string, unknown>>
type Resolve = (data: Data, parameters: unknown, context: FieldContext, info: GraphQLResolveInfo) => unknown

/** A path begins with the API's id and `result`. */
function entryOf([id = "", , ...names]: readonly string[]): string {
  return deprecatedEntry(id, `field ${names.join(".")}`)
}

function noteUse(entry: string, resolve: Resolve): Resolve {
  return (data, parameters, context, info) => {
    context.useDeprecated(entry)
    return resolve(data, parameters, context, info)
  }
}

/** A query may have many lists of thousands of items, so each waits for time. */
function resolveList(name: string, type: GraphQLOutputType) {
  const sliceLength = isLeafType(getNamedType(type)) ? leavesPerSlice : objectsPerSlice
  return (data: Data, _parameters: unknown, context: FieldContext, info: GraphQLResolveInfo) => {
    const read = () => {
      const list = data[name]
      context.count(list, info)
      return Array.isArray(list) && list.length > sliceLength
        ? inSlices(list, sliceLength, context.giveWay)
        : list
    }
    return context.giveWay()?.then(read) ?? read()
  }
}

/** Items in a slice of a long list. GraphQL completes this many objects of three fields, or so many texts, in about 3 ms. */
const objectsPerSlice = 1_000
const leavesPerSlice = 10_000

/** The items of a long list as promises: GraphQL completes one slice of them at a time, and other work runs between slices. */
function inSlices(list: readonly unknown[], sliceLength: number, giveWay: GiveWay): Promise<unknown>[] {
  let turn: Promise<unknown> = Promise.resolve()
  return list.map((item, index) => {
    if (index > 0 && index % sliceLength === 0) turn = turn.then(giveWay)
    return turn.then(() => item)
  })
}

/** Every field may be null: absent, premium on a plan without it, or failed. */
function typeOf(schema: TSchema, path: readonly string[]): GraphQLOutputType {
  const inner = withoutNull(schema)
  if (inner.type === "object")
    return toOutputType({ ...inner, description: schema.description } as TObject, path)
  if (inner.type !== "array") return toScalarType(inner, path)
  const items = inner.items as TSchema
  const type = typeOf(items, path)
  const hasNulls = withoutNull(items) !== items || isJsonValue(items)
  return new GraphQLList(hasNulls ? type : new GraphQLNonNull(type))
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

/** The context value of a query. */
export interface FieldContext {
  /** Runs an API and returns its data, or throws the field's error. */
  run(apiId: string, parameters: Readonly<Record<string, unknown>>, info: GraphQLResolveInfo): unknown
  /**
   * Counts a list before GraphQL copies it.
   * @throws Refusal when the results of the query are too large
   */
  count(list: unknown, info: GraphQLResolveInfo): void
  /** Notes the use of a deprecated field, named as in usage. */
  useDeprecated(entry: string): void
  /** Called before each list, and before each slice of a long one: GraphQL completes all items of a slice at once. */
  readonly giveWay: GiveWay
}
