import fc from "fast-check"
import { readMarkdown } from "../../src/apis/markdownconverter/render.ts"
import { areEqualBut, convertAll, known } from "./markdownconverter.ts"
import { debianVersion, defineOracle, type Judgement } from "./oracle.ts"

const extensions = ["table", "strikethrough", "tasklist", "autolink"]

const words = ["a", "b c", "word", "ä", "1", "*e*", "**f**", "`x`", "&amp;", "\\*", "<b>g</b>", "!", "."]
const joined = (parts: readonly string[], between: string, maxLength = 5) =>
  fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength }).map((all) => all.join(between))

const cell = fc.oneof(joined(words, " ", 2), fc.constantFrom("", " ", "\\|", "`\\|`", "~~d~~", " padded "))
const cells = fc.array(cell, { minLength: 1, maxLength: 4 })
const line = (all: readonly string[]) => `|${all.join("|")}|`
const mark = fc.constantFrom("-", "---", ":-", "-:", ":-:", " - ", ":--:")
/** One table of four has another number of cells in its second row than in the first, so that it is none. */
const table = fc
  .tuple(cells, fc.array(mark, { minLength: 4, maxLength: 4 }), fc.array(cells, { maxLength: 4 }), fc.nat(3))
  .map(([header, marks, rows, other]) =>
    [
      line(header),
      line(marks.slice(0, other === 0 ? 2 : header.length)),
      ...rows.map((row) => line(row)),
    ].join("\n"),
  )
const tables = fc
  .tuple(
    fc.constantFrom("", "", "before\n", "# before\n", "> "),
    table,
    fc.constantFrom("", "\n\nafter", "\nafter", "\n> after", "\n# after"),
  )
  .map(([before, rows, after]) => (before === "> " ? rows.replace(/^/gm, before) : before + rows) + after)

const struck = joined(["~~", "~~", "~", "~", "a", "b", " ", "*", "**", ".", "ä", "`~~`", "\\~", "\n"], "", 8)

const tasks = fc
  .array(
    fc
      .tuple(
        fc.constantFrom("- ", "- ", "* ", "1. ", "  - ", "+ "),
        fc.constantFrom("[ ]", "[x]", "[X]", "[]", "[y]", "[ x]", "\\[ ]"),
        fc.constantFrom(" ", ""),
        joined(words, " "),
      )
      .map((parts) => parts.join("")),
    { minLength: 1, maxLength: 4 },
  )
  .map((lines) => lines.join("\n"))

const addresses = [
  ...[
    "www.a.example",
    "www.a.example/(b)",
    "www.a.example/b_c",
    "www.a_b.example",
    "www.a_b.c.example",
    "xwww.a.example",
  ],
  ...[
    "http://a.example/b",
    "https://a.example/?c=d&e",
    "https://a.example:80/#f",
    "http://",
    "http://a_b.example",
    "ftp://a.example",
  ],
  ...["a@b.example", "a.b-c+d@e.example", "a@b", "a@b.example-", "a@b_c.example", "/c_d", "b.example"],
]
const address = fc
  .tuple(
    fc.constantFrom("", "", "(", "*", "_", "x "),
    fc.constantFrom(...addresses),
    fc.constantFrom(
      "",
      "",
      ".",
      ")",
      "))",
      "*",
      "_",
      "~",
      "!)",
      "&copy;",
      "&copy",
      ";",
      ",",
      ":",
      "?",
      "<",
      "'",
      '"',
      "/",
    ),
  )
  .map((parts) => parts.join(""))
const autolinks = fc.array(address, { minLength: 1, maxLength: 3 }).map((all) => all.join(" "))

/** HTML as XHTML has it, without the line break at the end. */
function normal(html: string): string {
  return html.replaceAll(" />", ">").trimEnd()
}

const linkTag = /<\/?a\b[^>]*>/g

/** Where a section is named, it is one of the specification of GFM 0.29. */
const gfmKnown: readonly Judgement<string, string>[] = [
  {
    reason:
      "runs of one and of two tildes, struck text alone: where two of different lengths meet, cmark-gfm sometimes looks for an earlier or later one; the specification (6.5) only says that they strike in pairs",
    fits: (text, ours, theirs) =>
      /(?<!~)~(?!~)/.test(text) && /(?<!~)~~(?!~)/.test(text) && areEqualBut(/<\/?del>|~/g, ours, theirs),
  },
  {
    reason:
      "stars beside tildes, emphasis and struck text alone: cmark-gfm looks past tildes for what stands beside a star, of which the specification says nothing",
    fits: (text, ours, theirs) =>
      /~[\s\S]*\*|\*[\s\S]*~/.test(text) && areEqualBut(/<\/?(?:em|strong|del)>|[_*~]/g, ours, theirs),
  },
  {
    reason:
      "an underscore or a full stop right after a domain, with a difference of links alone: neither is part of the address (6.9); cmark-gfm takes it for the last part of the domain where more text follows, and is wrong",
    fits: (text, ours, theirs) =>
      /(?:www\.|:\/\/)[a-z.]*_[a-z._]*/.test(text) && areEqualBut(linkTag, ours, theirs),
  },
  ...known,
]

export const oracle = defineOracle<string, string>({
  api: "markdownconverter",
  against: "cmark-gfm",
  cases: 8_000,
  generate: fc.oneof(tables, struck, tasks, autolinks),
  version: () => debianVersion("cmark-gfm"),
  ours: async (text) => normal(readMarkdown(text, "gfm").write()),
  theirs: async (texts) =>
    (await convertAll(["cmark-gfm", "--unsafe", ...extensions.flatMap((name) => ["-e", name])], texts)).map(
      normal,
    ),
  known: gfmKnown,
})

export { suites } from "./suites/markdownconverter.ts"
