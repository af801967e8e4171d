import { SaxesParser } from "saxes"
import { pointerTo } from "../../values/json-value.ts"
import { reject } from "../contract.ts"
import {
  isList,
  isObject,
  type Leaf,
  Moment,
  type Notes,
  type ObjectValue,
  Output,
  toText,
  type Value,
} from "./values.ts"

/** The surroundings of an element: its place in the data, the white space before it, and the declared namespace prefixes. */
interface Context {
  readonly where: string
  readonly indent: string
  readonly prefixes: ReadonlySet<string>
}

/** Writes XML 1.0 in lines, two spaces for each level. The reverse of `readXml`. */
export function writeXml(value: Value, notes: Notes): string {
  const output = new Output()

  function writeElement(key: string, item: Value, context: Context): void {
    if (isList(item)) notes.add("nested_lists", context.where)
    const object = isList(item) ? new Map([["item", item]]) : item
    if (isObject(object)) writeObject(key, object, context)
    else writeLeaf(key, object, context)
  }

  function writeLeaf(key: string, item: Leaf, { where, indent, prefixes }: Context): void {
    const name = toName(key, prefixes, where, notes)
    const text = escapeText(item, where, notes)
    output.add(indent, "<", name, ...(text === "" ? ["/>"] : [">", text, "</", name, ">"]))
  }

  function writeObject(key: string, object: ObjectValue, { where, indent, prefixes: outer }: Context): void {
    const { attributes, text, children } = divide(object)
    const prefixes = new Set([...outer, ...attributes.map(([name]) => name.replace(/^@(xmlns:)?/, ""))])
    const name = toName(key, prefixes, where, notes)
    if (attributes.length === 0 && children.length === 0) notes.add("simple_objects", where)
    output.add(indent, "<", name)
    for (const [attribute, item] of attributes) {
      const at = pointerTo(where, attribute)
      output.add(
        " ",
        toName(attribute.slice(1), prefixes, at, notes),
        '="',
        escapeAttribute(item, at, notes),
        '"',
      )
    }
    const content = text === undefined ? "" : escapeText(text, pointerTo(where, "#text"), notes)
    if (text !== undefined && (content === "" || children.length > 0)) notes.add("mixed_content", where)
    if (content === "" && children.length === 0) {
      output.add("/>")
      return
    }
    output.add(">", content)
    // White space next to text would become part of the text.
    const inner = content === "" && indent !== "" ? `${indent}  ` : ""
    for (const [child, item] of children)
      writeChild(child, item, { where: pointerTo(where, child), indent: inner, prefixes })
    if (inner !== "") output.add(indent)
    output.add("</", name, ">")
  }

  function writeChild(key: string, item: Value, context: Context): void {
    if (!isList(item)) {
      writeElement(key, item, context)
      return
    }
    if (item.length < 2) notes.add("short_lists", context.where)
    for (const [index, one] of item.entries())
      writeElement(key, one, { ...context, where: pointerTo(context.where, index) })
  }

  output.add('<?xml version="1.0" encoding="UTF-8"?>')
  const [key, item] = soleElement(value)
  if (key === undefined) notes.add("root", "")
  const where = key === undefined ? "" : pointerTo("", key)
  writeElement(key ?? "root", item, { where, indent: "\n", prefixes: new Set(["xml"]) })
  const xml = `${output}\n`
  requireNamespaces(xml)
  return xml
}

/** The key and value of an object that makes a single element. The key is undefined for any other value. */
function soleElement(value: Value): readonly [string | undefined, Value] {
  if (!isObject(value) || value.size !== 1) return [undefined, value]
  const {
    children: [child],
  } = divide(value)
  return child && !isList(child[1]) ? child : [undefined, value]
}

function divide(object: ObjectValue) {
  const attributes: [string, Leaf][] = []
  const children: [string, Value][] = []
  let text: Leaf | undefined
  for (const [key, value] of object) {
    if (isList(value) || isObject(value)) children.push([key, value])
    else if (key === "#text") text = value
    else if (key.startsWith("@") && isName(key.slice(1))) attributes.push([key, value])
    else children.push([key, value])
  }
  return { attributes, text, children }
}

const start =
  "A-Z_a-z\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{2FF}\\u{370}-\\u{37D}\\u{37F}-\\u{1FFF}\\u{200C}\\u{200D}\\u{2070}-\\u{218F}\\u{2C00}-\\u{2FEF}\\u{3001}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFFD}\\u{10000}-\\u{EFFFF}"
const rest = `${start}.0-9\\u{B7}\\u{300}-\\u{36F}\\u{203F}-\\u{2040}-`
/** A name with or without a prefix (Namespaces in XML 1.0 §4). */
const qualifiedName = new RegExp(`^[${start}][${rest}]*(?::[${start}][${rest}]*)?$`, "u")
const notInName = new RegExp(`[^${rest}]|^[^${start}]`, "gu")

function isName(text: string): boolean {
  return qualifiedName.test(text)
}

/** A key as an XML name. Characters that names cannot have become codes, as in ISO 9075-14 §9.1: `_x0020_` is a space. */
function toName(key: string, prefixes: ReadonlySet<string>, where: string, notes: Notes): string {
  const [prefix, local] = key.split(":")
  const isDeclared = local === undefined || prefix === "xmlns" || prefixes.has(prefix ?? "")
  if (isDeclared && isName(key)) return key
  notes.add("names", where)
  const name = key.replace(/_(?=x[0-9A-F]{4,6}_)/g, "_x005F_").replace(notInName, toCode)
  return name === "" ? "_" : name
}

function toCode(character: string): string {
  return `_x${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}_`
}

const codes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\t": "&#x9;",
  "\n": "&#xA;",
  "\r": "&#xD;",
}

function escapeText(value: Leaf, where: string, notes: Notes): string {
  return toAllowed(value, where, notes).replace(/[&<>\r]/g, (character) => codes[character] ?? "")
}

function escapeAttribute(value: Leaf, where: string, notes: Notes): string {
  return toAllowed(value, where, notes).replace(/[&<>"\t\n\r]/g, (character) => codes[character] ?? "")
}

function toAllowed(value: Leaf, where: string, notes: Notes): string {
  if (value instanceof Moment) notes.add("dates", where)
  else if (typeof value !== "string") notes.add("types", where)
  // XML 1.0 §2.2
  return toText(value).replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, () => {
    notes.add("characters", where)
    return "\ufffd"
  })
}

/** Refuses data with wrong declarations of namespaces, such as `@xmlns:xml`. */
function requireNamespaces(xml: string): void {
  if (!xml.includes("xmlns")) return
  const parser = new SaxesParser({ xmlns: true })
  parser.on("error", ({ message }) =>
    reject(
      "text",
      `cannot be written as XML with namespaces: ${message
        .replace(/^\d+:\d+: /, "")
        .replace(/\.$/, "")
        .slice(0, 300)}`,
    ),
  )
  parser.write(xml).close()
}
