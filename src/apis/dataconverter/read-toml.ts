import { type AST, ParseError, parseTOML } from "toml-eslint-parser"
import { explain } from "./mistakes.ts"
import {
  addKey,
  Moment,
  type Notes,
  Numeral,
  type Place,
  placeAt,
  refuse,
  requireDepth,
  type Value,
} from "./values.ts"

/** Reads TOML 1.1. The parser also refuses repeated keys. */
export function readToml(text: string, notes: Notes): Value {
  requireShallow(text)
  const lone = text.search(/\r(?!\n)/)
  if (lone >= 0) refuse("TOML", placeAt(text, lone), "a carriage return must be followed by a line feed")
  const { body, comments } = parse(text)
  for (const comment of comments) notes.add("comments", () => toPlace(comment))
  const root = new Map<string, Value>()
  for (const part of body[0].body) {
    if (part.type === "TOMLKeyValue") readKeyValue(root, part)
    else {
      const table = openTable(root, part.resolvedKey, toPlace(part))
      for (const entry of part.body) readKeyValue(table, entry, part.resolvedKey.length)
    }
  }
  return root
}

function parse(text: string): AST.TOMLProgram {
  try {
    return parseTOML(text, { tomlVersion: "1.1" })
  } catch (thrown) {
    if (!(thrown instanceof ParseError)) throw thrown
    refuse("TOML", { line: thrown.lineNumber, column: thrown.column + 1 }, explain("TOML", thrown.message))
  }
}

/** A text without an end is a token too: looking for its end from each of its quotes would take time by its square. */
const tokens =
  /"""[^"\\]*(?:"{0,2}(?:\\[\s\S]|[^"\\])[^"\\]*)*("{3,5}|)|'''[^']*(?:''?[^']+)*('{3,5}|)|"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*("|)|'[^'\n]*('|)|#[^\n]*|[[\]{}]/g

/** Refuses deep nesting, with which the parser would overflow the stack. */
function requireShallow(text: string): void {
  let depth = 0
  for (const found of text.matchAll(tokens)) {
    const [token, ...ends] = found
    // The parser refuses a text without an end, and reads nothing after it.
    if (ends.includes("")) return
    if (token === "[" || token === "{") requireDepth(++depth, () => placeAt(text, found.index))
    else if (token === "]" || token === "}") depth--
  }
}

function toPlace({ loc }: { readonly loc: AST.SourceLocation }): Place {
  return { line: loc.start.line, column: loc.start.column + 1 }
}

type Open = Map<string, Value> | Value[]

/** The table that a header names, which is added if needed. Numbers in the path are indexes in a list of tables. */
function openTable(root: Map<string, Value>, path: readonly (string | number)[], place: Place) {
  requireDepth(path.length + 1, () => place)
  let at: Open = root
  for (const [index, key] of path.entries()) at = enter(at, key, typeof path[index + 1] === "number")
  return at instanceof Map ? at : new Map()
}

function enter(at: Open, key: string | number, isList: boolean): Open {
  const found = at instanceof Map ? at.get(String(key)) : at[Number(key)]
  if (found instanceof Map || Array.isArray(found)) return found
  const made: Open = isList ? [] : new Map()
  if (at instanceof Map) at.set(String(key), made)
  else at[Number(key)] = made
  return made
}

function readKeyValue(table: Map<string, Value>, entry: AST.TOMLKeyValue, depth = 0): void {
  const names = entry.key.keys.map((key) => (key.type === "TOMLBare" ? key.name : key.value))
  const place = () => toPlace(entry)
  requireDepth(depth + names.length, place)
  const last = names.pop() ?? ""
  let at: Open = table
  for (const name of names) at = enter(at, name, false)
  if (at instanceof Map) addKey(at, last, readValue(entry.value, depth + names.length + 1), place)
}

function readValue(node: AST.TOMLContentNode, depth: number): Value {
  requireDepth(depth, () => toPlace(node))
  if (node.type === "TOMLArray") return node.elements.map((element) => readValue(element, depth + 1))
  if (node.type === "TOMLInlineTable") {
    const table = new Map<string, Value>()
    for (const entry of node.body) readKeyValue(table, entry, depth)
    return table
  }
  if (node.kind === "string" || node.kind === "boolean") return node.value
  if (node.kind === "integer") return new Numeral(String(node.bigint))
  if (node.kind !== "float") return new Moment(node.datetime)
  return new Numeral(
    node.number.replaceAll("_", "").replace("+nan", "nan").replace("-nan", "nan").replace(/^\+/, ""),
  )
}
