import type { TObject, TSchema } from "@sinclair/typebox"
import { type ApiDefinition, isPremium } from "../apis/contract.ts"
import type { ChargeItem } from "../store/store.ts"
import { compileDeprecated, type FindDeprecated } from "./deprecated-use.ts"
import { compileInput, type RawInput, type ReadInput } from "./input.ts"

/** An API, compiled and with its price. */
export interface PreparedApi {
  readonly definition: ApiDefinition
  /** The price of one successful call. */
  readonly credits: number
  /** The charge for one successful call. */
  readonly charge: readonly ChargeItem[]
  readonly readInput: ReadInput
  readonly mask: Mask
  readonly findDeprecated: FindDeprecated
}

/**
 * Runs an API where nothing is metered, and returns its data. Rejects with InputRejected, Unavailable and what the run throws.
 */
export type LocalCalls = (api: PreparedApi, input: RawInput) => Promise<Record<string, unknown>>

/** Compiles an API's input check and premium mask, once at start. `credits` replaces the price of its definition. */
export function prepareApi(definition: ApiDefinition, credits = definition.credits): PreparedApi {
  return {
    definition,
    credits,
    charge: [{ api: definition.id, calls: 1, credits }],
    readInput: compileInput(definition.inputCheck ?? definition.input),
    mask: compileMask(definition.output),
    findDeprecated: compileDeprecated(definition),
  }
}

/** Returns a copy of an answer without its premium fields. */
type Mask = (data: Record<string, unknown>) => Record<string, unknown>

/** Compiles the mask of an output schema. It lists the fields that may pass, so that an unknown field never passes. */
export function compileMask(output: TObject): Mask {
  const fields = Object.entries(output.properties)
    .filter(([, schema]) => !isPremium(schema))
    .map(([name, schema]) => ({ name, inner: compileInner(schema) }))

  return (data) => {
    const shown: Record<string, unknown> = {}
    for (const { name, inner } of fields) {
      const value = data[name]
      if (value !== undefined) shown[name] = inner ? inner(value) : value
    }
    return shown
  }
}

/** The mask of a nested value; null when nothing in it is premium. */
function compileInner(schema: TSchema): ((value: unknown) => unknown) | null {
  if (!hasPremium(schema)) return null
  if (schema.type === "object") {
    const mask = compileMask(schema as TObject)
    return (value) => mask(value as Record<string, unknown>)
  }
  if (schema.type === "array") {
    const inner = compileInner(schema.items as TSchema)
    return (value) => (inner ? (value as unknown[]).map(inner) : value)
  }
  throw new Error("premium() inside a union is not supported: mark the field that holds the union")
}

function hasPremium(schema: TSchema): boolean {
  const children: TSchema[] = [
    ...Object.values((schema.properties ?? {}) as Record<string, TSchema>),
    ...(schema.items ? [schema.items as TSchema] : []),
    ...((schema.anyOf ?? []) as TSchema[]),
  ]
  return children.some((child) => isPremium(child) || hasPremium(child))
}
