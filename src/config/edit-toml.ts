import { isObject } from "../values/is-object.ts"
import { readToml } from "./file.ts"
import { ConfigError } from "./setting-name.ts"
import { type Entry, type Range, readTree, type TomlTree } from "./toml-tree.ts"

/** A value to set at a place of a TOML text, or null to remove it. */
export interface TomlEdit {
  /** The names of the tables and of the value: `["plans", "free", "premium"]`. */
  readonly path: Path
  readonly value: unknown
}

type Path = readonly string[]
type Table = Record<string, unknown>
/** Text that replaces a range. */
type Replacement = Range & { readonly text: string }

/**
 * Changes values of a configuration file's text. The rest of the text does not change, comments included, except on the lines and
 * in the sections that are removed.
 * @throws ConfigError when the text cannot be changed in this way
 */
export function editToml(name: string, text: string, edits: readonly TomlEdit[]): string {
  // Some editors write it. readTree does not know it, and lines may be put before the first one.
  const byteOrderMark = text.startsWith("\ufeff") ? "\ufeff" : ""
  const changed = edits.reduce((before, { path, value }) => {
    const wanted = readToml(name, before)
    const isChanged = value === null ? remove(wanted, path) : set(wanted, path, value)
    if (!isChanged) return before
    const tree = readTree(before)
    const places =
      value === null ? placesToRemove(before, tree, path) : [placeToSet(before, tree, path, value)]
    const after = places.sort((a, b) => b.start - a.start).reduce(replace, before)
    // The file decides about money, so the edit is read back.
    if (Bun.deepEquals(filled(readToml(name, after)), filled(wanted))) return after
    throw new ConfigError(
      `'${path.join(".")}' cannot be changed in ${name} as it is written. Change it by hand and run 'penknife reload'.`,
    )
  }, text.slice(byteOrderMark.length))
  return byteOrderMark + changed
}

function replace(text: string, { start, end, text: next }: Replacement): string {
  return text.slice(0, start) + next + text.slice(end)
}

/** In the place of the value, else in its table: inline, in its section, or on the first lines; else in a new section. */
function placeToSet(text: string, tree: TomlTree, path: Path, value: unknown): Replacement {
  const { entries, inlineTables, sections, top } = tree
  const newline = text.includes("\r\n") ? "\r\n" : "\n"
  const present = entries.find((entry) => isSame(entry.path, path))
  if (present) return { ...present.value, text: toToml(value) }
  for (let depth = path.length - 1; depth > 0; depth--) {
    const above = path.slice(0, depth)
    const line = `${path.slice(depth).join(".")} = ${toToml(value)}`
    const inline = inlineTables.find((table) => isSame(table.path, above))
    if (inline) {
      const last = inline.entries.at(-1)
      return last ? insert(last.end, `, ${line}`) : { ...inline, text: `{ ${line} }` }
    }
    const section = sections.find((one) => isSame(one.path, above))
    if (section) return insertLine(text, endOfLine(text, section.end), line, newline)
  }
  const isOnTop =
    path.length === 1 || entries.some((entry) => top.includes(entry) && entry.path[0] === path[0])
  const line = `${path.join(".")} = ${toToml(value)}`
  const lastOnTop = top.at(-1)
  if (lastOnTop && isOnTop) return insertLine(text, endOfLine(text, lastOnTop.end), line, newline)
  const [firstSection] = sections
  if (isOnTop && firstSection)
    return insert(startWithComments(text, firstSection.start), line + newline + newline)
  if (isOnTop) return insertLine(text, text.length, line, newline)
  const heading = `[${path.slice(0, -1).join(".")}]${newline}${path.at(-1)} = ${toToml(value)}`
  return insertLine(text, text.length, text.trim() === "" ? heading : newline + heading, newline)
}

/** The removed sections, lines and entries of inline tables. */
function placesToRemove(text: string, { entries, sections }: TomlTree, path: Path): Replacement[] {
  const isInside = ({ path: other }: { readonly path: Path }) => isSame(other.slice(0, path.length), path)
  const found = entries.filter(isInside)
  const ofSections = sections.filter(isInside)
  const isCovered = (entry: Entry) =>
    [...ofSections, ...found].some(
      (other) => other !== entry && other.start <= entry.start && entry.end <= other.end,
    )
  return [
    ...ofSections.map((section) => wholeLines(text, section)),
    ...found
      .filter((entry) => !isCovered(entry))
      .map((entry) => (entry.inline ? inlinePart(entry) : wholeLines(text, entry))),
  ].map((range) => ({ ...range, text: "" }))
}

/** An entry of an inline table with one of its commas. */
function inlinePart({ start, end, inline }: Entry): Range {
  const others = inline?.entries ?? []
  const next = others.find((other) => other.start > end)
  if (next) return { start, end: next.start }
  const before = others.findLast((other) => other.end < start)
  return { start: before?.end ?? start, end }
}

/** The lines of a range, and one of the empty lines above and below it. */
function wholeLines(text: string, { start, end }: Range): Range {
  const first = text.lastIndexOf("\n", start - 1) + 1
  const last = endOfLine(text, end)
  const isSeparate = first === 0 || /\n\r?\n$/.test(text.slice(0, first))
  const below = isSeparate ? (/^\r?\n/.exec(text.slice(last))?.[0].length ?? 0) : 0
  return { start: first, end: last + below }
}

/** The position after the line that has this one. */
function endOfLine(text: string, position: number): number {
  const end = text.indexOf("\n", position)
  return end === -1 ? text.length : end + 1
}

/** Where the comments begin that stand directly above a line. */
function startWithComments(text: string, position: number): number {
  const [comments = ""] = /(?:(?<=^|\n)[ \t]*#[^\n]*\n)*$/.exec(text.slice(0, position)) ?? []
  return position - comments.length
}

function insertLine(text: string, position: number, line: string, newline: string): Replacement {
  const isAfterLine = position === 0 || text[position - 1] === "\n"
  return insert(position, `${isAfterLine ? "" : newline}${line}${newline}`)
}

function insert(position: number, text: string): Replacement {
  return { start: position, end: position, text }
}

/** TOML's basic strings are JSON strings without a raw DEL. */
function toToml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toToml).join(", ")}]`
  return JSON.stringify(value).replaceAll("\u007f", "\\u007f")
}

function set(table: Table, path: Path, value: unknown): boolean {
  const [first = "", ...rest] = path
  if (rest.length > 0) {
    const inner = Object.hasOwn(table, first) ? table[first] : {}
    if (!isObject(inner)) return false
    table[first] = inner
    return set(inner, rest, value)
  }
  if (Object.hasOwn(table, first) && Bun.deepEquals(table[first], value)) return false
  table[first] = value
  return true
}

function remove(table: Table, path: Path): boolean {
  const [first = "", ...rest] = path
  if (!Object.hasOwn(table, first)) return false
  const inner = table[first]
  if (rest.length > 0) return isObject(inner) && remove(inner, rest)
  delete table[first]
  return true
}

/** Without empty tables: a table written as `a.b = 1` is removed with its last value. */
function filled(value: unknown): unknown {
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([name, inner]): [string, unknown] => [name, filled(inner)])
  return Object.fromEntries(entries.filter(([, inner]) => !isObject(inner) || Object.keys(inner).length > 0))
}

function isSame(a: Path, b: Path): boolean {
  return a.length === b.length && a.every((name, index) => name === b[index])
}
