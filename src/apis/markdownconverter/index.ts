import { Type } from "@sinclair/typebox"
import { choice, defineIsolatedApi, premium } from "../contract.ts"
import { field, storedExamples } from "../shared.ts"
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
    html: field.text(
      "The HTML, without `html` and `body`. Harmless HTML in the Markdown is kept: tags for text, tables, lists, links and pictures, without styles. Of classes, only the language of code is kept.",
    ),
    headings: field.rows("The headings, in their order. Those written as HTML are left out.", {
      level: Type.Integer({ minimum: 1, maximum: 6, description: "The level, from 1 to 6." }),
      text: field.text("The text, without markup."),
      anchor: field.text("A name for links, which no other heading has: `heading-getting-started`."),
    }),
    table_of_contents: premium(
      field.text("The headings as nested lists with links to the anchors, in HTML; empty without headings."),
    ),
    problems: problemList,
  }),
  examples: storedExamples(stored, answers),
  isolated: { limitMs: 1_000 },
})
