/** Values that do not fit are reported, nothing is fetched, slow patterns are right, and callers do not affect each other. */
import { afterAll, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Glob } from "bun"
import fc from "fast-check"
import { runIsolated } from "../../../test/support/run-isolated.ts"
import { InputRejected } from "../contract.ts"
import { run } from "./run.ts"

const check = (schema: unknown, document: unknown, others?: unknown, premium = true) =>
  runIsolated(run, { schema, document, ...(others === undefined ? {} : { others }) }, premium)

let hits = 0
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch() {
    hits++
    return Response.json(true, { headers: { "content-type": "application/schema+json" } })
  },
})
afterAll(() => server.stop(true))

test("no schema is fetched, whichever keyword refers to it", async () => {
  const address = `${server.url}one`
  const draft7 = "http://json-schema.org/draft-07/schema#"
  const file = `file://${import.meta.path}`
  for (const schema of [
    { $ref: address },
    { $dynamicRef: address },
    { $schema: draft7, $ref: address },
    { $id: address, $ref: "two" },
    { $defs: { a: { $id: address } }, $ref: `${server.url}two` },
    { $ref: file },
    { $ref: "https://127.0.0.1/" },
  ])
    await expect(check(schema, 1)).rejects.toThrow(
      "The 'schema' parameter refers to a place that was not given",
    )
  await expect(check({ $schema: address }, 1)).rejects.toThrow("as its '$schema', or one of 'others'")
  await expect(check(true, 1, { "https://a.example/": { $schema: address } })).rejects.toThrow(
    "The 'others' parameter",
  )
  expect(hits).toBe(0)
})

const patterns: readonly (readonly [pattern: string, text: string, fits: boolean])[] = [
  // The runtime's own expressions give up here, and say that it does not match.
  ["^(?:(?:a+)+b|a+!)$", `${"a".repeat(32)}!`, true],
  ["^(a+)+$", `${"a".repeat(50_000)}b`, false],
  ["^a$", "a\n", false],
  ["^.$", "\u2028", false],
  ["^.$", "😀", true],
  ["^\\s$", "\u2003", true],
  ["^[\\s]$", "\ufeff", true],
  ["^[\\S]$", "\u00a0", false],
  ["^\\S$", "é", true],
  ["^\\d$", "٣", false],
  ["^\\w$", "é", false],
  ["^\\p{Letter}\\p{Script=Greek}$", "éα", true],
  ["^\\P{Lu}$", "A", false],
  ["^\\u00e9\\u{1F600}$", "é😀", true],
  ["(?<year>\\d{4})", "in 2026", true],
  ["^[^]$", "\n", true],
  ["^\\cJ$", "\n", true],
  ["^[\\b]$", "\b", true],
]

test.each(patterns)("the pattern %s", async (pattern, text, fits) => {
  expect((await check({ pattern }, text)).is_valid).toBe(fits)
  const schema = { patternProperties: { [pattern]: true }, additionalProperties: false }
  expect((await check(schema, { [text]: 1 })).is_valid).toBe(fits)
})

test.each(["(?=a)", "a(?!b)", "(?<=a)b", "(?<!a)b", "(a)\\1", "(?<a>b)\\k<a>"])(
  "%s is refused, and the refusal says why",
  async (pattern) => {
    const refusal = `The 'schema' parameter must have patterns without lookaheads, lookbehinds and back-references, and has '${pattern}'.`
    await expect(check({ pattern }, "a")).rejects.toThrow(refusal)
    await expect(check({ patternProperties: { [pattern]: true } }, {})).rejects.toThrow(refusal)
  },
)

test.each([
  [
    "an invalid pattern",
    { pattern: "(" },
    "must have regular expressions of ECMAScript as patterns, and has '('",
  ],
  ["a repetition of a repetition", { pattern: "((a{99}){99}){99}" }, "at most 1,000 repetitions of a part"],
  [
    "an unknown property",
    { pattern: "\\p{ID_Start}" },
    "but general categories and scripts, and has '\\p{ID_Start}'",
  ],
  ["two groups of one name", { pattern: "(?<a>x)|(?<a>y)" }, "groups whose names differ"],
  ["many groups", { pattern: `${"(".repeat(1_200)}${")".repeat(1_200)}` }, "fewer parts in one another"],
  ["no schema", [], "must be an object, true or false"],
  [
    "a wrong type",
    { properties: { a: { type: "strin" } } },
    "must be a schema of 2020-12: '/properties/a/type' does not fit",
  ],
  // JSON Schema 2020-12, core §8.2.1 and §8.2.2.
  ["an $id with a fragment", { $id: "#a" }, "must have an address without a fragment as each '$id'"],
  ["an $id that is no text", { items: { $id: 1 } }, "as each '$id'"],
  ["an anchor that begins with a digit", { $defs: { a: { $anchor: "1a" } } }, "as each '$anchor'"],
  ["a dynamic anchor with #", { not: { $dynamicAnchor: "#a" } }, "as each '$dynamicAnchor'"],
  ["a missing anchor", { $ref: "#a" }, "refers to '#a', and has no such anchor"],
  ["a missing place", { $ref: "#/a/b" }, "refers to a place that is not there, at '/a'"],
  [
    "a name that objects have",
    { $ref: "#constructor" },
    "a keyword has a value of a wrong type, or a keyword or an anchor has a reserved name",
  ],
  [
    "another draft",
    { $schema: "http://json-schema.org/draft-04/schema#" },
    "as its '$schema', or one of 'others'",
  ],
  ["a long schema", { enum: ["x".repeat(200_000)] }, "must have at most 200,000 characters as JSON"],
])("%s is refused", async (_what, schema, refusal) => {
  await expect(check(schema, "a")).rejects.toThrow(refusal)
})

const metaSchema = "https://json-schema.org/draft/2020-12/schema"
test("no schema replaces a meta-schema, or changes the meaning of keywords for others", async () => {
  const nothing = { $schema: metaSchema, $vocabulary: {} }
  const known = "must not have the address of a meta-schema that is built in"
  await expect(check({ $id: metaSchema }, 1)).rejects.toThrow(known)
  await expect(check(true, 1, { [metaSchema]: nothing })).rejects.toThrow(known)
  const hidden = { ...nothing, $id: "HTTPS://json-schema.org/draft/a/../2020-12/schema" }
  await expect(check(true, 1, { "https://a.example/": hidden })).rejects.toThrow(known)
  await expect(check({ $defs: { a: nothing } }, 1)).rejects.toThrow(
    "must have '$vocabulary' only at the root",
  )
  await expect(check({ $defs: { a: { $id: metaSchema, type: "boolean" } } }, 1)).resolves.toMatchObject({
    is_valid: true,
  })

  const core = { "https://json-schema.org/draft/2020-12/vocab/core": true }
  const address = "https://a.example/meta"
  const own = { $schema: metaSchema, $id: address, $vocabulary: core }
  expect((await check({ $schema: address, type: "string" }, 1, { [address]: own })).is_valid).toBe(true)
  await expect(check({ $schema: address, type: "string" }, 1)).rejects.toThrow(
    "as its '$schema', or one of 'others'",
  )
  expect((await check({ type: "string" }, 1)).is_valid).toBe(false)
})

test("20 problems are for everyone, more and annotations are premium", async () => {
  const schema = { items: { type: "string", title: "A text" } }
  const many = Array.from({ length: 1_500 }, (_, index) => index)
  const all = await check(schema, many)
  expect([all.problems.length, all.all_problems.length, all.problems[19]?.where]).toEqual([20, 1_000, "/19"])
  expect(await check(schema, many, undefined, false)).toMatchObject({
    is_valid: false,
    all_problems: [],
    annotations: [],
  })
  const { annotations } = await check(schema, ["a"])
  expect(annotations).toEqual([
    { keyword: "title", value: "A text", where: "/0", schema_location: "#/items/title" },
  ])
})

test("problems say what is expected, and where, with any characters in names", async () => {
  const { problems } = await check({ properties: { "a/b é": { type: ["string", "null"] } } }, { "a/b é": 1 })
  expect(problems).toEqual([
    {
      code: "type",
      severity: "error",
      message: "The value must be of type string or null.",
      where: "/a~1b é",
      schema_location: "#/properties/a~1b%20%C3%A9/type",
    },
  ])
  const other = await check({ anyOf: [{ const: 1 }, { enum: ["a", "b"] }], not: true }, 2)
  expect(other.problems.map(({ message }) => message)).toEqual([
    "The value must fit a schema of 'anyOf'.",
    "The value must be 1.",
    'The value must be one of "a", "b".',
    "The value must not fit the schema of 'not'.",
  ])
})

test.each([
  [{ $ref: "#" }, "#"],
  [{ $ref: "#/$defs/a", $defs: { a: { anyOf: [{ $ref: "#" }, true] } } }, "#"],
  [{ properties: { a: { $ref: "#/$defs/b" } }, $defs: { b: { $ref: "#/$defs/b" } } }, "#/$defs/b"],
  [{ $dynamicAnchor: "a", $dynamicRef: "#a" }, "#"],
  [{ $schema: "http://json-schema.org/draft-07/schema#", not: { $ref: "#" } }, "#"],
])("%j leads back to itself, and the refusal says so", async (schema, place) => {
  const refusal = await check(schema, { a: 1 }).catch((error: Error) => error.message)
  expect(refusal).toStartWith("The 'schema' parameter must not lead back to itself for the same value, as '#")
  expect(refusal).toContain(place)
})

test("a schema may refer to itself for a part of the value", async () => {
  const tree = { type: "object", additionalProperties: { $ref: "#" } }
  expect((await check(tree, { a: { b: {} } })).is_valid).toBe(true)
  expect((await check(tree, { a: { b: 1 } })).is_valid).toBe(false)
})

test("definitions beside a $ref of draft 7 are found, and its other neighbours are ignored", async () => {
  const schema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    $ref: "#/definitions/name",
    definitions: { name: { $ref: "#/definitions/text" }, text: { type: "string" } },
    maxLength: 0,
  }
  expect((await check(schema, "Ann")).is_valid).toBe(true)
  const { is_valid, problems } = await check(schema, 1)
  expect([is_valid, problems.map(({ code }) => code)]).toEqual([false, ["type"]])
  const others = { "https://a.example/": { ...schema, $id: "https://a.example/" } }
  expect((await check({ $ref: "https://a.example/" }, "Ann", others)).is_valid).toBe(true)
})

const vocabulary = (name: string) => `https://json-schema.org/draft/2020-12/vocab/${name}`
const meta = (name: string) => `https://json-schema.org/draft/2020-12/meta/${name}`
const withFormats = "https://a.example/formats"
const formatsMeta = {
  [withFormats]: {
    $schema: metaSchema,
    $id: withFormats,
    $vocabulary: { [vocabulary("core")]: true, [vocabulary("format-assertion")]: true },
    $dynamicAnchor: "meta",
    allOf: [{ $ref: meta("core") }, { $ref: meta("format-assertion") }],
  },
}

test("formats are checked where the meta-schema says so, or the caller asks for it", async () => {
  const schema = { $schema: withFormats, format: "ipv4" }
  expect((await check(schema, "127.0.0.1", formatsMeta)).is_valid).toBe(true)
  expect((await check(schema, "x", formatsMeta)).problems).toEqual([
    {
      code: "format",
      severity: "error",
      message: "The value must have the format 'ipv4'.",
      where: "",
      schema_location: "#/format",
    },
  ])
  // JSON Schema 2020-12, validation §7.2.2: it must refuse a format that it does not know.
  await expect(check({ $schema: withFormats, format: "shoe-size" }, "x", formatsMeta)).rejects.toThrow(
    "must have known formats, since its meta-schema checks them, and has 'shoe-size'",
  )
  for (const $schema of [metaSchema, "http://json-schema.org/draft-07/schema#"]) {
    const ask = (format: string, document: unknown, assert_formats?: boolean) =>
      runIsolated(run, { schema: { $schema, format }, document, ...(assert_formats && { assert_formats }) })
    expect((await ask("date", "2026-02-30")).is_valid).toBe(true)
    expect((await ask("date", "2026-02-30", true)).is_valid).toBe(false)
    expect((await ask("date", "2026-02-28", true)).is_valid).toBe(true)
    expect((await ask("shoe-size", "44", true)).is_valid).toBe(true)
    expect((await ask("date", 1, true)).is_valid).toBe(true)
    expect((await ask("date", "2026-02-30")).is_valid).toBe(true)
  }
})

test.each([
  // RFC 3339 §5.7: a leap second is at 23:59:60 of UTC.
  ["time", "23:59:60Z", true],
  ["time", "01:29:60+01:30", true],
  ["time", "15:59:60-08:00", true],
  ["time", "22:59:60Z", false],
  ["time", "23:59:60+01:00", false],
  ["idn-hostname", "b\u00fccher.example", true],
  ["idn-hostname", "xn--X", false],
  ["idn-hostname", "a..b", false],
  ["hostname", "b\u00fccher.example", false],
])("the format %s of %j: %p", async (format, document, isValid) => {
  const { is_valid } = await runIsolated(run, { schema: { format }, document, assert_formats: true })
  expect(is_valid).toBe(isValid)
})

test.each([
  [{ const: { $id: "https://a.example/b", $ref: "#/c" } }, { $id: "https://a.example/b", $ref: "#/c" }],
  [{ enum: [1, { $anchor: "x", $schema: "y" }] }, { $schema: "y", $anchor: "x" }],
  [{ const: { $defs: { $vocabulary: {} } } }, { $defs: { $vocabulary: {} } }],
  [{ $schema: "http://json-schema.org/draft-07/schema#", const: [{ $ref: "#/a" }] }, [{ $ref: "#/a" }]],
  [{ const: { "\0$id": 1, $id: 2 } }, { "\0$id": 1, $id: 2 }],
  [{ const: -0 }, 0],
])("%j: what is in 'const' and 'enum' is data, not a schema", async (schema, document) => {
  expect((await check(schema, document)).is_valid).toBe(true)
  expect((await check(schema, { other: 1 })).is_valid).toBe(false)
  // A member of that name is still a schema.
  expect(
    (await check({ properties: { const: { $ref: "#/$defs/a" } }, $defs: { a: schema } }, {})).is_valid,
  ).toBe(true)
})

test("what is in 'default' comes back as it was, and messages show values as they are", async () => {
  const value = { $id: "a", b: [{ $ref: "#" }] }
  const { annotations } = await check({ default: value }, 1)
  expect(annotations.map((one) => one.value)).toEqual([value])
  const { problems } = await check({ const: { $id: "a" } }, 1)
  expect(problems[0]?.message).toBe('The value must be {"$id":"a"}.')
})

test("the place of a name that is not allowed is a JSON Pointer", async () => {
  const { problems } = await check(
    { properties: { a: { propertyNames: { maxLength: 1 } } } },
    { a: { "b/c": 1 } },
  )
  expect(problems.map(({ where }) => where)).toEqual(["/a/b~1c"])
})

test("numbers beyond 2^53 are not compared without a warning", async () => {
  // RFC 8259 §6: both are read as 9007199254740992.
  const { is_valid, problems } = await check(
    { const: JSON.parse("9007199254740993") },
    [JSON.parse("9007199254740992")][0],
  )
  expect(is_valid).toBe(true)
  expect(problems.map(({ code, severity, where }) => [code, severity, where])).toEqual([
    ["large_number", "warning", "/const"],
    ["large_number", "warning", ""],
  ])
  expect(problems[0]?.message).toBe(
    "In 'schema': The number at /const is beyond 2^53 and may have lost digits: send it as text.",
  )
})

const names = [
  "core",
  "applicator",
  "unevaluated",
  "validation",
  "meta-data",
  "format-annotation",
  "format-assertion",
  "content",
  "other",
]
const addresses = [
  "#",
  "#a",
  "#/$defs/a",
  "#/a%",
  "https://a.example/m",
  "https://a.example/%zz",
  "x",
  "",
  "%",
  "constructor",
]
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

test("addresses that are names or data, or that draft 7 allows, are no mistakes", async () => {
  const schema = "http://json-schema.org/draft-07/schema#"
  for (const allowed of [
    { properties: { $id: { type: "string" }, $anchor: true } },
    { const: { $id: 1, $anchor: "1a" } },
    { $schema: schema, definitions: { a: { $id: "#a" } }, $anchor: 1 },
  ])
    await check(allowed, 1)
})
