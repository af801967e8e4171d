import Ajv from "ajv/dist/2020"
import fc from "fast-check"
import { jsonschemavalidator } from "../../src/apis/jsonschemavalidator/index.ts"
import { run } from "../../src/apis/jsonschemavalidator/run.ts"
import { ask, askPython, debianVersion, defineOracle } from "./oracle.ts"

export { suites } from "./suites/jsonschemavalidator.ts"

type Case = readonly [schema: unknown, document: unknown]

const name = fc.constantFrom("a", "b", "ab", "")
const number = fc.constantFrom(0, 1, 2, 3, -1, 1.5, 0.5, 100)
const text = fc.constantFrom("", "a", "b", "ab", "abc", "é", "1", "a😀")
const scalar = fc.oneof(number, text, fc.boolean(), fc.constant(null))
const { document } = fc.letrec((tie) => ({
  document: fc.oneof(
    { depthSize: "small", maxDepth: 3 },
    scalar,
    fc.array(tie("document"), { maxLength: 4 }),
    fc.dictionary(name, tie("document"), { maxKeys: 4, noNullPrototype: true }),
  ),
}))
const type = fc.constantFrom("null", "boolean", "integer", "number", "string", "array", "object")
const count = fc.nat(3)
const names = fc.uniqueArray(name, { maxLength: 3 })
const pattern = fc.constantFrom("a", "^a", "b$", "^[ab]*$", "^.$", "^(a|b)+$", "\\\\d", "^$")

/** Keywords that both drafts have, each with its value. */
function common(schema: fc.Arbitrary<unknown>, reference: fc.Arbitrary<string>) {
  const schemas = fc.dictionary(name, schema, { maxKeys: 3, noNullPrototype: true })
  const list = fc.array(schema, { minLength: 1, maxLength: 3 })
  return {
    type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
    enum: fc.array(document, { minLength: 1, maxLength: 4 }),
    const: document,
    multipleOf: fc.constantFrom(1, 2, 3, 0.5),
    minimum: number,
    maximum: number,
    exclusiveMinimum: number,
    exclusiveMaximum: number,
    minLength: count,
    maxLength: count,
    pattern,
    contains: schema,
    minItems: count,
    maxItems: count,
    uniqueItems: fc.boolean(),
    properties: schemas,
    patternProperties: fc.dictionary(pattern, schema, { maxKeys: 2, noNullPrototype: true }),
    additionalProperties: schema,
    propertyNames: schema,
    required: names,
    minProperties: count,
    maxProperties: count,
    allOf: list,
    anyOf: list,
    oneOf: list,
    not: schema,
    if: schema,
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: schema,
    else: schema,
    $ref: reference,
  }
}

/** Some of the keywords of a schema. */
function someOf(keywords: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<object> {
  return fc
    .uniqueArray(fc.constantFrom(...Object.entries(keywords)), {
      minLength: 1,
      maxLength: 4,
      selector: ([key]) => key,
    })
    .chain((chosen) => fc.record(Object.fromEntries(chosen)))
}

const definitionNames = ["x", "y", "z"] as const

/** A schema whose definitions refer to later ones alone, so that there is no circle without an end. */
function schemaOf(
  keywords: (
    schema: fc.Arbitrary<unknown>,
    reference: fc.Arbitrary<string>,
  ) => Readonly<Record<string, fc.Arbitrary<unknown>>>,
  place: string,
) {
  const within = (references: readonly string[]) =>
    fc.letrec((tie) => ({
      schema: fc.oneof(
        { depthSize: "small", maxDepth: 3 },
        { weight: 1, arbitrary: fc.boolean() },
        {
          weight: 5,
          arbitrary: someOf(
            without$ref(
              keywords(tie("schema"), fc.constantFrom(references[0] ?? "", ...references)),
              references,
            ),
          ),
        },
      ),
    })).schema
  const definitions = fc.record(
    Object.fromEntries(
      definitionNames.map((one, index) => [
        one,
        within(definitionNames.slice(index + 1).map((later) => `#/${place}/${later}`)),
      ]),
    ),
  )
  const root = within(definitionNames.map((one) => `#/${place}/${one}`))
  return fc
    .tuple(root, definitions)
    .map(([schema, all]) => (typeof schema === "object" ? { ...schema, [place]: all } : schema))
}

/** The last definition has nothing to refer to. */
function without$ref<T extends object>(keywords: T, references: readonly string[]) {
  const { $ref, ...rest } = keywords as Record<string, fc.Arbitrary<unknown>>
  return $ref && references.length > 0 ? { ...rest, $ref } : rest
}

const draft2020 = schemaOf((schema, reference) => {
  const schemas = fc.dictionary(name, schema, { maxKeys: 3, noNullPrototype: true })
  return {
    ...common(schema, reference),
    prefixItems: fc.array(schema, { minLength: 1, maxLength: 3 }),
    items: schema,
    minContains: count,
    maxContains: count,
    dependentRequired: fc.dictionary(name, names, { maxKeys: 2, noNullPrototype: true }),
    dependentSchemas: schemas,
    unevaluatedProperties: schema,
    unevaluatedItems: schema,
  }
}, "$defs")

const draft7 = schemaOf((schema, reference) => {
  const list = fc.array(schema, { minLength: 1, maxLength: 3 })
  return {
    ...common(schema, reference),
    items: fc.oneof(schema, list),
    additionalItems: schema,
    dependencies: fc.dictionary(name, fc.oneof(schema, names), { maxKeys: 2, noNullPrototype: true }),
  }
}, "definitions").map((schema) =>
  typeof schema === "object" ? { $schema: "http://json-schema.org/draft-07/schema#", ...schema } : schema,
)

/** Whether an `enum` somewhere in a schema has a value twice. */
function hasTwice(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) return false
  return Object.entries(schema).some(([key, value]) => {
    const isEnum = key === "enum" && Array.isArray(value)
    return (
      (isEnum && value.some((one, at) => value.slice(0, at).some((other) => Bun.deepEquals(one, other)))) ||
      hasTwice(value)
    )
  })
}

export const oracle = defineOracle<Case, boolean | "error" | null>({
  api: "jsonschemavalidator",
  against: "python3-jsonschema",
  cases: 6_000,
  generate: fc.tuple(
    fc.oneof({ weight: 2, arbitrary: draft2020 }, { weight: 1, arbitrary: draft7 }),
    document,
  ),
  version: () => debianVersion("python3-jsonschema"),
  ours: async ([schema, value]) =>
    (await ask({ ...jsonschemavalidator, run }, { schema, document: value }))?.is_valid ?? null,
  theirs: (tests) => askPython("jsonschemavalidator.py", tests, "python3-jsonschema"),
  known: [
    {
      reason:
        "draft 7, a value twice in enum: it says that values should differ; our library has an edition of its meta-schema that demands it, as ajv has",
      fits: ([schema], our, their) => our === null && their !== null && hasTwice(schema),
    },
    {
      reason:
        "unevaluatedProperties and unevaluatedItems: python3-jsonschema 4.10 is wrong, and ajv agrees with us",
      fits: ([schema, value], our) =>
        JSON.stringify(schema).includes('"unevaluated') &&
        typeof schema === "object" &&
        schema !== null &&
        new Ajv({ strict: false }).compile(schema)(value) === our,
    },
    {
      reason: "an error of Python, where it sorts values of different types for a message",
      fits: (_test, _ours, theirs) => theirs === "error",
    },
  ],
})
