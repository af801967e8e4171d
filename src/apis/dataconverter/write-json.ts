import { pointerTo } from "../../values/json-pointer.ts"
import type { Notes } from "./notes.ts"
import { isList, isObject, Moment, Numeral, Output, type Value } from "./values.ts"

/** Writes JSON in lines, two spaces for each level. */
export function writeJson(value: Value, notes: Notes): string {
  const output = new Output()

  function write(one: Value, where: string, indent: string): void {
    const inner = `${indent}  `
    if (isList(one) && one.length > 0) {
      for (const [index, item] of one.entries()) {
        output.add(index === 0 ? "[" : ",", inner)
        write(item, pointerTo(where, index), inner)
      }
      output.add(indent, "]")
    } else if (isObject(one) && one.size > 0) {
      let separator = "{"
      for (const [key, item] of one) {
        output.add(separator, inner, JSON.stringify(key), ": ")
        write(item, pointerTo(where, key), inner)
        separator = ","
      }
      output.add(indent, "}")
    } else {
      if (one instanceof Moment) notes.add("dates", where)
      if (one instanceof Numeral && !one.isJson) notes.add("special_numbers", where)
      output.add(toLeaf(one))
    }
  }

  write(value, "", "\n")
  return `${output}\n`
}

/** Writes JSON in one line, for a cell or a key. */
export function writeCompactJson(value: Value): string {
  const output = new Output()
  function write(one: Value): void {
    if (isList(one)) {
      for (const [index, item] of one.entries()) {
        output.add(index === 0 ? "[" : ",")
        write(item)
      }
      output.add(one.length === 0 ? "[]" : "]")
    } else if (isObject(one)) {
      let separator = "{"
      for (const [key, item] of one) {
        output.add(separator, JSON.stringify(key), ":")
        write(item)
        separator = ","
      }
      output.add(one.size === 0 ? "{}" : "}")
    } else output.add(toLeaf(one))
  }
  write(value)
  return String(output)
}

function toLeaf(value: Value): string {
  if (isList(value)) return "[]"
  if (isObject(value)) return "{}"
  if (value instanceof Numeral && value.isJson) return value.text
  return JSON.stringify(value instanceof Numeral || value instanceof Moment ? value.text : value)
}
