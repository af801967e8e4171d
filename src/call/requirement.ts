import type { TSchema } from "@sinclair/typebox"
import { choicesOf } from "../apis/contract.ts"
import { isJsonValue } from "../values/json-value.ts"
import { group } from "../values/text.ts"

/** A schema's requirement, after "The 'x' parameter …": `must be a number from -90 to 90`. The schema's `x-requirement` wins. */
export function toRequirement(schema: TSchema): string {
  const own: unknown = schema["x-requirement"]
  return typeof own === "string" ? own : `must be ${describe(schema)}`
}

function describe(schema: TSchema): string {
  const choices = choicesOf(schema)
  if (choices) return `one of ${choices.join(", ")}`
  if (typeof schema.const === "string") return schema.const
  if (isJsonValue(schema)) return "a JSON value"
  const { type, minimum, maximum, minLength, maxLength, maxItems, items } = schema
  if (type === "number") return `a number${describeRange(minimum, maximum)}`
  if (type === "integer") return `a whole number${describeRange(minimum, maximum)}`
  if (type === "boolean") return "true or false"
  if (type === "object") return "an object"
  if (type === "array") {
    const most = maxItems === undefined ? "" : `at most ${group(maxItems)} `
    return `an array of ${most}${items?.type === "string" ? "strings" : "items"}`
  }
  const most = maxLength === undefined ? "" : ` of at most ${group(maxLength)} characters`
  return `${minLength ? "a non-empty string" : "a string"}${most}`
}

function describeRange(minimum: unknown, maximum: unknown): string {
  if (typeof minimum === "number" && typeof maximum === "number") return ` from ${minimum} to ${maximum}`
  if (typeof minimum === "number") return `, ${minimum} or more`
  return typeof maximum === "number" ? `, ${maximum} or less` : ""
}
