import type { Token } from "markdown-it"
import { escapeHidden } from "../../values/hidden-characters.ts"
import { shorten } from "../../values/text.ts"
import type { RunOf } from "../contract.ts"
import type { markdownconverter } from "./index.ts"
import { problem, showUnsafeTags } from "./raw-html.ts"
import { readMarkdown, textOf } from "./render.ts"
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

interface Heading {
  readonly level: number
  readonly text: string
  readonly anchor: string
}

/** Anchors begin with this: an `id` of any other name could hide one that the scripts of a page use. */
const prefix = "heading-"

/** The headings of a document. With `setIds` each gets its anchor as `id`. */
function findHeadings(tokens: readonly Token[], setIds: boolean): readonly Heading[] {
  const taken = new Map<string, number>()
  return tokens.flatMap((token, index) => {
    if (token.type !== "heading_open") return []
    const text = textOf(tokens[index + 1]?.children ?? []).trim()
    const anchor = toAnchor(text, taken)
    if (setIds) token.attrSet("id", anchor)
    return [{ level: Number(token.tag.slice(1)), text, anchor }]
  })
}

/**
 * The anchor for a heading's text: its letters and digits in lower case, hyphens, and a number if another heading has the same.
 */
function toAnchor(text: string, taken: Map<string, number>): string {
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}_]+/gu) ?? []
  const slug = words.join("-").slice(0, 100).toWellFormed() || "untitled"
  let anchor = `${prefix}${slug}`
  while (taken.has(anchor)) {
    const count = (taken.get(`${prefix}${slug}`) ?? 0) + 1
    taken.set(`${prefix}${slug}`, count)
    anchor = `${prefix}${slug}-${count}`
  }
  taken.set(anchor, 0)
  return anchor
}

/** The headings as nested lists. A level that no heading has gets no list. */
function toContents(headings: readonly Heading[]): string {
  const open: number[] = []
  let html = ""
  for (const { level, text, anchor } of headings) {
    while (open.length > 1 && (open.at(-1) ?? 0) > level) {
      open.pop()
      html += "</li>\n</ul>\n"
    }
    if (open.length === 0 || (open.at(-1) ?? 0) < level) {
      open.push(level)
      html += "<ul>\n"
    } else html += "</li>\n"
    html += `<li><a href="#${Bun.escapeHTML(anchor)}">${Bun.escapeHTML(text)}</a>`
  }
  return html + "</li>\n</ul>\n".repeat(open.length)
}
