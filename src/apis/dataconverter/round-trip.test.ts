/** Data that a format can hold comes back from it as it was. A conversion that changes anything has a warning. */
import { expect, test } from "bun:test"
import fc from "fast-check"
import { anyCharacter } from "../../../test/support/any-character.ts"
import { runIsolated } from "../../../test/support/run-isolated.ts"
import { type Format, run } from "./run.ts"

const others = ["yaml", "xml", "csv", "toml"] as const
const convert = (text: string, from: Format, to: Format) => runIsolated(run, { text, from, to })

/** Texts that one of the formats could mistake for something else. */
const awkward = [
  ..."|yes|no|on|null|Null|~|true|1|-1|+1|1.5|.5|1.|1e5|0x1F|0o17|0b1|1_000|1:30|2001-01-01|2001-01-01T00:00:00Z|.inf|.nan|inf".split(
    "|",
  ),
  ..."- a|? a|: a|a: b|a #b|#a|&a|*a|!a|!!int 1|%a|@a|`a|[a|]|{a|}|,|'|\"|'a'|\"a\"|\\|<|>|<<|=|---|...|a:|-|?|--- a".split(
    "|",
  ),
  "|",
  ...">| |  a|a  |\t|\ta|a\n|\na|a\nb|a\n\nb\n\n|a\r\nb|\r|\u0085|\u00a0a|\u2028|\ufeffa".split("|"),
  ...[
    "<a>",
    "]]>",
    "&amp;",
    "&#65;",
    "<!--",
    "-->",
    'a"b,c',
    "a,b",
    "\u007f",
    "\u0080",
    "é",
    "日本",
    "😀",
    "\ud83d\ude00x",
    "x".repeat(1_100),
    `${"word ".repeat(300)}`,
  ],
  ..."__proto__|constructor|toString|#text|@a|item|root|value|a b|a.b|1a|xmlns|x:y|_x0020_|-a|.a|hasOwnProperty|length".split(
    "|",
  ),
]
const text = fc.oneof(
  fc.constantFrom(...awkward),
  fc.string({ unit: anyCharacter, maxLength: 6 }),
  fc.string({ maxLength: 10 }),
)
const number = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => JSON.stringify(one)),
  fc.constantFrom(
    ..."9007199254740993 -0 1.0 1.50 1E5 -1e-07 1e400 0.1000000000000000055511151231257827".split(" "),
    "9223372036854775807",
  ),
)

/** JSON text, whose numbers have digits that a double has not. */
const { value: anyJson } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom("null", "true", "false"),
    number,
    text.map((one) => JSON.stringify(one)),
    fc.array(tie("value"), { maxLength: 4 }).map((items) => `[${items.join(",")}]`),
    fc.dictionary(text, tie("value"), { maxKeys: 4 }).map(toObject),
  ),
}))
function toObject(members: Readonly<Record<string, string>>): string {
  return `{${Object.entries(members).map(([key, value]) => `${JSON.stringify(key)}:${value}`)}}`
}

/** Data with each number as the text of its exact value, in an order that does not depend on that of keys. */
function exact(json: string): unknown {
  const marked = json.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g, (token) =>
    token.startsWith('"') ? token : `{"number":"${toExact(token)}"}`,
  )
  return JSON.parse(marked)
}
function toExact(number: string): string {
  const [, minus = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(number) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, "")
  const short = digits.replace(/0+$/, "")
  return short === ""
    ? "0"
    : `${minus}${short}e${Number(exponent) - fraction.length + digits.length - short.length}`
}

test.each(others)("data converted to %s and back is the same, or there is a warning", (format) =>
  fc.assert(
    fc.asyncProperty(anyJson, async (json) => {
      const there = await convert(json, "json", format)
      const back = await convert(there.text, format, "json")
      if (there.problems.length + back.problems.length > 0) return
      expect(exact(back.text)).toEqual(exact(json))
    }),
    { seed: 26, numRuns: 100 },
  ),
)

test("YAML of many items, which is written in parts, is that of one", async () => {
  const texts = Array.from({ length: 2_500 }, (_, index) => `{"a":"${index}\\nb","c":[${index}]}`)
  const yaml = (index: number, indent: string) =>
    `a: |-\n  ${indent}${index}\n  ${indent}b\n${indent}c:\n${indent}  - ${index}\n`
  const list = await convert(`[${texts}]`, "json", "yaml")
  expect(list.text).toBe(texts.map((_, index) => `- ${yaml(index, "  ")}`).join(""))
  const object = await convert(`{${texts.map((text, index) => `"k${index}":${text}`)}}`, "json", "yaml")
  expect(object.text).toBe(texts.map((_, index) => `k${index}:\n  ${yaml(index, "  ")}`).join(""))
})

const xmlName = fc.constantFrom("a", "b", "c-d", "É", "item", "__proto__", "@a", "@b")
const { node: xmlNode } = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    text.filter((one) => !/[^\t\n\r\x20-\ufffd]/.test(one)).map((one) => JSON.stringify(one)),
    fc.dictionary(xmlName, tie("node"), { minKeys: 1, maxKeys: 3 }).map(toObject),
  ),
}))

test.each<[Format, fc.Arbitrary<string>]>([
  ["yaml", anyJson],
  [
    "csv",
    fc
      .array(fc.tuple(text, text), { minLength: 1, maxLength: 5 })
      .map((rows) => JSON.stringify(rows.map(([a, b]) => ({ a, "b,": b })))),
  ],
  ["xml", xmlNode.map((node) => `{"root":{"@x":"","a":[${node},"y"]}}`)],
  ["toml", anyJson.filter((json) => !json.includes("null")).map((json) => `{"a":${json}}`)],
])("%s holds all of what fits, without a warning", async (format, data) => {
  let lossless = 0
  await fc.assert(
    fc.asyncProperty(data, async (json) => {
      const there = await convert(json, "json", format)
      const back = await convert(there.text, format, "json")
      if (there.problems.length + back.problems.length > 0) return
      lossless++
      expect(exact(back.text)).toEqual(exact(json))
    }),
    { seed: 27, numRuns: 80 },
  )
  expect(lossless).toBeGreaterThan(40)
})

test.each(others)("%s that was converted to itself is the same when it is converted again", (format) =>
  fc.assert(
    fc.asyncProperty(anyJson, async (json) => {
      const { text: once } = await convert(json, "json", format)
      const { text: again } = await convert(once, format, format)
      expect((await convert(again, format, format)).text).toBe(again)
    }),
    { seed: 28, numRuns: 60 },
  ),
)
