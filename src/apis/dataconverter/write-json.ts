import { pointerTo } from "../../values/json-value.ts"
import { isList, isObject, type Leaf, Moment, type Notes, Numeral, Output, type Value } from "./values.ts"

/** Writes JSON in lines, two spaces for each level. */
export function writeJson(value: Value, notes: Notes): string {
  return `${write(value, "\n", notes)}\n`
}

/** Writes JSON in one line, for a cell or a key. */
export function writeCompactJson(value: Value): string {
  return write(value, "", null)
}

/** @param newLine begins each line; empty for a single line */
function write(root: Value, newLine: string, notes: Notes | null): string {
  const output = new Output()

  function add(value: Value, where: string, indent: string): void {
    if (!isList(value) && !isObject(value)) {
      if (value instanceof Moment) notes?.add("dates", where)
      if (value instanceof Numeral && !value.isJson) notes?.add("special_numbers", where)
      output.add(toLeaf(value))
      return
    }
    const inner = indent && `${indent}  `
    const [start = "", end = ""] = isList(value) ? "[]" : "{}"
    let separator = start
    for (const [key, item] of value.entries()) {
      output.add(separator, inner)
      if (typeof key === "string") output.add(JSON.stringify(key), indent ? ": " : ":")
      add(item, pointerTo(where, key), inner)
      separator = ","
    }
    output.add(separator === start ? start : indent, end)
  }

  add(root, "", newLine)
  return String(output)
}

function toLeaf(value: Leaf): string {
  if (value instanceof Numeral && value.isJson) return value.text
  return JSON.stringify(value instanceof Numeral || value instanceof Moment ? value.text : value)
}
