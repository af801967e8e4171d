/** Any schema is used or refused, and says so in words of our own. */
import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Glob } from "bun"
import fc from "fast-check"
import { formatsMeta, meta, metaSchema, vocabulary } from "../../../test/support/json-schemas.ts"
import { runIsolated } from "../../../test/support/run-isolated.ts"
import { InputRejected } from "../contract.ts"
import { run } from "./run.ts"

const names = [
  ..."core applicator unevaluated validation meta-data format-annotation format-assertion".split(" "),
  ..."content other".split(" "),
]
const addresses = "#|#a|#/$defs/a|#/a%|https://a.example/m|https://a.example/%zz|x||%|constructor".split("|")
const keywords =
  "$id $schema $ref $anchor $dynamicRef $dynamicAnchor $vocabulary $comment $defs $recursiveRef allOf anyOf oneOf not if then else properties patternProperties additionalProperties propertyNames dependentSchemas dependencies items prefixItems additionalItems contains minContains maxContains unevaluatedItems unevaluatedProperties type const enum required dependentRequired minimum maximum exclusiveMinimum multipleOf minLength maxLength pattern minItems maxItems uniqueItems minProperties maxProperties format contentSchema contentEncoding title default deprecated x-own constructor toString a".split(
    " ",
  )
const anyValue = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -1,
    1.5,
    "",
    "a",
    "ipv4",
    "string",
    "date",
    "(",
    ...addresses,
    ...Object.keys(formatsMeta),
  ),
  fc.array(fc.constantFrom<unknown>("a", "string", 1, null, true, {}), { maxLength: 3 }),
)
const { schema: anySchema } = fc.letrec<{ schema: unknown; value: unknown }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small", maxDepth: 3 },
    fc.boolean(),
    fc.dictionary(fc.constantFrom(...keywords), tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
  value: fc.oneof(
    { depthSize: "small", maxDepth: 3 },
    anyValue,
    tie("schema"),
    fc.array(tie("schema"), { maxLength: 2 }),
  ),
}))
const metaSchemas = fc.record(
  {
    $schema: fc.constantFrom(metaSchema, "http://json-schema.org/draft-07/schema#", "https://a.example/m", 1),
    $vocabulary: fc.oneof(
      fc.dictionary(fc.constantFrom(...names.map(vocabulary), "https://a.example/v"), fc.boolean(), {
        noNullPrototype: true,
      }),
      anyValue,
    ),
    allOf: fc.oneof(fc.array(fc.constantFrom(...names).map((name) => ({ $ref: meta(name) }))), anyValue),
    $dynamicAnchor: fc.constantFrom<unknown>("meta", "a", 1),
  },
  { requiredKeys: [] },
)

test("any schema, meta-schema and vocabulary is used or refused, and no text of the library comes out", async () => {
  const library = new Glob("node_modules/@hyperjump/**/*.js").scanSync(join(import.meta.dir, "../../.."))
  const texts = [...library].flatMap((file) =>
    [
      ...readFileSync(join(import.meta.dir, "../../..", file), "utf8").matchAll(/Error\((["`])(.*?)\1/g),
    ].flatMap(([, , message = ""]) =>
      message.split(/\$\{[^}]*\}|'/).filter((part) => part.trim().length > 9),
    ),
  )
  expect(texts.length).toBeGreaterThan(20)
  let refused = 0
  await fc.assert(
    fc.asyncProperty(
      anySchema,
      metaSchemas,
      fc.boolean(),
      anySchema,
      async (schema, own, isOwn, document) => {
        const others = { "https://a.example/m": own, ...formatsMeta }
        const named =
          isOwn && typeof schema === "object" ? { $schema: "https://a.example/m", ...schema } : schema
        const message = await runIsolated(run, {
          schema: named,
          others,
          document,
          assert_formats: true,
        }).then(
          ({ problems }) => problems.map((one) => one.message).join("\n"),
          (error: unknown) => {
            if (error instanceof RangeError) return ""
            if (!(error instanceof InputRejected)) throw error
            refused++
            return error.message
          },
        )
        expect(texts.filter((text) => message.includes(text))).toEqual([])
      },
    ),
    { numRuns: Number(process.env.SCHEMA_RUNS ?? 1_500) },
  )
  expect(refused).toBeGreaterThan(100)
})
