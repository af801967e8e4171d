import type { TSchema } from "@sinclair/typebox"
import { choicesOf } from "../apis/contract.ts"

export function isNumber(schema: TSchema): boolean {
  return schema.type === "number" || schema.type === "integer"
}

export function isBoolean(schema: TSchema): boolean {
  return schema.type === "boolean"
}

/**
 * What a schema wants, in the words that follow "The 'x' parameter …": `must be a number from -90 to 90`. A schema's
 * own `x-requirement` wins.
 */
export function toRequirement(schema: TSchema): string {
  const own: unknown = schema["x-requirement"]
  return typeof own === "string" ? own : `must be ${describe(schema)}`
}

function describe(schema: TSchema): string {
  const choices = choicesOf(schema)
  if (choices) return `one of ${choices.join(", ")}`
  if (isNumber(schema)) {
    return `${schema.type === "integer" ? "a whole number" : "a number"}${describeRange(schema.minimum, schema.maximum)}`
  }
  if (isBoolean(schema)) return "true or false"
  if (schema.type === "array") {
    const most = schema.maxItems === undefined ? "" : `at most ${group(schema.maxItems)} `
    const items = schema.items?.type === "string" ? "strings" : "items"
    return `an array of ${most}${items}`
  }
  if (schema.type === "object") return "an object"
  return `${schema.minLength ? "a non-empty string" : "a string"}${describeLength(schema.maxLength)}`
}

function describeRange(minimum: unknown, maximum: unknown): string {
  if (typeof minimum === "number" && typeof maximum === "number") return ` from ${minimum} to ${maximum}`
  if (typeof minimum === "number") return `, ${minimum} or more`
  if (typeof maximum === "number") return `, ${maximum} or less`
  return ""
}

function describeLength(maxLength: unknown): string {
  return typeof maxLength === "number" ? ` of at most ${group(maxLength)} characters` : ""
}

function group(count: number): string {
  return count.toLocaleString("en-US")
}
