/** Unreadable text is refused with its place, in words of our own, and the cost of a text is bounded by its length. */
import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Glob } from "bun"
import fc from "fast-check"
import { runIsolated } from "../../../test/support/run-isolated.ts"
import { InputRejected } from "../contract.ts"
import { type Format, run } from "./run.ts"

const convert = (text: string, from: Format, to: Format) => runIsolated(run, { text, from, to })

test.each<[what: string, from: Format, text: string, line: number, column: number, reason: string]>([
  ["no JSON", "json", '{"a": tru}', 1, 7, "a text must be in quotation marks"],
  ["an empty text", "json", "", 1, 1, "a value must follow"],
  ["a comment", "json", "[1] // one", 1, 5, "there are no comments in JSON"],
  ["a tab for indentation", "yaml", "a:\n\tb: 1", 2, 1, ""],
  ["an unknown alias", "yaml", "a: *b", 1, 4, "there is no anchor 'b' before it"],
  ["an alias in itself", "yaml", "&a [*a]", 1, 5, "an alias inside the value that it refers to"],
  ["NUL", "yaml", 'a: "\0"', 1, 5, "a control character must be escaped"],
  ["NUL", "xml", "<a>\0</a>", 1, 5, "it has a character that XML does not allow there"],
  ["an open element", "xml", "<a>\n<b></a>", 2, 8, "a closing tag fits no open element"],
  ["an attribute twice", "xml", '<a x="1" x="2"/>', 1, 17, "the attribute 'x' is there twice"],
  ["a prefix without a namespace", "xml", "<a:b/>", 1, 7, "the prefix 'a' has no namespace"],
  ["its own entity", "xml", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", 1, 37, "an entity is unknown"],
  ["an open quote", "csv", 'a\n"b', 2, 1, "a quote that begins here has no end"],
  ["text behind a quote", "csv", '"a"b', 1, 4, "a comma or a new line must follow"],
  ["a day that does not exist", "toml", "a = 2021-02-30", 1, 14, "a date or time must exist"],
  ["a key twice", "toml", "a = 1\na = 2", 2, 1, "a key must not be there twice"],
  ["a table that is a value", "toml", "a = 1\n[a.b]", 2, 2, "a key must not be there twice"],
  ["a carriage return alone", "toml", "a = 1\rb = 2", 1, 6, "a carriage return must be"],
])("%s in %s is not valid, with its place", (_what, from, text, line, column, reason) =>
  expect(convert(text, from, "json")).rejects.toThrow(
    `The 'text' parameter is not valid ${from.toUpperCase()} at line ${line}, column ${column}: ${reason}`,
  ),
)

const tooDeep = "have at most 100 levels of nesting, and has more"
const deeperLines = Array.from({ length: 400 }, (_, depth) => `${" ".repeat(depth)}a:\n`).join("")
const longRow = "have 2 fields in each row, as in the first one, and has 3 in the row"
const surrogate = "be Unicode text, without half of a surrogate pair"

test.each<[what: string, from: Format, text: string, rule: string, line: number, column: number]>([
  ["a key twice", "json", '{"a": 1,\n "a": 2}', 'not have a key twice: "a"', 2, 2],
  ["a key twice by an escape", "json", '{"a": 1, "\\u0061": 2}', 'not have a key twice: "a"', 1, 10],
  ["a key twice", "yaml", "a: 1\na: 2", 'not have a key twice: "a"', 2, 1],
  ["a number and a text as a key", "yaml", "1: a\n'1': b", 'not have a key twice: "1"', 2, 1],
  ["a column twice", "csv", "a,b,a", 'not have a key twice: "a"', 1, 5],
  ["a lone surrogate", "csv", "a\n\ud800", surrogate, 2, 1],
  ["a row that is too long", "csv", "a,b\n1,2\n1,2,3", longRow, 3, 1],
  ["101 levels", "json", "[".repeat(101), tooDeep, 1, 101],
  ["100,000 levels", "json", "[".repeat(100_000), tooDeep, 1, 101],
  ["100,000 levels", "yaml", "[".repeat(100_000), tooDeep, 1, 101],
  ["100,000 lists in a line", "yaml", "- ".repeat(100_000), tooDeep, 1, 201],
  ["400 lines, each deeper", "yaml", deeperLines, tooDeep, 100, 100],
  ["60,000 nested elements", "xml", "<a>".repeat(60_000), tooDeep, 1, 304],
  ["90,000 nested lists", "toml", `a = ${"[".repeat(90_000)}`, tooDeep, 1, 105],
  [
    "90,000 lists after quotes in a text",
    "toml",
    `a = """"\\"""b"""""\nb = ${"[".repeat(90_000)}`,
    tooDeep,
    2,
    105,
  ],
  [
    "90,000 lists after a quote in a comment",
    "toml",
    `# \u2028"\nb = ${"[".repeat(90_000)}`,
    tooDeep,
    2,
    105,
  ],
  ["a key of 90,000 parts", "toml", `a${".a".repeat(90_000)} = 1`, tooDeep, 1, 1],
])("%s in %s is refused with its place", (_what, from, text, rule, line, column) =>
  expect(convert(text, from, "json")).rejects.toThrow(
    `The 'text' parameter must ${rule} at line ${line}, column ${column}`,
  ),
)

const letters = [..."abcdefghijklm"]
const aliases = letters.map(
  (letter, index) => `${letter}: &${letter} [${`*${letters[index - 1] ?? "z"},`.repeat(9)}]`,
)
const longAlias = `- &a ${"x".repeat(90_000)}\n${"- *a\n".repeat(20_000)}`
const longName = "x".repeat(90_000)
const columns = Array.from({ length: 15_000 }, (_, index) => `{"k${index}":1}`)
const manyCopies = "must have aliases that copy at most 100,000 values"
const tooLong = "must make an answer of at most 1,000,000"

test.each<[what: string, from: Format, to: Format, text: string, refusal: string]>([
  ["aliases of aliases", "yaml", "json", `z: &z 1\n${aliases.join("\n")}`, manyCopies],
  ["aliases of a long text", "yaml", "json", longAlias, tooLong],
  ["aliases of a long text", "yaml", "yaml", longAlias, tooLong],
  ["a long name of a column", "csv", "json", `${longName}\n${"1\n".repeat(50_000)}`, tooLong],
  ["a long name of an element", "json", "xml", `{"${longName}": [${"1,".repeat(50_000)}1]}`, tooLong],
  ["a long name of a table", "json", "toml", `{"${longName}": [${"{},".repeat(30_000)}{}]}`, tooLong],
  ["many columns in as many rows", "json", "csv", `[${columns}]`, tooLong],
])("%s, from %s to %s, do not fill the memory", async (_what, from, to, text, refusal) => {
  expect(text.length).toBeLessThan(200_000)
  await expect(convert(text, from, to)).rejects.toThrow(refusal)
})

test("no refusal has a text of a library", async () => {
  const root = join(import.meta.dir, "../../../node_modules")
  const literals = /(["'`])((?:(?!\1)[^\\\n])+)\1/g
  const texts = ["yaml/dist", "toml-eslint-parser/lib", "saxes", "jsonc-parser/lib/esm"].flatMap((folder) =>
    [...new Glob("**/*.{js,mjs}").scanSync(join(root, folder))].flatMap((file) =>
      [...readFileSync(join(root, folder, file), "utf8").matchAll(literals)].flatMap(([, , literal = ""]) =>
        literal.split(/\$\{[^}]*\}|\{\{.*?\}\}/).filter((part) => part.length > 12 && / \w/.test(part)),
      ),
    ),
  )
  expect(texts.length).toBeGreaterThan(150)
  const pieces =
    '{ } [ ] : , " \' - ? & * ! !!int |  > # % @ ` = . a 1 0x -- --- ... <a> </a> <b <!-- ]]> &x; &amp; <?xml ?> \\x \\ [[a]] a=1 b.c= 1979-05-32 """ _ 0'.split(
      " ",
    )
  const from = fc.constantFrom<Format>("json", "yaml", "xml", "toml", "csv")
  const text = fc.array(
    fc.oneof(fc.constantFrom(...pieces), fc.constantFrom(" ", "\n", "\n  ", "\t", "\u0001")),
    { maxLength: 12 },
  )
  let refused = 0
  await fc.assert(
    fc.asyncProperty(from, text, async (format, parts) => {
      const message = await convert(parts.join(""), format, "json").then(
        () => "",
        (error: unknown) => {
          if (!(error instanceof InputRejected)) throw error
          refused++
          return error.message
        },
      )
      expect(texts.filter((one) => message.includes(one))).toEqual([])
    }),
    { numRuns: 3_000 },
  )
  expect(refused).toBeGreaterThan(1_000)
})
