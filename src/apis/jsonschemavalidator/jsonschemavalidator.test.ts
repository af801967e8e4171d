/** Values that do not fit are reported, nothing is fetched, slow patterns are right, and callers do not affect each other. */
import { afterAll, expect, test } from "bun:test"
import { runIsolated } from "../../../test/support/run-isolated.ts"
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
  expect((await check({ pattern }, text)).valid).toBe(fits)
  const schema = { patternProperties: { [pattern]: true }, additionalProperties: false }
  expect((await check(schema, { [text]: 1 })).valid).toBe(fits)
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
  ["a repetition of a repetition", { pattern: "((a{99}){99}){99}" }, "which is not supported"],
  ["no schema", [], "must be an object, true or false"],
  [
    "a wrong type",
    { properties: { a: { type: "strin" } } },
    "must be a schema of 2020-12: '/properties/a/type' does not fit",
  ],
  ["a missing anchor", { $ref: "#a" }, "cannot be read as a schema: No such anchor"],
  ["a missing place", { $ref: "#/a/b" }, "cannot be read as a schema: Value at '/a' is undefined"],
  [
    "a name that objects have",
    { $ref: "#constructor" },
    "it has a keyword or an anchor with a reserved name",
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
    valid: true,
  })

  const core = { "https://json-schema.org/draft/2020-12/vocab/core": true }
  const address = "https://a.example/meta"
  const own = { $schema: metaSchema, $id: address, $vocabulary: core }
  expect((await check({ $schema: address, type: "string" }, 1, { [address]: own })).valid).toBe(true)
  await expect(check({ $schema: address, type: "string" }, 1)).rejects.toThrow(
    "as its '$schema', or one of 'others'",
  )
  expect((await check({ type: "string" }, 1)).valid).toBe(false)
})

test("20 errors are for everyone, more and annotations are premium", async () => {
  const schema = { items: { type: "string", title: "A text" } }
  const many = Array.from({ length: 1_500 }, (_, index) => index)
  const all = await check(schema, many)
  expect([all.errors.length, all.all_errors.length, all.errors[19]?.where]).toEqual([20, 1_000, "/19"])
  expect(await check(schema, many, undefined, false)).toMatchObject({
    valid: false,
    all_errors: [],
    annotations: [],
  })
  const { annotations } = await check(schema, ["a"])
  expect(annotations).toEqual([
    { keyword: "title", value: "A text", where: "/0", schema_location: "#/items/title" },
  ])
})

test("errors say what is expected, and where, with any characters in names", async () => {
  const { errors } = await check({ properties: { "a/b é": { type: ["string", "null"] } } }, { "a/b é": 1 })
  expect(errors).toEqual([
    {
      code: "type",
      severity: "error",
      message: "The value must be of type string or null.",
      where: "/a~1b é",
      schema_location: "#/properties/a~1b%20%C3%A9/type",
    },
  ])
  const other = await check({ anyOf: [{ const: 1 }, { enum: ["a", "b"] }], not: true }, 2)
  expect(other.errors.map(({ message }) => message)).toEqual([
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
  expect((await check(tree, { a: { b: {} } })).valid).toBe(true)
  expect((await check(tree, { a: { b: 1 } })).valid).toBe(false)
})

test("definitions beside a $ref of draft 7 are found, and its other neighbours are ignored", async () => {
  const schema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    $ref: "#/definitions/name",
    definitions: { name: { $ref: "#/definitions/text" }, text: { type: "string" } },
    maxLength: 0,
  }
  expect((await check(schema, "Ann")).valid).toBe(true)
  const { valid, errors } = await check(schema, 1)
  expect([valid, errors.map(({ code }) => code)]).toEqual([false, ["type"]])
  const others = { "https://a.example/": { ...schema, $id: "https://a.example/" } }
  expect((await check({ $ref: "https://a.example/" }, "Ann", others)).valid).toBe(true)
})
