import { Kind, type TSchema, type TUnknown, Type } from "@sinclair/typebox"
import { shorten } from "./text.ts"

/** The most levels. More could overflow the stack of recursive programs. */
const maxDepth = 100
const maxValues = 100_000

/**
 * A schema for any JSON value. It has at most 100 levels and 100,000 values. On the command line it is JSON text, in GraphQL the
 * scalar `JSON`. Numbers are doubles, as RFC 8259 §6 allows: whole numbers beyond 2^53 lose digits.
 * @example
 * const input = Type.Object({ document: jsonValue({ description: "The document." }) })
 */
export function jsonValue(options: { readonly description: string }): TUnknown {
  return Type.Unknown(options)
}

/** Whether a schema is one of {@link jsonValue}. */
export function isJsonValue(schema: TSchema): boolean {
  return schema[Kind] === "Unknown"
}

/**
 * Why a value from a JSON parser is refused; null if it is accepted. Continues the sentence "The 'x' parameter". It does not
 * recurse, since the value may be nested to any depth.
 */
export function mistakeOfJson(value: unknown): string | null {
  const open: object[] = []
  const depths: number[] = []
  let values = 0
  let depth = 0

  function take(one: unknown): string | null {
    if (++values > maxValues) return `must have at most ${maxValues.toLocaleString("en-US")} values`
    if (typeof one === "string" && !one.isWellFormed()) return notUnicode
    // A number such as 1e999 becomes infinite.
    if (typeof one === "number" && !Number.isFinite(one)) return "must have no number beyond 1.8e308"
    if (typeof one !== "object" || one === null) return null
    if (depth === maxDepth) return `must have at most ${maxDepth} levels`
    open.push(one)
    depths.push(depth + 1)
    return null
  }

  let mistake = take(value)
  for (let one = open.pop(); one && mistake === null; one = open.pop()) {
    depth = depths.pop() ?? 0
    if (!Array.isArray(one)) mistake = mistakeOfNames(Object.keys(one))
    for (const inner of Array.isArray(one) ? one : Object.values(one)) mistake ??= take(inner)
  }
  return mistake
}

function mistakeOfNames(names: readonly string[]): string | null {
  // In most programs, `__proto__` is not a member: setting it changes what the object inherits.
  if (names.includes("__proto__")) return "must have no member named __proto__"
  return names.every((name) => name.isWellFormed()) ? null : notUnicode
}

const notUnicode = "must be well-formed Unicode text, without lone surrogates"

/**
 * Where a value from a JSON parser has its first whole number beyond 2^53, as a JSON Pointer; null if it has none. The parser
 * reads numbers as doubles (RFC 8259 §6), so that such a number may be another one than was sent.
 */
export function findLargeNumber(value: unknown, pointer = ""): string | null {
  if (typeof value === "number")
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? pointer : null
  if (typeof value !== "object" || value === null) return null
  for (const [name, inner] of Object.entries(value)) {
    const found = findLargeNumber(inner, pointerTo(pointer, name))
    if (found !== null) return found
  }
  return null
}

/** The sentence of a warning about what {@link findLargeNumber} finds; null if it finds nothing. */
export function largeNumberSentence(value: unknown): string | null {
  const pointer = findLargeNumber(value)
  if (pointer === null) return null
  const place = shorten(pointer, 200) || "the root"
  return `The number at ${place} is beyond 2^53 and may have lost digits: send it as text.`
}

/** The JSON Pointer (RFC 6901) to a member or an item of a value, from the pointer to that value. */
export function pointerTo(parent: string, key: string | number): string {
  return `${parent}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`
}
