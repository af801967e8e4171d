import Library, { type MarkdownIt, type StateInline, type Token } from "markdown-it"
import { once } from "../../values/once.ts"
import { autolinks } from "./autolinks.ts"

const tilde = 0x7e
/** Strikes text between one or two tildes (GFM 0.29, section 6.5). The library takes two alone, also those of a longer run. */
function addStrikethrough({ inline }: MarkdownIt): void {
  inline.ruler.at("strikethrough", (state, silent) => {
    if (silent || state.src.charCodeAt(state.pos) !== tilde) return false
    const { length, can_open: open, can_close: close } = state.scanDelims(state.pos, true)
    state.push("text", "", 0).content = "~".repeat(length)
    if (length < 3)
      state.delimiters.push({
        marker: tilde,
        length,
        token: state.tokens.length - 1,
        end: -1,
        open,
        close,
      })
    state.pos += length
    return true
  })
  inline.ruler2.at("strikethrough", (state) => {
    for (const delimiters of [state.delimiters, ...state.tokens_meta.map((meta) => meta?.delimiters ?? [])])
      strike(state, delimiters)
    return true
  })
}

/** Two marks that meet strike only if both are one tilde, or both are two. */
function strike({ tokens }: StateInline, delimiters: StateInline["delimiters"]): void {
  for (const { marker, token, end } of delimiters) {
    const left = tokens[token]
    const right = tokens[delimiters[end]?.token ?? -1]
    if (marker !== tilde || !left || left.content !== right?.content) continue
    Object.assign(left, { type: "s_open", tag: "del", nesting: 1, content: "" })
    Object.assign(right, { type: "s_close", tag: "del", nesting: -1, content: "" })
  }
}

type Dialect = "gfm" | "commonmark"

/** Creates a reader and writer of Markdown. HTML in the Markdown stays: its output is not safe to show. */
function createMarkdown(dialect: Dialect) {
  const isGfm = dialect === "gfm"
  const markdown = isGfm ? new Library({ html: true, linkify: true }) : new Library("commonmark")
  // `sanitize` removes dangerous links later, also those in the HTML of the document.
  markdown.validateLink = () => true
  // The library leaves the line break out of an empty quotation.
  markdown.renderer.rules.blockquote_open = (tokens, index, options, _env, renderer) =>
    `${renderer.renderToken(tokens, index, options).trimEnd()}\n`
  // The library leaves escaped characters, entities and code out of the alternative text of pictures.
  markdown.renderer.renderInlineAsText = (tokens) => textOf(tokens, true)
  countBrackets(markdown)
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

/** A line's text without markup: of a heading, or, with its tags, of a picture (CommonMark 0.31.2, section 6.4). */
export function textOf(tokens: readonly Token[], hasTags = false): string {
  const parts = tokens.map(({ type, content, children }) => {
    if (type === "softbreak" || type === "hardbreak") return " "
    if (type === "image") return textOf(children ?? [], hasTags)
    return type !== "html_inline" || hasTags ? content : ""
  })
  return parts.join("")
}

/** Lets brackets of links and pictures count next to stars (CommonMark 0.31.2, 6.2). The library takes them for blanks. */
function countBrackets({ inline, core }: MarkdownIt): void {
  const { parse } = inline
  inline.State = class extends inline.State {
    override scanDelims(start: number, canSplitWord: boolean) {
      const whole = Object.assign(Object.create(this), { posMax: this.src.length })
      return super.scanDelims.call(whole, start, canSplitWord)
    }
  }
  core.ruler.at("inline", ({ tokens, md, env }) => {
    for (const { type, content, children } of tokens)
      if (type === "inline") parse.call(inline, content, md, env, children ?? [])
  })
  // The library reads the text of pictures alone by this.
  inline.parse = (text, ...rest) => {
    const state = Object.assign(new inline.State(`[${text}]`, ...rest), { pos: 1, posMax: text.length + 1 })
    inline.tokenize(state)
    for (const rule of inline.ruler2.getRules("")) rule(state)
  }
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

const markdownFor = {
  gfm: once(() => createMarkdown("gfm")),
  commonmark: once(() => createMarkdown("commonmark")),
}

/** Reads Markdown. Its tokens may be changed before it is written, as HTML that is not safe to show. */
export function readMarkdown(text: string, dialect: Dialect) {
  const markdown = markdownFor[dialect]()
  const env = {}
  // As in cmark, the last line counts as ended, even without a line break.
  const tokens = markdown.parse(text.endsWith("\n") ? text : `${text}\n`, env)
  return { tokens, write: () => markdown.renderer.render(tokens, markdown.options, env) }
}
