import { Document, type Scalar } from "yaml"
import { toEscape } from "../../values/hidden-characters.ts"
import { pointerTo } from "../../values/json-value.ts"
import { yamlEscapes } from "../../values/yaml-escapes.ts"
import { isList, isObject, Moment, type Notes, Numeral, requireLength, type Value } from "./values.ts"

/**
 * Numbers keep their digits. Exponents get a point and a sign, which YAML 1.1 requires; many programs still read that version.
 */
const numerals = {
  tag: "tag:yaml.org,2002:float",
  default: true,
  identify: (value: unknown) => value instanceof Numeral,
  resolve: (text: string) => new Numeral(text),
  stringify: ({ value }: Scalar) => (value instanceof Numeral ? toYamlNumber(value) : String(value)),
}

/** Text to be written in quotes with escapes. The library writes some texts in a form that readers of YAML 1.1 refuse. */
class Escaped {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const escapedTexts = {
  tag: "tag:yaml.org,2002:str",
  default: true,
  identify: (value: unknown) => value instanceof Escaped,
  resolve: (text: string) => text,
  stringify: ({ value }: Scalar) =>
    JSON.stringify(value instanceof Escaped ? value.text : value).replace(yamlEscapes, toEscape),
}

/** Writes YAML that has the same meaning in versions 1.1 and 1.2. */
export function writeYaml(value: Value, notes: Notes): string {
  measure(value)
  // Outside lists and objects, the library writes lines without indentation, which YAML 1.1 does not know.
  if (typeof value === "string" && value.includes("\n")) return writeWhole(new Escaped(value))
  if (isList(value) && value.length > partLength) {
    const plain = (item: Value, index: number) => toPlain(item, pointerTo("", index), notes)
    return writeInParts(value, (items, first) => items.map((item, index) => plain(item, first + index)))
  }
  if (isObject(value) && value.size > partLength)
    return writeInParts([...value], (entries) => toPlain(new Map(entries), "", notes))
  return writeWhole(toPlain(value, "", notes))
}

/** Lists and objects with more items are written so many at a time: the library takes a hundred times the memory of a text. */
const partLength = 1_000

function writeInParts<Item>(
  items: readonly Item[],
  toPlainPart: (items: readonly Item[], first: number) => unknown,
): string {
  const parts: string[] = []
  for (let first = 0; first < items.length; first += partLength)
    parts.push(writeWhole(toPlainPart(items.slice(first, first + partLength), first)))
  return parts.join("")
}

function writeWhole(plain: unknown): string {
  const document = new Document(plain, {
    schema: "core",
    customTags: [numerals, escapedTexts],
    aliasDuplicateObjects: false,
    compat: "yaml-1.1",
  })
  return document.toString({ lineWidth: 0 })
}

/** The data in the library's form, without dates, which the core schema of YAML lacks. */
function toPlain(value: Value, where: string, notes: Notes): unknown {
  if (isList(value)) return value.map((item, index) => toPlain(item, pointerTo(where, index), notes))
  if (isObject(value))
    return new Map(
      [...value].map(([key, item]) => [toPlainText(key), toPlain(item, pointerTo(where, key), notes)]),
    )
  if (typeof value === "string") return toPlainText(value)
  if (!(value instanceof Moment)) return value
  notes.add("dates", where)
  return value.text
}

/** A text that is only `=` has another meaning in YAML 1.1. */
function toPlainText(text: string): string | Escaped {
  return text.search(yamlEscapes) < 0 && text !== "=" ? text : new Escaped(text)
}

/** Refuses data that is too long, before it is written. */
function measure(value: Value): void {
  let length = 0
  const add = (one: Value, depth: number): void => {
    if (isList(one)) for (const item of one) add(item, depth + 1)
    else if (isObject(one))
      for (const [key, item] of one) {
        length += key.length
        add(item, depth + 1)
      }
    else length += typeof one === "string" ? one.length : 1
    length += depth
    requireLength(length)
  }
  add(value, 1)
}

function toYamlNumber({ text, isJson }: Numeral): string {
  if (!isJson) return text.replace(/inf|nan/, ".$&")
  return text.replace(
    /^(-?\d+)(\.\d+)?[eE]([-+]?)(\d+)$/,
    (_, whole: string, fraction = ".0", sign = "+", digits: string) =>
      `${whole}${fraction}e${sign || "+"}${digits}`,
  )
}
