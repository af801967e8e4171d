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

export const maxDepth = 100

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
