import { SaxesParser, type SaxesTagNS } from "saxes"
import { explainXml } from "../../values/xml-mistake.ts"
import { type Notes, type Place, refuse, requireDepth, type Value } from "./values.ts"

interface OpenElement {
  readonly name: string
  readonly attributes: Map<string, Value>
  readonly children: Map<string, Value[]>
  text: string
  /** The name of the previous child. */
  last: string
}

/**
 * Reads XML 1.0 with namespaces. An element with attributes or children becomes an object: `@name` for attributes, `#text` for
 * text, and a list where a child is repeated; any other becomes its text. The declaration of a document type is not read.
 */
export function readXml(text: string, notes: Notes): Value {
  const parser = new SaxesParser({ xmlns: true })
  const place = (): Place => ({ line: parser.line, column: parser.column + 1 })
  const open: OpenElement[] = []
  const root = new Map<string, Value>()

  parser.on("error", (error) => refuse("XML", place(), explainXml(error)))
  parser.on("comment", () => notes.add("comments", place))
  parser.on("processinginstruction", () => notes.add("instructions", place))
  parser.on("doctype", () => notes.add("doctype", place))
  parser.on("opentag", ({ name, attributes }: SaxesTagNS) => {
    const parent = open.at(-1)
    if (parent && parent.last !== name && parent.children.has(name)) notes.add("element_order", place)
    if (parent) parent.last = name
    const own = Object.entries(attributes).map(([key, { value }]) => [`@${key}`, value] as const)
    open.push({ name, attributes: new Map(own), children: new Map(), text: "", last: "" })
    requireDepth(open.length, place)
  })
  const addText = (part: string) => {
    const element = open.at(-1)
    if (element) element.text += part
  }
  parser.on("text", addText)
  parser.on("cdata", addText)
  parser.on("closetag", () => {
    const element = open.pop()
    if (!element) return
    const { name, children, text: content } = element
    if (children.size > 0 && content.trim() !== "") notes.add("mixed_content", place)
    const value = toValue(element)
    const siblings = open.at(-1)?.children
    if (siblings) siblings.getOrInsertComputed(name, () => []).push(value)
    else root.set(name, value)
  })
  parser.write(text).close()
  return root
}

function toValue({ attributes, children, text }: OpenElement): Value {
  if (attributes.size === 0 && children.size === 0) return text
  const object = new Map(attributes)
  for (const [name, values] of children) object.set(name, values.length === 1 ? (values[0] ?? "") : values)
  const isText = children.size > 0 ? text.trim() !== "" : text !== ""
  if (isText) object.set("#text", text)
  return object
}
