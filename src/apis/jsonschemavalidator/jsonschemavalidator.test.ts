/** Values that do not fit are reported, nothing is fetched, slow patterns are right, and callers do not affect each other. */

import { afterAll, expect, test } from "bun:test"
import { join } from "node:path"
import { ports } from "../../../test/support/held-pool.ts"
import { check, metaSchema } from "../../../test/support/json-schemas.ts"
import { runIsolated } from "../../../test/support/run-isolated.ts"
import { run } from "./run.ts"

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
    await expect(check(schema, 1)).rejects.toThrow("'schema' parameter refers to a place that was not given")
  await expect(check({ $schema: address }, 1)).rejects.toThrow("as its '$schema', or one of 'others'")
  const others = { "https://a.example/": { $schema: address } }
  await expect(check(true, 1, others)).rejects.toThrow("The 'others' parameter")
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
  ["no pattern", { pattern: "(" }, "must have regular expressions of ECMAScript as patterns, and has '('"],
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
])("%s is refused", (_what, schema, refusal) => expect(check(schema, "a")).rejects.toThrow(refusal))

test("no schema replaces a meta-schema, or changes the meaning of keywords for others", async () => {
  const nothing = { $schema: metaSchema, $vocabulary: {} }
  const known = "must not have the address of a meta-schema that is built in"
  await expect(check({ $id: metaSchema }, 1)).rejects.toThrow(known)
  await expect(check(true, 1, { [metaSchema]: nothing })).rejects.toThrow(known)
  const hidden = { ...nothing, $id: "HTTPS://json-schema.org/draft/a/../2020-12/schema" }
  await expect(check(true, 1, { "https://a.example/": hidden })).rejects.toThrow(known)
  const inner = { $defs: { a: nothing } }
  await expect(check(inner, 1)).rejects.toThrow("must have '$vocabulary' only at the root")
  await expect(check({ $defs: { a: { $id: metaSchema, type: "boolean" } } }, 1)).resolves.toMatchObject({
    is_valid: true,
  })

  const core = { "https://json-schema.org/draft/2020-12/vocab/core": true }
  const address = "https://a.example/meta"
  const own = { $schema: metaSchema, $id: address, $vocabulary: core }
  expect((await check({ $schema: address, type: "string" }, 1, { [address]: own })).is_valid).toBe(true)
  const unknown = check({ $schema: address, type: "string" }, 1)
  await expect(unknown).rejects.toThrow("as its '$schema', or one of 'others'")
  expect((await check({ type: "string" }, 1)).is_valid).toBe(false)
})

test("20 problems are for everyone, more and annotations are premium", async () => {
  const schema = { items: { type: "string", title: "A text" } }
  const many = Array.from({ length: 1_500 }, (_, index) => index)
  const all = await check(schema, many)
  expect([all.problems.length, all.all_problems.length, all.problems[19]?.where]).toEqual([20, 1_000, "/19"])
  const plain = await check(schema, many, undefined, false)
  expect(plain).toMatchObject({ is_valid: false, all_problems: [], annotations: [] })
  const { annotations } = await check(schema, ["a"])
  const title = { keyword: "title", value: "A text", where: "/0", schema_location: "#/items/title" }
  expect(annotations).toEqual([title])
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

test("what is in 'default' comes back as it was, and messages show values as they are", async () => {
  const value = { $id: "a", b: [{ $ref: "#" }] }
  expect((await check({ default: value }, 1)).annotations.map((one) => one.value)).toEqual([value])
  const { problems } = await check({ const: { $id: "a" } }, 1)
  expect(problems[0]?.message).toBe('The value must be {"$id":"a"}.')
})

test("the place of a name that is not allowed is a JSON Pointer", async () => {
  const schema = { properties: { a: { propertyNames: { maxLength: 1 } } } }
  expect((await check(schema, { a: { "b/c": 1 } })).problems.map(({ where }) => where)).toEqual(["/a/b~1c"])
})

test("numbers beyond 2^53 are not compared without a warning", async () => {
  // RFC 8259 §6: both are read as 9007199254740992.
  const [large, other] = ["9007199254740993", "9007199254740992"].map((text) => JSON.parse(text))
  const { is_valid, problems } = await check({ const: large }, other)
  expect(is_valid).toBe(true)
  expect(problems.map(({ code, severity, where }) => [code, severity, where])).toEqual([
    ["large_number", "warning", "/const"],
    ["large_number", "warning", ""],
  ])
  expect(problems[0]?.message).toBe(
    "In 'schema': The number at /const is beyond 2^53 and may have lost digits: send it as text.",
  )
})

test("addresses that are names or data, or that draft 7 allows, are no mistakes", async () => {
  const schema = "http://json-schema.org/draft-07/schema#"
  for (const [allowed, fits] of [
    [{ properties: { $id: { type: "string" }, $anchor: true } }, true],
    [{ const: { $id: 1, $anchor: "1a" } }, false],
    [{ $schema: schema, definitions: { a: { $id: "#a" } }, $anchor: 1 }, true],
  ] as const)
    expect((await check(allowed, 1)).is_valid).toBe(fits)
})

test("runs at the same time, as of small inputs, do not affect each other", async () => {
  const inputs = Array.from({ length: 60 }, (_, index) => ({
    schema: [
      { properties: { a: { const: index }, [`b${index}`]: false } },
      {
        $schema: "http://json-schema.org/draft-07/schema#",
        items: [{ maximum: index }],
        additionalItems: false,
      },
      { $defs: { a: { $anchor: "a", minimum: index } }, $ref: "#a" },
      { format: "date", title: `${index}` },
      { type: "nothing" },
    ][index % 5],
    document: [{ a: 7, b5: 1 }, [9, 2], 20, "no date", 1][index % 5],
    assert_formats: index % 2 === 0,
  }))
  const answer = (input: object) => runIsolated(run, input as never).catch(String)
  const alone = []
  for (const input of inputs) alone.push(await answer(input))
  expect(await Promise.all(inputs.map(answer))).toEqual(alone)
  expect(new Set(alone.map((one) => JSON.stringify(one))).size).toBeGreaterThan(25)
})

test("other work may run before each step of loading the library", async () => {
  let pauses = 0
  const giveWay = async () => void pauses++
  await run({ schema: true, document: 1 }, { ports, giveWay, premium: true })
  expect(pauses).toBe(2)
})

test("the first run compiles each part of a meta-schema once, not again for each of its vocabularies", () => {
  const script = `
    const { canonicalUri, getKeyword } = await import("@hyperjump/json-schema/experimental")
    const { validate } = await import("${join(import.meta.dir, "validate.ts")}")
    const counts = {}
    const keyword = getKeyword("https://json-schema.org/keyword/ref")
    const { compile } = keyword
    keyword.compile = (schema, ast, parent) => {
      const place = canonicalUri(parent)
      counts[place] = (counts[place] ?? 0) + 1
      return compile(schema, ast, parent)
    }
    await validate(true, 1)
    console.log(JSON.stringify(Object.values(counts)))`
  const { stdout, stderr } = Bun.spawnSync([process.execPath, "-e", script], { cwd: import.meta.dir })
  expect(stderr.toString()).toBe("")
  const counts: readonly number[] = JSON.parse(stdout.toString())
  expect([counts.length > 10, Math.max(...counts)]).toEqual([true, 1])
})
