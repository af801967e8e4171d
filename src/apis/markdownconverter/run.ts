import { escapeHidden } from "../../values/hidden-characters.ts"
import { shorten } from "../../values/text.ts"
import type { RunOf } from "../contract.ts"
import { findHeadings, toContents } from "./headings.ts"
import type { markdownconverter } from "./index.ts"
import { problem, showUnsafeTags } from "./raw-html.ts"
import { readMarkdown } from "./render.ts"
import { sanitize } from "./sanitize.ts"

export const run: RunOf<typeof markdownconverter> = (
  { text, dialect = "gfm", heading_ids = false },
  { premium },
) => {
  const document = readMarkdown(text, dialect)
  const { asText, instructions } = showUnsafeTags(document.tokens)
  const headings = findHeadings(document.tokens, heading_ids)
  const { html, leftOut } = sanitize(document.write())
  const problems = [
    ...(asText > 0 ? [problem("html_as_text", "text", asTextSentence(asText))] : []),
    ...(instructions > 0 ? [problem("instructions_left_out", "text", instructionsSentence)] : []),
    ...(leftOut.length > 0 ? [problem("html_left_out", "text", leftOutSentence(leftOut))] : []),
  ]
  return {
    html,
    headings: [...headings],
    table_of_contents: premium ? toContents(headings) : "",
    problems,
  }
}

const instructionsSentence =
  "Text in <? ?>, <! > or CDATA is left out, as browsers do not show it. To show it, put it in backticks."

function asTextSentence(count: number): string {
  return `HTML that would hide the text after it is shown as text${count > 1 ? ` (${count.toLocaleString("en-US")} times)` : ""}.`
}

function leftOutSentence(names: readonly string[]): string {
  const shown = names.slice(0, 10).map((name) => `<${shorten(escapeHidden(name), 50)}>`)
  const more = names.length > shown.length ? " and others" : ""
  return `Tags that are not allowed are left out: ${shown.join(", ")}${more}. To show one as text, put it in backticks.`
}
