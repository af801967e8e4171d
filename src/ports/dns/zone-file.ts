import { type Document, isAlias, isMap, isNode, isScalar, isSeq } from "yaml"
import type { DnsZone, ZoneEntry } from "../../apis/contract.ts"
import { messageOf } from "../../values/message-of.ts"
import { type Fail, readYamlDocument } from "../yaml-document.ts"
import { toWireNameOrRoot, type WireName } from "./name.ts"
import { type Entry, encodeEntry, readEntry } from "./zone-entry.ts"

/** The records of a zone, with a copy for each alias: each takes about 10 µs to check. */
const maxRecords = 50_000

/**
 * Reads a {@link DnsZone} from YAML, and so from JSON. TXT and SPF records keep the file's text; {@link encodeTexts} makes it
 * bytes. Throws an Error whose message begins with the invalid line.
 */
export function parseZone(text: string): DnsZone {
  const { document, fail } = readYamlDocument(text, "a zone")
  if (!document) return {}
  const { contents } = document
  if (contents === null || (isScalar(contents) && contents.value === null)) return {}
  if (!isMap(contents))
    return fail(offsetOf(contents), "a zone must be a mapping from names to lists of records")
  const zone = new Map<string, readonly ZoneEntry[]>()
  const taken = new Set<string>()
  let records = 0
  for (const { key, value } of contents.items) {
    const offset = offsetOf(key)
    const name = isScalar(key) ? (key.source ?? String(key.value)) : ""
    const owner = toWireNameOrRoot(name)
    if (owner === null) return fail(offset, `'${name}' is not a domain name`)
    const list = isAlias(value) ? value.resolve(document) : value
    if (!isSeq(list)) return fail(offset, `'${name}' must have a list of records; [] when it has none`)
    records += list.items.length
    if (records > maxRecords)
      fail(offset, `a zone must have at most ${maxRecords.toLocaleString("en-US")} records`)
    const entries = list.items.map((item) => toEntry(document, { name, owner, taken }, item, fail))
    zone.set(name, entries)
  }
  return Object.fromEntries(zone)
}

interface Place {
  readonly name: string
  readonly owner: WireName
  /** The entries so far of which a name has one, with their names. */
  readonly taken: Set<string>
}

function toEntry(document: Document, { name, owner, taken }: Place, item: unknown, fail: Fail): ZoneEntry {
  try {
    const entry: unknown = isNode(item) ? item.toJS(document) : item
    const single = singleOf(readEntry(encodeEntry(entry), owner))
    if (single !== null && taken.has(`${owner} ${single}`))
      throw new Error(`repeats the ${single}: a name has one`)
    if (single !== null) taken.add(`${owner} ${single}`)
    return entry as ZoneEntry
  } catch (thrown) {
    return fail(offsetOf(item), `an entry of '${name}' ${messageOf(thrown)}`)
  }
}

/** Names an entry of which a name has at most one (of aliases RFC 2181 §10.1 says so); null for other records. */
function singleOf(entry: Entry): string | null {
  if (entry.kind === "alias") return "CNAME"
  if (entry.kind === "failure") return "failure"
  return entry.kind === "recorded" ? `ANSWER of type ${entry.question.type}` : null
}

function offsetOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0
}
