import { createEscape } from "./escape.ts"
import { type Encoded, type Envelope, encodeTree, type Layout, type Place } from "./tree.ts"

const declaration = '<?xml version="1.0" encoding="UTF-8"?>'
const namespace = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'

/**
 * XML 1.0: a `response` element with `status`, `error` and `data`. Null is an empty element with `xsi:nil="true"`. An array
 * `x` is one `<x>` for each item; in a nested array each `<x>` holds `<x>`s. Characters that XML cannot carry become U+FFFD.
 */
export function encodeXml({ status, error, data }: Envelope): Encoded {
  return encodeTree(xmlLayout, { status, error, data }, { text: "response", isItem: false, depth: 0 })
}

/** The text of a place is the name of the element. */
export const xmlLayout: Layout = {
  isAbsent: (member) => member === undefined || (Array.isArray(member) && member.length === 0),
  begin(place, isList) {
    if (place.depth === 0) return `${declaration}<response ${namespace}>`
    return isFlat(place, isList) ? "" : `<${place.text}>`
  },
  end: (place, isList) => (isFlat(place, isList) ? "" : `</${place.text}>`),
  empty: (place, isList) => (isFlat(place, isList) ? "" : `<${place.text}/>`),
  member: (_parent, name) => toElementName(name),
  item: ({ text }) => text,
  scalar({ text: name }, value) {
    if (value === null) return `<${name} xsi:nil="true"/>`
    // As in JSON, -0 becomes 0.
    const text = typeof value === "string" ? toCharacterData(value) : String(value)
    return text === "" ? `<${name}/>` : `<${name}>${text}</${name}>`
  },
  longText: ({ text: name }) => ({ before: `<${name}>`, escape: toCharacterData, after: `</${name}>` }),
}

/** A list has no element, unless it is an item of another list. */
function isFlat({ isItem }: Place, isList: boolean): boolean {
  return isList && !isItem
}

/** An element name cannot begin with a digit or hold a character that would end the tag (XML 1.0 §2.3). */
function toElementName(key: string): string {
  if (/^[A-Za-z_][\w.-]*$/.test(key)) return key
  const name = key.replace(/[^\w.-]/g, "_")
  return /^[A-Za-z_]/.test(name) ? name : `_${name}`
}

/** XML 1.0 forbids these (§2.2) or reads CR as LF (§2.11) and `]]>` as an end (§2.4). `u` makes lone surrogates match. */
const special = /[&<>]|[^\t\n -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u

const controls = Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code))
const escapeText = createEscape([
  ...[...controls, "\uFFFE", "\uFFFF"]
    .filter((character) => special.test(character))
    .map((character) => [character, "\uFFFD"] as const),
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ["\r", "&#xD;"],
])

/** Characters that `Bun.escapeHTML` writes in another way; for all other text it is eight times as fast. */
const notForHtml = /["'\r]|[^\t\n -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u

function toCharacterData(text: string): string {
  if (!special.test(text)) return text
  return notForHtml.test(text) ? escapeText(text.toWellFormed()) : Bun.escapeHTML(text)
}
