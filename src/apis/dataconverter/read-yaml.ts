import {
  Composer,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  Parser,
  type Scalar,
  type YAMLMap,
} from "yaml"
import { reject } from "../contract.ts"
import { explain } from "./mistakes.ts"
import {
  addKey,
  isList,
  isObject,
  type Notes,
  Numeral,
  placeAt,
  placeText,
  refuse,
  requireDepth,
  type Value,
} from "./values.ts"
import { writeCompactJson } from "./write-json.ts"

/** The most values that aliases may copy. A few lines with aliases could make billions. */
const maxValues = 100_000

/** A value, how many values are in it with a copy for each alias, and their levels. */
interface Read {
  readonly value: Value
  readonly size: number
  readonly levels: number
}

/** Reads YAML 1.2 with the core schema (YAML 1.2.2 §10.3), and merges what `<<` names. Several documents become a list. */
export function readYaml(text: string, notes: Notes): Value {
  const control = text.search(controls)
  if (control >= 0) refuse("YAML", placeAt(text, control), "a control character must be escaped")
  const composer = new Composer({
    ...({ schema: "core", intAsBigInt: true, resolveKnownTags: false, logLevel: "silent" } as const),
    // `addKey` refuses repeated keys. The library would compare each key with all others.
    uniqueKeys: false,
  })
  const values: Value[] = []
  // One document at a time, since the library's form of a document takes far more memory than its data.
  for (const { errors, contents, range } of composer.compose(parse(text, notes), true, text.length)) {
    for (const { pos, code } of errors) refuse("YAML", placeAt(text, pos[0]), explain("YAML", code))
    values.push(readContents(contents, text, notes))
    if (values.length === 2) notes.add("documents", () => placeAt(text, range[0]))
  }
  const [only = null] = values
  return values.length < 2 ? only : values
}

const controls = /[^\t\n\r\x20-\u{10ffff}]/u
const scalarFollows = "\x1f"

/** Parses token by token, and refuses deep nesting, with which the composer would overflow the stack. */
function* parse(text: string, notes: Notes) {
  const parser = new Parser()
  let flow = 0
  let inLine = 0
  let isScalarToken = false
  for (const token of new Lexer().lex(text)) {
    const place = () => placeAt(text, parser.offset)
    if (!isScalarToken) {
      if (token === "[" || token === "{") flow++
      else if (token === "]" || token === "}") flow--
      else if (token === "\n" || token === "\r\n") inLine = 0
      else if ((token === "-" || token === "?") && flow === 0) inLine++
      else if (token.startsWith("#")) notes.add("comments", place)
      else if (/^%YAML\s+1\.1\b/.test(token)) notes.add("yaml_1_1", place)
    }
    if (flow < 0) refuse("YAML", place(), "a bracket ends nothing")
    requireDepth(Math.max(flow, inLine), place)
    isScalarToken = token === scalarFollows
    yield* parser.next(token)
  }
  yield* parser.end()
}

function readContents(contents: Node | null, text: string, notes: Notes): Value {
  const anchors = new Map<string, Read | null>()
  let copies = 0

  function read(node: unknown, depth: number): Read {
    if (isAlias(node)) return copy(node, depth)
    const place = () => placeAt(text, placeOf(node))
    requireDepth(depth, place)
    const { anchor, tag } = isNode(node) ? node : {}
    if (tag !== undefined && tag !== "!" && !scalarTags.has(tag) && !collectionTags.includes(tag))
      notes.add("tags", place)
    if (anchor !== undefined) anchors.set(anchor, null)
    const isCollection = isMap(node) || isSeq(node)
    const found = isMap(node)
      ? readMap(node, depth)
      : isSeq(node)
        ? sum(node.items.map((item) => read(item, depth + 1)))
        : { value: isScalar(node) ? toValue(node, () => notes.add("tag_misfit", place)) : null, ...oneValue }
    const fitting = isMap(node) ? `${core}map` : isSeq(node) ? `${core}seq` : ""
    if (
      tag !== fitting &&
      (collectionTags.includes(tag ?? "") || (isCollection && scalarTags.has(tag ?? "")))
    )
      notes.add("tag_misfit", place)
    if (isScalar(node) && node.type === "PLAIN" && otherIn11.test(node.source ?? ""))
      notes.add("yaml_1_1_forms", place)
    if (anchor !== undefined) anchors.set(anchor, found)
    return found
  }

  function copy(node: Node & { readonly source: string }, depth: number): Read {
    const place = () => placeAt(text, placeOf(node))
    const found = anchors.get(node.source)
    if (found === undefined)
      refuse("YAML", place(), `there is no anchor '${node.source.slice(0, 100)}' before it`)
    if (found === null)
      refuse("YAML", place(), "an alias inside the value that it refers to makes data without end")
    requireDepth(depth + found.levels - 1, place)
    copies += found.size
    if (copies > maxValues)
      reject(
        "text",
        `must have aliases that copy at most ${maxValues.toLocaleString("en-US")} values, and copies more at ${placeText(place())}`,
      )
    notes.add("anchors", place)
    return found
  }

  function readMap(map: YAMLMap, depth: number): Read {
    const values = new Map<string, Value>()
    const merged: Read[] = []
    const parts: Read[] = []
    for (const { key, value } of map.items) {
      const place = () => placeAt(text, placeOf(key) || placeOf(map))
      const name = read(key, depth + 1).value
      const part = read(value, depth + 1)
      parts.push(part)
      if (isMergeKey(key) && isMergeable(part.value)) merged.push(part)
      else addKey(values, toKey(name, place), part.value, place)
    }
    for (const { value } of merged) merge(values, value)
    return { ...sum(parts), value: values }
  }

  function toKey(key: Value, place: () => ReturnType<typeof placeAt>): string {
    if (typeof key === "string") return key
    notes.add("key_as_text", place)
    return key instanceof Numeral ? key.text : writeCompactJson(key)
  }

  return read(contents, 1).value
}

function isNode(node: unknown): node is Node {
  return typeof node === "object" && node !== null
}

function placeOf(node: unknown): number {
  return (isNode(node) && node.range?.[0]) || 0
}

function sum(parts: readonly Read[]): Read & { readonly value: Value[] } {
  let size = 1
  let levels = 0
  for (const part of parts) {
    size += part.size
    levels = Math.max(levels, part.levels)
  }
  return { value: parts.map(({ value }) => value), size, levels: levels + 1 }
}

const oneValue = { size: 1, levels: 1 }

/** The value of a scalar: with a tag of the core schema, as that type reads it. */
function toValue({ value, source = "", tag, type }: Scalar, onMisfit: () => void): Value {
  const read = tag === undefined ? undefined : scalarTags.get(tag)
  const tagged = read?.(source)
  if (tagged !== undefined) return tagged
  if (read) {
    onMisfit()
    if (type === "PLAIN") return toCore(source)
  }
  if (typeof value === "number" || typeof value === "bigint") return toNumeral(source || String(value))
  return typeof value === "string" || typeof value === "boolean" ? value : null
}

/** The types of the core schema (YAML 1.2.2 §10.3.2). Each gives undefined for a text that is none of its values. */
const readNull = (source: string) => (/^(?:~|null|Null|NULL|)$/.test(source) ? null : undefined)
const readBoolean = (source: string) =>
  /^(?:true|True|TRUE|false|False|FALSE)$/.test(source) ? source.toLowerCase() === "true" : undefined
const readInteger = (source: string) =>
  /^(?:[-+]?\d+|0o[0-7]+|0x[\da-fA-F]+)$/.test(source) ? toNumeral(source) : undefined
const readFloat = (source: string) =>
  readInteger(source) ??
  (/^(?:[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/.test(source)
    ? toNumeral(source)
    : undefined)

function toCore(source: string): Value {
  const found = [readNull, readBoolean, readFloat]
    .map((read) => read(source))
    .find((one) => one !== undefined)
  return found === undefined ? source : found
}

const core = "tag:yaml.org,2002:"
const scalarTags = new Map<string, (source: string) => Value | undefined>([
  [`${core}str`, (source) => source],
  [`${core}int`, readInteger],
  [`${core}float`, readFloat],
  [`${core}bool`, readBoolean],
  [`${core}null`, readNull],
])
const collectionTags = [`${core}map`, `${core}seq`]

/** Plain texts and numbers that YAML 1.1 reads otherwise: booleans, octal, binary and base-60 numbers, and those with `_`. */
const otherIn11 =
  /^(?:y|Y|n|N|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF|[-+]?0(?:[0-7_]+|b[01_]+|x[\da-fA-F]*_[\da-fA-F_]*)|[-+]?[1-9]\d*(?:(?::[0-5]?\d)+(?:\.\d*)?|_[\d_]*(?:\.[\d_]*)?))$/

/** A number of the core schema in the form of JSON, which has no `0x1F`, `0o17`, `007`, `+.5` and `1.`. */
function toNumeral(source: string): Numeral {
  const [, sign = "", rest = ""] = /^([-+]?)(.*)$/s.exec(source) ?? []
  const minus = sign === "-" ? "-" : ""
  if (/^\.inf$/i.test(rest)) return new Numeral(`${minus}inf`)
  if (/^\.nan$/i.test(rest)) return new Numeral("nan")
  if (/^0[ox]/.test(rest)) return new Numeral(`${minus}${BigInt(rest)}`)
  const [, whole = "", fraction, exponent = ""] = /^(\d*)(\.\d*)?(e.*)?$/i.exec(rest) ?? []
  const digits = whole.replace(/^0+(?=\d)/, "") || "0"
  const decimals = fraction === "." ? ".0" : (fraction ?? "")
  return new Numeral(`${minus}${digits}${decimals}${exponent}`)
}

/** `<<` of YAML 1.1 (yaml.org/type/merge), which most programs know although YAML 1.2 has left it out. */
function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === "<<" && key.type === "PLAIN"
}

function isMergeable(value: Value): boolean {
  return isObject(value) || (isList(value) && value.length > 0 && value.every(isObject))
}

function merge(target: Map<string, Value>, source: Value): void {
  if (isList(source)) for (const one of source) merge(target, one)
  else if (isObject(source)) for (const [key, value] of source) if (!target.has(key)) target.set(key, value)
}
