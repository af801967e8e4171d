import sanitizeHtml from "sanitize-html"

const headings = ["h1", "h2", "h3", "h4", "h5", "h6"]
const texts =
  "p br hr blockquote pre code em strong del ins s b i u small mark sub sup kbd samp var q cite abbr div span"
const others = "ul ol li dl dt dd table thead tbody tfoot tr th td caption details summary a img input"
const cell = ["align", "colspan", "rowspan"]

const allowedTags = new Set([...headings, ...texts.split(" "), ...others.split(" ")])

const options: sanitizeHtml.IOptions = {
  allowedTags: [...allowedTags],
  allowedAttributes: {
    a: ["href", "title"],
    abbr: ["title"],
    details: ["open"],
    img: ["src", "alt", "title", "width", "height"],
    input: ["type", "checked", "disabled"],
    ol: ["start"],
    th: cell,
    td: cell,
    ...Object.fromEntries(headings.map((name) => [name, ["id"]])),
  },
  // The language of code, for programs that colour it.
  allowedClasses: { code: ["language-*"] },
  allowedSchemes: ["http", "https", "ftp", "mailto", "tel"],
  allowedSchemesAppliedToAttributes: ["href", "src"],
  parseStyleAttributes: false,
  // Text is never left out with a tag.
  nonTextTags: [],
  // The only inputs that are kept are the boxes of task lists, which nobody can tick.
  exclusiveFilter: ({ tag, attribs }) =>
    tag === "input" && (attribs.type !== "checkbox" || attribs.disabled === undefined),
  transformTags: Object.fromEntries(headings.map((name) => [name, withoutForeignId])),
}

/**
 * Removes HTML that can run code, load anything but pictures, or look like part of the page around it. Returns the names of the
 * tags that are left out too.
 */
export function sanitize(html: string): { readonly html: string; readonly leftOut: readonly string[] } {
  const leftOut = new Set<string>()
  const onOpenTag = (name: string) => void (allowedTags.has(name) || leftOut.add(name))
  return { html: sanitizeHtml(html, { ...options, onOpenTag }), leftOut: [...leftOut] }
}

/** An `id` of any name could hide one that the scripts of a page use. */
function withoutForeignId(tagName: string, { id, ...attribs }: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  return { tagName, attribs: id?.startsWith("heading-") ? { ...attribs, id } : attribs }
}
