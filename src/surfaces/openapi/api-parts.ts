import { type ApiDefinition, deprecationOf, type Example } from "../../apis/contract.ts"
import { sunsetsOf } from "../../call/admission.ts"
import { Fault, inputFault, toFault } from "../../call/fault.ts"
import { toTypeName } from "../graphql/names.ts"
import { faultResponse, type Refusal } from "./fault-responses.ts"
import { keyedHeaders, refsTo } from "./headers.ts"
import type { DocumentedApi, JsonObject } from "./json-object.ts"

/** The schema component of an API's parameters. */
export function inputName(id: string): string {
  return toTypeName(id, "input")
}

/** The schema component of an API's `data`. */
export function dataName(id: string): string {
  return toTypeName(id, "data")
}

/** `1 credit`, `5 credits`. */
export function priceText(credits: number): string {
  return credits === 1 ? "1 credit" : `${credits} credits`
}

/** Picks a part of each example, by the example's name in kebab-case. Leaves out those for which `pick` returns undefined. */
export function byName<T extends object>(
  examples: readonly Example[],
  pick: (example: Example) => T | undefined,
): Readonly<Record<string, T>> {
  const entries = examples.flatMap((example): [string, T][] => {
    const words = example.name.toLowerCase().match(/[a-z0-9]+/g) ?? []
    const value = pick(example)
    return value ? [[words.join("-"), value]] : []
  })
  return Object.fromEntries(entries)
}

/** The error for an empty input, which most APIs refuse. */
export function firstRefusal({ readInput }: DocumentedApi): Fault {
  try {
    readInput({ kind: "typed", values: {} })
    return inputFault("body", "must be valid JSON; the mistake is at line 1, column 9")
  } catch (thrown) {
    return toFault(thrown)
  }
}

/** A request body that is JSON. */
export function jsonBody(schema: JsonObject, examples: JsonObject): JsonObject {
  return { required: true, content: { "application/json": { schema, ...examples } } }
}

/** Headers of a success: also those of a deprecation, if anything of the API is deprecated. */
export function successHeaders({ deprecation, input }: ApiDefinition): JsonObject {
  const isDeprecated = deprecation || Object.values(input.properties).some((schema) => deprecationOf(schema))
  const headers = { ...keyedHeaders, ...refsTo("Idempotent-Replayed") }
  return isDeprecated ? { ...headers, ...refsTo("Deprecation", "Sunset", "Link") } : headers
}

/** The refusal with 410 of an API with a sunset; null without one. */
export function goneRefusal(definition: ApiDefinition): Refusal | null {
  const gone = sunsetsOf([definition]).get(definition.id)
  return gone
    ? { description: "The API has ended.", faults: { gone: new Fault("apiGone", gone.message) } }
    : null
}

/** The response with 410 of an API with a sunset. */
export function goneAfter(definition: ApiDefinition): JsonObject {
  const gone = goneRefusal(definition)
  return gone ? { 410: faultResponse(gone) } : {}
}
