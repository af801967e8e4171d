import Builder from "fast-xml-builder"
import type { Envelope, ListPart } from "./envelope.ts"

const declaration = '<?xml version="1.0" encoding="UTF-8"?>'
const namespaces = { "@xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance" }
const nil = { "@xsi:nil": "true" }

const builder = new Builder({
  attributeNamePrefix: "@",
  ignoreAttributes: false,
  suppressBooleanAttributes: false,
  suppressEmptyNode: true,
  maxNestedTags: 0,
  processEntities: false,
  tagValueProcessor: (_name, value) => (typeof value === "string" ? toCharacterData(value) : value),
})

/**
 * XML 1.0: a `response` element with `status`, `error` and `data`. Null is an empty element with `xsi:nil="true"`,
 * an array `x` is one `<x>` for each item (none when empty; an array within an array is an `<x>` of `<x>`s), and
 * characters that XML cannot carry are U+FFFD.
 */
export function encodeXml({ status, error, data }: Envelope): string {
  const content = { status, error: toNode("error", error), data: toNode("data", data) }
  return declaration + builder.build({ response: { ...namespaces, ...content } })
}

/** The elements of some items of a list. */
export function encodeXmlItems({ name, items }: ListPart): string {
  const elementName = toElementName(name)
  return builder.build({ [elementName]: toNode(elementName, items) })
}

/** The builder's own terms: attributes are members that begin with "@", repeated elements are arrays. */
function toNode(name: string, value: unknown): unknown {
  if (value === null) return nil
  if (Array.isArray(value)) {
    return value.map((item) => (Array.isArray(item) ? { [name]: toNode(name, item) } : toNode(name, item)))
  }
  if (typeof value === "object") {
    const members = Object.entries(value).map(([key, member]) => {
      const memberName = toElementName(key)
      return [memberName, toNode(memberName, member)]
    })
    return Object.fromEntries(members)
  }
  // -0 is written as JSON writes it.
  return typeof value === "number" ? String(value) : value
}

/** An element name cannot begin with a digit, nor hold anything that would end the tag (XML 1.0 §2.3). */
function toElementName(key: string): string {
  const name = key.replace(/[^\w.-]/g, "_")
  return /^[A-Za-z_]/.test(name) ? name : `_${name}`
}

/**
 * What XML 1.0 forbids (§2.2) and what a parser would not give back: it reads a literal CR as LF (§2.11). `>` is
 * escaped because of `]]>` (§2.4). Under the `u` flag the range also leaves out lone surrogates.
 */
const special = /[&<>]|[^\t\n -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu
const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#xD;" }

function toCharacterData(text: string): string {
  return text.replace(special, (character) => escapes[character] ?? "\uFFFD")
}
