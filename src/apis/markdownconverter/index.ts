import { Type } from "@sinclair/typebox"
import { choice, defineIsolatedApi, premium } from "../contract.ts"
import { storedExamples } from "../stored-examples.ts"
import answers from "./answers.json"
import stored from "./examples.json"
import { problemList } from "./problems.ts"

export const markdownconverter = defineIsolatedApi({
  id: "markdownconverter",
  title: "Markdown converter",
  category: "text",
  keywords: ["HTML", "CommonMark", "GFM", "GitHub", "render", "sanitize", "table of contents", "headings"],
  description:
    "Converts Markdown to HTML that is safe to show: CommonMark 0.31, or GitHub Flavored Markdown with tables, task lists, strikethrough and automatic links. Scripts become text; event handlers and links that run code are removed.",
  method: "POST",
  credits: 1,
  input: Type.Object({
    text: Type.String({ maxLength: 100_000, description: "The Markdown." }),
    dialect: Type.Optional(
      choice(["gfm", "commonmark"], {
        default: "gfm",
        description: "GitHub Flavored Markdown, or CommonMark without its extensions.",
      }),
    ),
    heading_ids: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Whether headings get their `anchor` as `id`, for links to them.",
      }),
    ),
  }),
  output: Type.Object({
    html: Type.String({
      description:
        "The HTML, without `html` and `body`. Harmless HTML in the Markdown is kept: tags for text, tables, lists, links and pictures, without styles. Of classes, only the language of code is kept.",
    }),
    headings: Type.Array(
      Type.Object({
        level: Type.Integer({ minimum: 1, maximum: 6, description: "The level, from 1 to 6." }),
        text: Type.String({ description: "The text, without markup." }),
        anchor: Type.String({
          description: "A name for links, which no other heading has: `heading-getting-started`.",
        }),
      }),
      { description: "The headings, in their order. Those written as HTML are left out." },
    ),
    table_of_contents: premium(
      Type.String({
        description:
          "The headings as nested lists with links to the anchors, in HTML; empty without headings.",
      }),
    ),
    problems: problemList,
  }),
  examples: storedExamples(stored, answers),
  isolated: { limitMs: 1_000 },
})
