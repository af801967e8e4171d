import fc from "fast-check"
import { readMarkdown } from "../../src/apis/markdownconverter/render.ts"
import { debianVersion, defineOracle, run } from "./oracle.ts"

/** Parts that mean something at the begin of a line, and inside of it. */
const begin = fc.constantFrom(
  ..."- |* |+ |1. |2) |> |# |## |    |  |\t|```|~~~|---|===|***|<div>|</div>|<!-- |[a]: /b|-|1.".split("|"),
)
const inner = fc.constantFrom(
  ...["a", "b", "word", "ä", "1", " ", "  ", "*", "**", "***", "_", "__", "`", "``", "[", "]", "(", ")"],
  ...[
    "![",
    "](/u)",
    '](/u "t")',
    "[a]",
    "<b>",
    "</b>",
    "<https://x.example>",
    "&amp;",
    "&copy;",
    "&#35;",
    "&",
  ],
  ...["\\", "\\*", "\\[", '"', "<", ">", "!", ".", ",", "~", "#", "-->", "http://x.example"],
)
const line = fc
  .tuple(fc.array(begin, { maxLength: 3 }), fc.array(inner, { maxLength: 8 }))
  .map(([first, rest]) => [...first, ...rest].join(""))
const document = fc.array(fc.oneof({ weight: 4, arbitrary: line }, fc.constant("")), { maxLength: 8 })

function withoutSpace(html: string): string {
  return html.replace(/\s+/g, "")
}

function areEqualBut(part: RegExp, ours: string, theirs: string): boolean {
  return withoutSpace(ours.replace(part, "")) === withoutSpace(theirs.replace(part, ""))
}

export const oracle = defineOracle<string, string>({
  api: "markdownconverter",
  against: "cmark",
  cases: 10_000,
  generate: document.map((lines) => lines.join("\n")),
  version: () => debianVersion("cmark"),
  ours: async (text) => readMarkdown(text, "commonmark").write(),
  async theirs(texts) {
    const answers: string[] = []
    for (const text of texts) {
      const { code, out, err } = await run(["cmark", "--unsafe"], text)
      if (code !== 0) throw new Error(`cmark failed: ${err}`)
      answers.push(out)
    }
    return answers
  },
  known: [
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
      reason: "comments of HTML: those of CommonMark 0.31, of which it has version 0.30",
      fits: (text) => text.includes("<!--"),
    },
    {
      reason:
        "a line that begins with a tab and the mark of a quotation, below a paragraph: the library is wrong",
      fits: (text) => /^\t+ *>/m.test(text),
    },
    {
      reason:
        "a line that is indented by four columns right below an item whose content begins further right: the library takes it for code and is wrong",
      fits: (text) => /^ *(?:[*+-]|\d[.)]) {3,}.*\n(?: {4}|\t)/m.test(text),
    },
    {
      reason: "emphasis alone; which side is right was not examined",
      fits: (_text, ours, theirs) => areEqualBut(/<\/?(?:em|strong)>|[_*]/g, ours, theirs),
    },
    {
      reason: "whether a list is loose alone; which side is right was not examined",
      fits: (_text, ours, theirs) => areEqualBut(/<\/?p>/g, ours, theirs),
    },
    {
      reason: "a reference right before an open bracket alone: the library does not see it and is wrong",
      fits: (text, ours, theirs) =>
        text.includes("[a](") && areEqualBut(/<\/?a\b[^>]*>|[[\]]/g, ours, theirs),
    },
    {
      reason: "an entity after a backslash in the name of a code block's language: it reads the entity",
      fits: (text) => /^.*(?:```|~~~).*\\&/m.test(text),
    },
  ],
})
