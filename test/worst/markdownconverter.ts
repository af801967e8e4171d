import type { WorstInputs } from "../support/worst-inputs.ts"

const length = 100_000
const fill = (piece: string) => piece.repeat(Math.floor(length / piece.length))
const texts: Readonly<Record<string, string>> = {
  "nested emphasis": fill("*a **b "),
  "emphasis that closes nothing": fill("a**bc* "),
  stars: fill("*"),
  "nested list items, 4 kB": "- ".repeat(2_000),
  "nested list items": fill("- "),
  "lists that go one level deeper each line": Array.from(
    { length: 400 },
    (_, depth) => `${"  ".repeat(depth)}- a`,
  ).join("\n"),
  "nested quotations": fill("> "),
  "quotations of lists": fill("> - "),
  "brackets that open": fill("["),
  "brackets of links": fill("[a]("),
  "links in links": fill("[a](b)"),
  "nested pictures": fill("!["),
  references: fill("[a]: b\n"),
  "references of other names":
    Array.from({ length: 8_000 }, (_, index) => `[${index}]: b\n`).join("") + "[1]".repeat(3_000),
  "backticks of growing length": Array.from({ length: 440 }, (_, index) => `${"`".repeat(index)}a`).join(" "),
  entities: fill("&amp;"),
  "nested tags": fill("<div>"),
  "tags that open": fill("<a"),
  "comments that open": fill("<!-- a "),
  "processing instructions that open": fill("a <?"),
  "declarations that open": fill("a <!A "),
  addresses: fill("http://a.b "),
  "mail addresses": fill("a@b.example "),
  www: fill("www."),
  "www after underscores": fill("_www."),
  "an address with brackets": `http://a.b/${fill("(")}`,
  "a table of many columns": `|${"a|".repeat(20_000)}\n|${"-|".repeat(20_000)}\n${"|\n".repeat(9_000)}`,
  "rows of a table": `|a|b|\n|-|-|\n${fill("|a|b|\n").slice(0, 90_000)}`,
  "headings of one name": fill("# a\n"),
  underlines: fill("a\n=\n"),
  tildes: fill("~~a"),
  backslashes: fill("\\\\"),
  spaces: `a${fill(" ")}b`,
  "lines of spaces": fill(" \n"),
}

/** The slowest inputs, and inputs that are known to be slow in other converters. */
export const worst: WorstInputs = Object.fromEntries(
  Object.entries(texts).map(([what, text]) => [what, { text: text.slice(0, length), heading_ids: true }]),
)

/** The two that take longest. */
export const inCheck = ["www", "a table of many columns"]
