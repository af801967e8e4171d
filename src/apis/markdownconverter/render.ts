import MarkdownIt, { type Token } from "markdown-it"

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
  if (!isGfm) return markdown
  markdown.renderer.rules.s_open = () => "<del>"
  markdown.renderer.rules.s_close = () => "</del>"
  // GFM makes links of addresses that begin with http, https or www, but not of any name with a dot.
  markdown.linkify.set({ fuzzyLink: false, fuzzyIP: false })
  const afterScheme = (text: string, place: number) => {
    const length = text.startsWith("//", place) ? lengthOfAddress(text, place + 2) : 0
    return length === 0 ? 0 : length + 2
  }
  for (const scheme of ["http:", "https:", "ftp:"]) markdown.linkify.add(scheme, { validate: afterScheme })
  markdown.linkify.add("www.", {
    validate: lengthOfAddress,
    normalize(match: { url: string }) {
      match.url = `http://${match.url}`
    },
  })
  markdown.core.ruler.after("inline", "tasks", ({ tokens }) => {
    markTasks(tokens)
    alignCells(tokens)
  })
  return markdown
}

const address = /[\p{L}\p{N}_-][^\s<]*/uy

/**
 * The length of an address, as GFM says (extended autolinks): without punctuation or an entity at its end, and without closing
 * brackets that it does not open; 0 if one of the last two parts of the domain has an underscore.
 */
function lengthOfAddress(text: string, place: number): number {
  address.lastIndex = place
  const found = address.exec(text)?.[0] ?? ""
  let unopened = found.split(")").length - found.split("(").length
  let end = found.length
  while (end > 0) {
    const last = found.charAt(end - 1)
    if (last === ")" && unopened > 0) unopened--
    else if (!/[?!.,:;*_~'"]/.test(last)) break
    // `&copy;` at the end is the character that it stands for.
    const entity =
      last === ";" ? (/&[a-z\d]+;$/i.exec(found.slice(Math.max(0, end - 40), end))?.[0] ?? ";") : last
    end -= entity.length
  }
  const [domain = ""] = /^[\p{L}\p{N}._-]+/u.exec(found.slice(0, end)) ?? []
  const hasUnderscore = domain.split(".").slice(-2).join("").includes("_")
  return hasUnderscore ? 0 : end
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
