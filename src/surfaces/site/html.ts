/** Text that is HTML already. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** A value between the braces of a template: text is escaped, nothing is left out. */
export type HtmlPart = Html | string | number | readonly HtmlPart[] | null | undefined | false

/**
 * Writes HTML in which every value is text, whatever it holds. A value within a tag has to stand in double quotes.
 * @example
 * const name = "<img src=x>"
 * html`<p title="${name}">${name}</p>`.text // <p title="&lt;img src=x&gt;">&lt;img src=x&gt;</p>
 */
export function html(texts: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return new Html(String.raw({ raw: texts }, ...parts.map(toText)))
}

function toText(part: HtmlPart): string {
  if (part === null || part === undefined || part === false) return ""
  if (part instanceof Html) return part.text
  if (typeof part === "object") return part.map(toText).join("")
  return Bun.escapeHTML(String(part))
}

/** Text with code between backticks, as descriptions have it. */
export function withCode(text: string): Html {
  const pieces = text.split(/`([^`]*)`/)
  return html`${pieces.map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : piece))}`
}

/** The first sentence of a description, for lists. A full stop within a word or a number ends none. */
export function firstSentence(text: string): string {
  return /^.*?\.(?=\s|$)/s.exec(text)?.[0] ?? text
}
