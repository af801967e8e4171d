import { Type } from "@sinclair/typebox"
import { defineIsolatedApi, premium } from "../contract.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"
import { problemList } from "./raw-html.ts"

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
    text: field.text("The Markdown.", { maxLength: 100_000 }),
    dialect: field.optional.choice(
      "GitHub Flavored Markdown, or CommonMark without its extensions.",
      ["gfm", "commonmark"],
      "gfm",
    ),
    heading_ids: field.optional.flag("Whether headings get their `anchor` as `id`, for links to them.", {
      default: false,
    }),
  }),
  output: Type.Object({
    html: field.text(
      "The HTML, without `html` and `body`. Harmless HTML in the Markdown is kept: tags for text, tables, lists, links and pictures, without styles. Of classes, only the language of code is kept.",
    ),
    headings: field.rows("The headings, in their order. Those written as HTML are left out.", {
      level: field.integer("The level, from 1 to 6.", { minimum: 1, maximum: 6 }),
      text: field.text("The text, without markup."),
      anchor: field.text("A name for links, which no other heading has: `heading-getting-started`."),
    }),
    table_of_contents: premium(
      field.text("The headings as nested lists with links to the anchors, in HTML; empty without headings."),
    ),
    problems: problemList,
  }),
  examples: storedExamples(stored, answers),
  isolated: { limitMs: 1_000, isBounded: () => true },
})
