import { defineProblems } from "../../values/problems.ts"
import { reject } from "../contract.ts"

/** Data of any of the five formats. Objects are maps, which keep the order of keys and treat `__proto__` like other keys. */
export type Value = null | boolean | string | Numeral | Moment | readonly Value[] | ObjectValue
export type ObjectValue = ReadonlyMap<string, Value>
/** A value that is neither a list nor an object. */
export type Leaf = Exclude<Value, readonly Value[] | ObjectValue>

/** A number as text, so that each digit is kept: a number of JSON (RFC 8259 §6), or `inf`, `-inf` or `nan`. */
export class Numeral {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  /** Whether it is a number of JSON. */
  get isJson(): boolean {
    return !/[in]/.test(this.text)
  }
  /** Whether a double cannot hold it: it would become infinite, or zero. */
  get isHuge(): boolean {
    const double = Number(this.text)
    return this.isJson && (!Number.isFinite(double) || (double === 0 && /^-?[0.]*[1-9]/.test(this.text)))
  }
}

/** A date or time of TOML as it was written. Other formats have text for it. */
export class Moment {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value)
}

export function isObject(value: Value): value is ObjectValue {
  return value instanceof Map
}

export function toText(value: Leaf): string {
  if (value === null) return ""
  return typeof value === "object" ? value.text : String(value)
}

/** A place in the input. Lines and columns are counted from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

export function placeText({ line, column }: Place): string {
  return `line ${line}, column ${column}`
}

/** The place of the character at an offset. */
export function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf("\n") + 1
  return { line: before.split("\n").length, column: offset - lineStart + 1 }
}

/** Refuses text that is not valid in its format, for a reason in a clause. */
export function refuse(format: string, place: Place, reason: string): never {
  reject("text", `is not valid ${format} at ${placeText(place)}: ${reason}`)
}

const maxDepth = 100

export function requireDepth(depth: number, place: () => Place): void {
  if (depth > maxDepth)
    reject("text", `must have at most ${maxDepth} levels of nesting, and has more at ${placeText(place())}`)
}

/** Adds a key, which must be new. */
export function addKey<V>(object: Map<string, V>, key: string, value: V, place: () => Place): void {
  if (object.has(key))
    reject("text", `must not have a key twice: ${JSON.stringify(key.slice(0, 100))} at ${placeText(place())}`)
  object.set(key, value)
}

const maxLength = 1_000_000

/** Text that grows up to a limit. Without one, a long key that is written for each of many rows would fill the memory. */
export class Output {
  readonly #parts: string[] = []
  #length = 0
  add(...parts: readonly string[]): void {
    for (const part of parts) {
      this.#length += part.length
      this.#parts.push(part)
    }
    requireLength(this.#length)
  }
  toString(): string {
    return this.#parts.join("")
  }
}

/** Refuses an output of more than 1,000,000 characters. */
export function requireLength(length: number): void {
  if (length > maxLength) reject("text", "must make an answer of at most 1,000,000 characters")
}

const kinds = {
  comments: "warning: comments are left out",
  anchors: "info: a YAML alias is replaced by a copy of the value that it refers to",
  tags: "warning: a YAML tag is left out, and its value is read without it",
  tag_misfit: "warning: a YAML tag such as !!int does not fit its value, which is read without it",
  yaml_1_1_forms:
    "info: programs of YAML 1.1 read it otherwise: yes, no, on and off as true or false, 0755 as octal, 12:30:00, 1_000 and 0b11 as numbers",
  documents: "info: several YAML documents become one list",
  key_as_text: "warning: a key that is not text becomes text",
  yaml_1_1:
    "warning: the document says that it is YAML 1.1; it is read as 1.2, where yes, no, on, off, 0777 and 1:30 mean something else",
  doctype: "warning: the document type declaration is left out, with its entities and default values",
  instructions: "warning: processing instructions are left out",
  mixed_content: "warning: the text around the elements is joined in #text, and its position is lost",
  element_order: "warning: elements of the same name are grouped; the order of the others among them is lost",
  other_delimiter:
    "warning: the first row has no comma, but semicolons or tabs: set 'delimiter' if they part the columns",
  separator_line: "info: the first line, sep= and a character, names what parts the columns; it is no row",
  short_rows: "warning: a row has fewer fields than the first; the others are empty",
  huge_numbers:
    "warning: a number is beyond the range of a double (about 5e-324 to 1.8e308): most programs read it as zero or as infinity",
  header_alone: "warning: the names of columns are left out, since there are no rows",
  dates: "warning: a date or time of TOML becomes text",
  special_numbers: "warning: infinity or not-a-number becomes text",
  large_integers: "warning: a whole number of more than 64 bits becomes text",
  types: "warning: a number, true, false or null becomes text",
  nulls: "warning: null is left out of an object, and becomes empty text in a list",
  short_lists: "warning: a list of one item reads back as that item, and an empty one is left out",
  nested_lists: "warning: a list in a list becomes an element with elements named item",
  simple_objects: "warning: an object that is empty or has only #text reads back as text",
  names: "warning: a key that is not a name in XML is written with codes, such as _x0020_ for a space",
  root: "info: the data is put under the name root, since the format needs one object around everything",
  rows: "info: CSV is a list of objects: one object becomes a list of one, and an item that is not an object goes to the column value",
  nested_cells: "warning: a list or an object becomes JSON in a cell",
  missing_cells: "warning: an object lacks a key that others have; its cell is empty",
  characters: "warning: a character that the format does not allow becomes U+FFFD",
} as const

type Code = keyof typeof kinds

/** The schema of the problems, and what makes one. */
export const { problemList, problem } = defineProblems<Code>(kinds)

/** Collects what a conversion loses or changes: for each kind the first place, and how often it occurs. */
export class Notes {
  readonly #found = new Map<Code, { readonly where: string; count: number }>()

  /**
   * Adds a loss or change.
   * @param where a JSON Pointer into the data that is written, or a function that returns the place in the text that was read
   */
  add(code: Code, where: string | (() => Place)): void {
    const found = this.#found.get(code)
    if (found) {
      found.count++
      return
    }
    const place = typeof where === "string" ? where.slice(0, 200) || "root" : placeText(where())
    this.#found.set(code, { where: place, count: 1 })
  }

  toList() {
    return [...this.#found].map(([code, { where, count }]) => {
      const words = kinds[code].replace(/^\w+: /, "")
      const times = count > 1 ? ` (${count.toLocaleString("en-US")} times)` : ""
      return problem(code, where, `${words.charAt(0).toUpperCase()}${words.slice(1)}${times}.`)
    })
  }
}
