import type { WorstInputs } from "../support/worst-inputs.ts"

/** Schemas that each contain the next one twice, so that 2ⁿ are checked. */
function doubled(levels: number) {
  const schemas = Array.from({ length: levels }, (_, level) => {
    const next = { $ref: `#/$defs/s${level + 1}` }
    return [`s${level}`, { allOf: [next, next] }] as const
  })
  return { $ref: "#/$defs/s0", $defs: { ...Object.fromEntries(schemas), [`s${levels}`]: { type: "string" } } }
}

const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) })
const names = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`)
const objectOf = (keys: readonly string[], value: unknown) =>
  Object.fromEntries(keys.map((key) => [key, value]))

/** Schemas and documents that keep a validator busy, or fill its stack or its memory. */
export const worst: WorstInputs = {
  "allOf of allOf, 30 times": { schema: doubled(30), document: "a" },
  "allOf of allOf with an error in each": { schema: doubled(30), document: 1 },
  "a schema that is itself": { schema: { $ref: "#" }, document: 1 },
  "two schemas that are each other": {
    schema: { $ref: "#/$defs/a", $defs: { a: { $ref: "#" } } },
    document: 1,
  },
  "a recursive schema, 99 levels": {
    schema: { properties: { a: { $ref: "#" } }, anyOf: [{ $ref: "#/properties/a" }, true] },
    document: nested(98),
  },
  "letters of an address": {
    schema: { items: { format: "idn-email" } },
    document: Array(9_000).fill("é".repeat(40)),
    assert_formats: true,
  },
  "a name that normalization sorts": {
    schema: { format: "idn-hostname" },
    document: "\u0301\u0316".repeat(200_000),
    assert_formats: true,
  },
  "a pattern that backtracks": { schema: { pattern: "^(a|aa)+$" }, document: `${"a".repeat(200_000)}b` },
  "a large pattern": {
    schema: { pattern: `^(${"(a?){10}".repeat(100)}){1}$` },
    document: "a".repeat(200_000),
  },
  "4,000 patterns for 7,000 properties": {
    schema: { patternProperties: objectOf(names("^a", 2_000), true) },
    document: objectOf(names("b", 20_000), 1),
  },
  "2,000 values for 17,000 items": {
    schema: { items: { enum: names("a", 2_000) } },
    document: Array.from({ length: 17_000 }, () => "b"),
  },
  "6,000 items, each once": {
    schema: { uniqueItems: true },
    document: names("a", 6_000).map((a) => ({ a })),
  },
  "19,000 wrong items": {
    schema: { items: { oneOf: [false, false] } },
    document: Array.from({ length: 19_000 }, () => 1),
  },
}

/** The two that take longest. */
export const inCheck = ["allOf of allOf, 30 times", "a schema that is itself"]
