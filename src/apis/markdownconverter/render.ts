import MarkdownIt, { type Token } from "markdown-it"
import { autolinks } from "./autolinks.ts"
import { addStrikethrough } from "./strikethrough.ts"

export type Dialect = "gfm" | "commonmark"

/** Creates a reader and writer of Markdown. HTML in the Markdown stays: its output is not safe to show. */
function createMarkdown(dialect: Dialect) {
  const isGfm = dialect === "gfm"
  const markdown = isGfm ? new MarkdownIt({ html: true, linkify: true }) : new MarkdownIt("commonmark")
  // `sanitize` removes dangerous links later, also those in the HTML of the document.
  markdown.validateLink = () => true
  // The library leaves the line break out of an empty quotation.
  markdown.renderer.rules.blockquote_open = (tokens, index, options, _env, renderer) =>
    `${renderer.renderToken(tokens, index, options).trimEnd()}\n`
  // The library leaves escaped characters, entities and code out of the alternative text of pictures.
  markdown.renderer.renderInlineAsText = alternativeText
  if (!isGfm) return markdown
  addStrikethrough(markdown)
  // GFM makes links of fewer texts than the library.
  Object.assign(markdown.linkify, autolinks)
  markdown.core.ruler.after("inline", "tasks", ({ tokens }) => {
    markTasks(tokens)
    alignCells(tokens)
  })
  return markdown
}

/** The text of what is between the brackets of a picture, without markup (CommonMark 0.31.2, section 6.4). */
function alternativeText(tokens: readonly Token[]): string {
  const parts = tokens.map(({ type, content, children }) => {
    if (type === "softbreak" || type === "hardbreak") return " "
    return type === "image" ? alternativeText(children ?? []) : content
  })
  return parts.join("")
}

/** Gives cells the attribute `align` as GFM does. The library gives them a style. */
function alignCells(tokens: readonly Token[]): void {
  for (const token of tokens) {
    if (token.type !== "th_open" && token.type !== "td_open") continue
    const side = /^text-align:(\w+)$/.exec(String(token.attrGet("style")))?.[1]
    if (side !== undefined) token.attrs = [["align", side]]
  }
}

const checkbox = {
  done: '<input type="checkbox" checked="" disabled=""> ',
  open: '<input type="checkbox" disabled=""> ',
}

/** Puts checkboxes into list items that begin with `[ ]` or `[x]` (GFM, task list items). */
function markTasks(tokens: readonly Token[]): void {
  for (const [index, token] of tokens.entries()) {
    const [text] = token.children ?? []
    const isFirst =
      tokens[index - 1]?.type === "paragraph_open" && tokens[index - 2]?.type === "list_item_open"
    const mark = isFirst && text?.type === "text" ? /^\[([ xX])\]\s/.exec(text.content) : null
    if (!mark || !text || !token.children) continue
    const box = Object.assign(Object.create(Object.getPrototypeOf(text)), text, {
      type: "html_inline",
      content: mark[1] === " " ? checkbox.open : checkbox.done,
    })
    text.content = text.content.slice(mark[0].length)
    token.children.unshift(box)
  }
}

const kept = new Map<Dialect, ReturnType<typeof createMarkdown>>()

function markdownFor(dialect: Dialect) {
  const markdown = kept.get(dialect) ?? createMarkdown(dialect)
  kept.set(dialect, markdown)
  return markdown
}

/** A document that was read. */
interface MarkdownDocument {
  readonly tokens: readonly Token[]
  /** Writes HTML, which is not safe to show. */
  write(): string
}

/** Reads Markdown. Its tokens may be changed before it is written. */
export function readMarkdown(text: string, dialect: Dialect): MarkdownDocument {
  const markdown = markdownFor(dialect)
  const env = {}
  // As in cmark, the last line counts as ended, even without a line break.
  const tokens = markdown.parse(text.endsWith("\n") ? text : `${text}\n`, env)
  return { tokens, write: () => markdown.renderer.render(tokens, markdown.options, env) }
}
