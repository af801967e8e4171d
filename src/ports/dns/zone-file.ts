import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
} from "yaml"
import type { DnsZone, ZoneEntry } from "../../apis/contract.ts"
import { messageOf } from "../../values/message-of.ts"
import { toWireNameOrRoot, type WireName } from "./name.ts"
import { encodeEntry, readEntry } from "./zone-entry.ts"

/** The levels of YAML that are read; a zone has five. 5,000 levels take 40 to 75 ms, in which nothing else runs. */
const maxLevels = 20

/**
 * Reads a {@link DnsZone} from YAML, and so from JSON. TXT and SPF records keep the file's text; {@link encodeTexts} makes it
 * bytes. Throws an Error whose message begins with the invalid line.
 */
export function parseZone(text: string): DnsZone {
  const lines = new LineCounter()
  const fail: Fail = (offset, problem) => {
    throw new Error(`line ${Math.max(1, lines.linePos(offset).line)}: ${problem}`)
  }
  const [document, second] = new Composer().compose(tokensOf(text, lines, fail), true, text.length)
  if (second) fail(second.range[0], "a zone must be one document")
  const error = document?.errors[0]
  if (error) fail(error.pos[0], error.message)
  if (!document) return {}
  const { contents } = document
  if (contents === null || (isScalar(contents) && contents.value === null)) return {}
  if (!isMap(contents))
    return fail(offsetOf(contents), "a zone must be a mapping from names to lists of records")
  const zone = new Map<string, readonly ZoneEntry[]>()
  for (const { key, value } of contents.items) {
    const offset = offsetOf(key)
    const name = isScalar(key) ? (key.source ?? String(key.value)) : ""
    const owner = toWireNameOrRoot(name)
    if (owner === null) return fail(offset, `'${name}' is not a domain name`)
    const list = isAlias(value) ? value.resolve(document) : value
    if (!isSeq(list)) return fail(offset, `'${name}' must have a list of records; [] when it has none`)
    const entries = list.items.map((item) => toEntry(document, { name, owner }, item, fail))
    zone.set(name, entries)
  }
  return Object.fromEntries(zone)
}

/** The syntax of a text, as long as it is not too deep. */
function* tokensOf(text: string, lines: LineCounter, fail: Fail) {
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme)
    if (parser.stack.length > maxLevels) fail(parser.offset, `a zone must have at most ${maxLevels} levels`)
  }
  yield* parser.end()
}

type Fail = (offset: number, problem: string) => never

function toEntry(
  document: Document,
  { name, owner }: { readonly name: string; readonly owner: WireName },
  item: unknown,
  fail: Fail,
): ZoneEntry {
  try {
    const entry: unknown = isNode(item) ? item.toJS(document) : item
    readEntry(encodeEntry(entry), owner)
    return entry as ZoneEntry
  } catch (thrown) {
    return fail(offsetOf(item), `an entry of '${name}' ${messageOf(thrown)}`)
  }
}

function offsetOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0
}
