import type { TObject, TSchema } from "@sinclair/typebox"
import { type ApiDefinition, isPremium } from "../apis/contract.ts"
import type { ChargeItem } from "../store/store.ts"
import { once } from "../values/once.ts"
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
  /** Takes premium parameters out of an input. */
  readonly maskInput: Mask
  /** Takes premium fields out of an answer. */
  readonly mask: Mask
  readonly findDeprecated: () => FindDeprecated
}

/**
 * Runs an API where nothing is metered, and returns its data. Rejects with InputRejected, Unavailable and what the run throws.
 */
export type LocalCalls = (api: PreparedApi, input: RawInput) => Promise<Record<string, unknown>>

/**
 * Compiles an API's input check and premium masks with its first call, since a start has many APIs. `credits` replaces the price
 * of its definition.
 */
export function prepareApi(definition: ApiDefinition, credits = definition.credits): PreparedApi {
  const inputOf = () => definition.inputCheck ?? definition.input
  const reader = once(() => compileInput(inputOf(), definition))
  const inputMask = once(() => compileInputMask(inputOf()))
  const outputMask = once(() => compileMask(definition.output))
  return {
    definition,
    credits,
    charge: [{ api: definition.id, calls: 1, credits }],
    readInput: (raw) => reader()(raw),
    maskInput: (values) => inputMask()(values),
    mask: (data) => outputMask()(data),
    findDeprecated: once(() => compileDeprecated(definition)),
  }
}

/** Returns an answer or an input without its premium fields. */
type Mask = (data: Record<string, unknown>) => Record<string, unknown>

/** Makes the mask of an API's input: on a plan without premium, premium parameters are checked and then have no effect. */
export function compileInputMask(input: TObject): Mask {
  const premium = new Set(
    Object.entries(input.properties).flatMap(([name, schema]) => (isPremium(schema) ? [name] : [])),
  )
  if (premium.size === 0) return (values) => values
  return (values) => Object.fromEntries(Object.entries(values).filter(([name]) => !premium.has(name)))
}

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
