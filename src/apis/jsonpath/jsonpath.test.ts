import { expect, test } from "bun:test"
import suite from "../../../test/data/jsonpath-compliance.json"
import { runIsolated } from "../../../test/support/run-isolated.ts"
import { run } from "./run.ts"

const ask = (document: unknown, path: string) => runIsolated(run, { document, path })

/** A test of https://github.com/jsonpath-standard/jsonpath-compliance-test-suite, at the commit 7be7c1fc. */
interface SuiteCase {
  readonly name: string
  readonly selector: string
  readonly document?: unknown
  readonly result?: readonly unknown[]
  /** Where members may come in any order, the results that are right. */
  readonly results?: readonly (readonly unknown[])[]
  readonly result_paths?: readonly string[]
  readonly results_paths?: readonly (readonly string[])[]
  readonly invalid_selector?: boolean
}
const cases: readonly SuiteCase[] = suite

test("jsonpath-compliance-test-suite is there", () => expect(cases.length).toBeGreaterThan(700))

test.each(cases.map((one) => [one.name, one] as const))(
  "jsonpath-compliance-test-suite: %s",
  async (_name, one) => {
    if (one.invalid_selector) {
      // An empty path is refused before the run.
      if (one.selector === "") return
      expect(ask(null, one.selector)).rejects.toThrow("The 'path' parameter must be a JSONPath (RFC 9535); ")
      return
    }
    const answer = await ask(one.document, one.selector)
    const right = one.results?.map((values, index) => ({ values, paths: one.results_paths?.[index] })) ?? [
      { values: one.result, paths: one.result_paths },
    ]
    expect(right.map((wanted) => ({ problems: [], ...wanted }))).toContainEqual({ ...answer, problems: [] })
  },
)

test.each([
  ["a.b", "character 1: a path begins with '$'"],
  ["$[?@.a = 1]", "character 8: write == to compare"],
  ["$.", "character 3: the path ends too early"],
  ["$[?@.", "character 6: the path ends too early"],
  ["$.a b", "character 5: '.', '..' or '[' must follow, and not 'b'"],
  ["$[?count(1) > 1]", "character 10: argument 1 of count() must be a path"],
  ["$[?length(@)]", "character 4: the result of length() must be compared, as in length(@) == 1"],
  ["$[?foo(@)]", "character 4: there is no function 'foo', only length, count, match, search and value"],
  ["$[9007199254740992]", "character 3: indexes are whole numbers from -(2^53-1) to 2^53-1"],
  [
    "$[?length(@.*) > 1]",
    "character 11: argument 1 of length() must be one value: a literal, or a path without '*', '..', slices and filters",
  ],
])("%s is refused, with the place", (path, reason) =>
  expect(ask({}, path)).rejects.toThrow(`The 'path' parameter must be a JSONPath (RFC 9535); ${reason}.`),
)

// The library alone is wrong in each of these.
test.each([
  ["$[?@ == 0.5]", [0.5, 0.5]],
  ["$[?@ < 0.1e1]", [0.5, 0, 0.5]],
  ["$[?@ == 0e1]", [0]],
  ["$[?@ == -0.0]", [0]],
  ["$[4][\"\\u0001\", '\\u001F']", [1, 2]],
  ["$[:1, 4:]", [0.5, { "\u0001": 1, "\u001f": 2 }]],
])("%s finds %j", async (path, values) => {
  const document = [0.5, 1, 0, 0.5, { "\u0001": 1, "\u001f": 2 }]
  expect((await ask(document, path)).values).toEqual(values)
})

test.each([
  ["$[?@ == -01]", "character 9: '-01' is not a number of JSON"],
  ["$[?@ == 00.5]", "'00.5' is not a number of JSON"],
  ["$.a-b", "character 3: names with other characters than letters, digits and _ need quotes and brackets"],
  ["$..a-b", "names with other characters"],
  ["$[?!!@.a]", "character 5: '!' must not follow '!'"],
  // RFC 9535 section 2.3.5.1: what is compared is a literal, a path to one value or a function.
  ["$[?1 == !@.a]", "character 9: a value must follow '==', and not an expression"],
  ["$[?@.a < (1)]", "character 10: a value must follow '<', and not an expression"],
  ["$[?@.a == @.b == 1]", "only values and paths can stand beside '=='"],
  ["$[?1 < 2 < 3]", "only values and paths can stand beside '<'"],
  ["$[?(@.a == 1) == true]", "only values and paths can stand beside '=='"],
  ["$[?(@.a) == 1]", "only values and paths can stand beside '=='"],
  ["$[?(1) == 1]", "only values and paths can stand beside '=='"],
  ["$[?!@.a == 1]", "only values and paths can stand beside '=='"],
  ["$[?@.b && (@.a) != 1]", "only values and paths can stand beside '!='"],
  // RFC 9535 section 2.3.3.1: -0 is no index.
  ["$[-0]", "an index must not be -0"],
  ["$[:1 2]", "expected ':' between the numbers of a slice"],
  ["$[0:1-3]", "expected ':' between the numbers of a slice"],
  ["$['a\nb']", "control characters in quotes must be escaped"],
])("%j is no JSONPath: %s", (path, reason) => expect(ask([], path)).rejects.toThrow(reason))

test("a refusal quotes nothing that is long or hidden", async () => {
  const refusal = await ask({}, `$[?${"\u202e".repeat(1_500)}(@)]`).catch((error: Error) => error)
  if (!(refusal instanceof Error)) throw new Error("it must be refused")
  expect(refusal.message.length).toBeLessThan(300)
  expect(refusal.message).not.toContain("\u202e")
})

// The expressions of the runtime say false for it after 0.6 s.
test("regular expressions that take exponential time elsewhere are right", async () => {
  const text = `${"a".repeat(32)}!`
  expect(await ask([text], "$[?match(@, '((a+)+b|a+!)')]")).toMatchObject({ values: [text] })
  expect(await ask(["a".repeat(5_000)], "$[?match(@, '(a+)+b')]")).toMatchObject({ values: [] })
})

test.each([
  ["a.c", "a\rc", false],
  ["a.c", "a\u2028c", true],
  ["a.c", "a😀c", true],
  ["[.]", "x", false],
  ["[.]", ".", true],
  ["a\\\\.c", "abc", false],
  ["\\\\p{Lu}+", "ÄÖ", true],
  ["[^\\\\]a]", "a", false],
  ["[\\\\].]", "]", true],
  ["(a|b){2}", "ab", true],
])("regular expressions: %s and %j: %p", async (pattern, text, isMatch) =>
  expect((await ask([text], `$[?match(@, '${pattern}')]`)).values).toEqual(isMatch ? [text] : []),
)

test("regular expressions that are no I-Regexp match nothing, and are a problem", async () => {
  const { values, problems } = await ask(["a1", "b2"], "$[?search(@, '\\\\d') || search(@, '(?=a)')]")
  expect(values).toEqual([])
  expect(problems.map(({ code, severity, message }) => [code, severity, message])).toEqual([
    ["regular_expression", "warning", "The pattern '\\d' is not an I-Regexp (RFC 9485)."],
    ["regular_expression", "warning", "The pattern '(?=a)' is not an I-Regexp (RFC 9485)."],
  ])
})

test("regular expressions that repeat a part too often are refused", () =>
  expect(ask(["a"], "$[?match(@, 'a{1001}')]")).rejects.toThrow("at most 1,000 times"))

test("regular expressions may come from the document", async () =>
  expect(await ask([{ text: "ab", pattern: "a." }], "$[?match(@.text, @.pattern)].text")).toMatchObject({
    values: ["ab"],
    paths: ["$[0]['text']"],
  }))

test("the root, an inherited name, a text and a document of 100 levels", async () => {
  expect(await ask(5, "$")).toEqual({ values: [5], paths: ["$"], problems: [] })
  expect((await ask({}, "$.toString")).values).toEqual([])
  expect((await ask(["abc"], "$[0][0]")).values).toEqual([])
  const deep = JSON.parse(`${"[".repeat(100)}1${"]".repeat(100)}`)
  expect((await ask(deep, "$..[?@ == 1]")).values).toEqual([1])
})

test("more than 10,000 values are refused", async () => {
  const document = Array.from({ length: 101 }, () => Array.from({ length: 100 }, () => 1))
  expect(ask(document, "$[*][*]")).rejects.toThrow("must match at most 10,000 values")
  expect((await ask(document, "$[0:100][*]")).values).toHaveLength(10_000)
})

test("numbers beyond 2^53 are not changed without a warning, in the document and in the path", async () => {
  // RFC 8259 §6: doubles keep whole numbers up to 2^53-1 apart. JSON.parse reads 9007199254740993 as another number.
  const inDocument = await ask({ a: [{ "b/c": JSON.parse("9007199254740993") }] }, "$..a")
  expect(inDocument.problems).toEqual([
    {
      code: "large_number",
      severity: "warning",
      message: "The number at /a/0/b~1c is beyond 2^53 and may have lost digits: send it as text.",
      where: "document",
    },
  ])
  const inPath = await ask([1], "$[?@ == 9007199254740993]")
  expect(inPath.problems.map(({ code, where }) => [code, where])).toEqual([["large_number", "path"]])
  for (const path of [
    "$['9007199254740993']",
    "$[?@ == 9007199254740991]",
    "$.a9007199254740993",
    "$[?@ > 0.9007199254740993]",
  ])
    expect((await ask([9007199254740991], path)).problems).toEqual([])
})

test("names that are whole numbers come first, by size, as the documentation says", async () =>
  expect((await ask(JSON.parse('{"b": 1, "10": 2, "a": 3, "9": 4}'), "$.*")).paths).toEqual(
    "$['9'] $['10'] $['b'] $['a']".split(" "),
  ))
