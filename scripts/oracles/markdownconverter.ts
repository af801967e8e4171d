import fc from "fast-check"
import { readMarkdown } from "../../src/apis/markdownconverter/render.ts"
import { answersTo, debianVersion, defineOracle, type Judgement, run } from "./oracle.ts"

/** Parts that mean something at the begin of a line, and inside of it. */
const begin = fc.constantFrom(
  ..."- |* |+ |1. |2) |> |# |## |    |  |\t|```|~~~|---|===|***|<div>|</div>|<!-- |[a]: /b|-|1.".split("|"),
)
const inner = fc.constantFrom(
  ...'a|b|word|ä|1| |  |*|**|***|_|__|`|``|[|]|(|)|![|](/u)|](/u "t")|[a]|<b>|</b>|<https://x.example>|&amp;|&copy;|&#35;|&'.split(
    "|",
  ),
  ...["\\", "\\*", "\\[", '"', "<", ">", "!", ".", ",", "~", "#", "-->", "http://x.example"],
)
const line = fc
  .tuple(fc.array(begin, { maxLength: 3 }), fc.array(inner, { maxLength: 8 }))
  .map(([first, rest]) => [...first, ...rest].join(""))
const document = fc.array(fc.oneof({ weight: 4, arbitrary: line }, fc.constant("")), { maxLength: 8 })

const withoutSpace = (html: string): string => html.replace(/\s+/g, "")

export const areEqualBut = (part: RegExp, ours: string, theirs: string): boolean =>
  withoutSpace(ours.replace(part, "")) === withoutSpace(theirs.replace(part, ""))

/** Where the specification is meant, it is CommonMark 0.31.2. */
export const known: readonly Judgement<string, string>[] = [
  {
    reason:
      "white space alone: it strips the begin of lines inside of code and alternative texts, and ends a line before HTML in a tight list",
    fits: (_text, ours, theirs) => withoutSpace(ours) === withoutSpace(theirs),
  },
  {
    reason:
      "a line right after a link definition: for it the line goes on with the paragraph that held the definition, for the library something new can begin; the specification does not say",
    fits: (text) => /\[a\]: \/b.*\n[ \t]*[^ \t\n]/.test(text),
  },
  {
    reason:
      "comments and declarations such as <!a>: those of CommonMark 0.31 (4.6 and 6.6), of which it has older ones",
    fits: (text) => /<!(?:--|[a-zA-Z])/.test(text),
  },
  {
    reason:
      "a line that is indented by a tab or four columns and has the mark of a quotation, below a paragraph: that is no mark (5.1: at most three spaces); the library is wrong",
    fits: (text) => /[^\n]\n(?: {0,3}\t| {4,})\s*>/.test(text),
  },
  {
    reason:
      "a line that is indented by four columns right below a paragraph of an item or a quotation: it goes on with the paragraph (4.4: indented code cannot interrupt one; 5.1 and 5.2, laziness); the library takes it for code and is wrong",
    fits: (text, ours, theirs) =>
      /[^\n]\n(?: {0,3}\t| {4,})[^\n]*\S/.test(text) &&
      countOf("<pre><code>", ours) > countOf("<pre><code>", theirs),
  },
  {
    reason:
      "emphasis alone, with runs of one and of two underscores: where the rule of three (6.2, rules 9 and 10) forbids a pair, it looks at no earlier run for later ones of any length; the appendix keeps that by length, as the library does",
    fits: (text, ours, theirs) =>
      /(?<!_)_(?!_)/.test(text) &&
      text.includes("__") &&
      areEqualBut(/<\/?(?:em|strong)>|[_*]/g, ours, theirs),
  },
  {
    reason:
      "whether a list is loose alone, with a blank line beside a link definition or a line across the page: it is loose (5.3, example 317), and cmark is wrong",
    fits: (text, ours, theirs) =>
      areEqualBut(/<\/?p>/g, ours, theirs) &&
      countOf("<p>", ours) > countOf("<p>", theirs) &&
      /^(?:[*+>-]|\d+[.)]|\s)*(?:(?:[*_-]\s*){3,}|\[a\]: \/b.*)$/m.test(text),
  },
  {
    reason:
      "whether a list is loose alone, with a blank line at the end of code that an item does not close: the line is part of the code (5.3, example 318), and the library is wrong",
    fits: (text, ours, theirs) =>
      areEqualBut(/<\/?p>/g, ours, theirs) && /(?:```|~~~)[^\n]*\n\s*\n/.test(text),
  },
  {
    reason: "an empty item and two blank lines: the list goes on after them (5.3), and the library is wrong",
    fits: (text) => /^[ >]*(?:[*+-]|\d+[.)])[ \t]*\n(?:[ \t]*\n){2}/m.test(text),
  },
  {
    reason: "entities in addresses in angle brackets: they are read (2.5), and the library is wrong",
    fits: (text) => /<[a-z][a-z\d+.-]{1,31}:[^\s<>]*&[^\s<>]*>/i.test(text),
  },
  {
    reason: "a reference right before an open bracket alone: the library does not see it and is wrong (6.3)",
    fits: (text, ours, theirs) => text.includes("[a](") && areEqualBut(/<\/?a\b[^>]*>|[[\]]/g, ours, theirs),
  },
  {
    reason:
      "an entity after a backslash in the name of a code block's language or the address of a definition: the backslash makes it no entity (2.4), but it reads one",
    fits: (text) => /^.*(?:```|~~~|\[a\]: \/b).*\\&/m.test(text),
  },
]

/** A program's output for each text. */
export const convertAll = (command: string[], texts: readonly string[]): Promise<readonly string[]> =>
  answersTo(texts, async (text) => {
    const { code, out, err } = await run(command, text)
    if (code !== 0) throw new Error(`${command[0]} failed: ${err}`)
    return out
  })

const countOf = (part: string, html: string): number => html.split(part).length - 1

export const oracle = defineOracle<string, string>({
  api: "markdownconverter",
  against: "cmark",
  cases: 10_000,
  generate: document.map((lines) => lines.join("\n")),
  version: () => debianVersion("cmark"),
  ours: async (text) => readMarkdown(text, "commonmark").write(),
  theirs: (texts) => convertAll(["cmark", "--unsafe"], texts),
  known,
})
