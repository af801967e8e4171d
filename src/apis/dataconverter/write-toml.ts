import { pointerTo } from "../../values/json-value.ts"
import {
  isList,
  isObject,
  Moment,
  type Notes,
  Numeral,
  type ObjectValue,
  Output,
  type Value,
} from "./values.ts"

/** Writes TOML 1.0: values of a table first, then the tables in it. */
export function writeToml(value: Value, notes: Notes): string {
  const output = new Output()

  function writeTable(table: ObjectValue, path: string, where: string): void {
    const parts = [...table].map(([key, item]) => ({ key, item, at: pointerTo(where, key) }))
    for (const { key, item, at } of parts) {
      if (isObject(item) || isTables(item)) continue
      if (item === null) notes.add("nulls", at)
      else writePair(key, item, at)
    }
    for (const { key, item, at } of parts) {
      const inner = path === "" ? toKey(key) : `${path}.${toKey(key)}`
      if (isObject(item)) writeSection(`[${inner}]`, item, inner, at)
      else if (isTables(item))
        for (const [index, one] of item.entries())
          writeSection(`[[${inner}]]`, one, inner, pointerTo(at, index))
    }
  }

  function writeSection(header: string, table: ObjectValue, path: string, where: string): void {
    output.add(header, "\n")
    writeTable(table, path, where)
  }

  function writePair(key: string, item: Value, where: string): void {
    output.add(toKey(key), " = ")
    writeInline(item, where)
    output.add("\n")
  }

  function writeInline(item: Value, where: string): void {
    if (isList(item)) {
      output.add("[")
      for (const [index, one] of item.entries()) {
        if (index > 0) output.add(", ")
        writeInline(one, pointerTo(where, index))
      }
      output.add("]")
    } else if (isObject(item)) {
      let separator = "{ "
      for (const [key, one] of item) {
        if (one === null) {
          notes.add("nulls", pointerTo(where, key))
          continue
        }
        output.add(separator, toKey(key), " = ")
        writeInline(one, pointerTo(where, key))
        separator = ", "
      }
      output.add(separator === "{ " ? "{}" : " }")
    } else output.add(toLeaf(item, where, notes))
  }

  if (isObject(value)) writeTable(value, "", "")
  else {
    notes.add("root", "")
    writeTable(new Map([["root", value]]), "", "")
  }
  return String(output)
}

function isTables(value: Value): value is readonly ObjectValue[] {
  return isList(value) && value.length > 0 && value.every(isObject)
}

function toLeaf(value: Value, where: string, notes: Notes): string {
  if (value instanceof Moment) return value.text
  if (value instanceof Numeral) {
    if (!isLargeInteger(value)) return value.text
    notes.add("large_integers", where)
    return toBasicString(value.text)
  }
  if (value === null) notes.add("nulls", where)
  return typeof value === "string" ? toBasicString(value) : value === null ? '""' : String(value)
}

/** TOML has integers of 64 bits. Readers refuse larger ones. */
function isLargeInteger({ text }: Numeral): boolean {
  return /^-?\d+$/.test(text) && BigInt.asIntN(64, BigInt(text)) !== BigInt(text)
}

function toKey(key: string): string {
  return /^[\w-]+$/.test(key) ? key : toBasicString(key)
}

function toBasicString(text: string): string {
  return JSON.stringify(text).replaceAll("\x7f", "\\u007f")
}
