import type { DnsData, DnsFailure, DnsType, DnsZone } from "../../apis/contract.ts"
import { parseIpv4, parseIpv6 } from "../../values/ip.ts"
import { toObject } from "../../values/is-object.ts"
import { messageOf } from "../../values/message-of.ts"
import { readReply } from "./answer.ts"
import { type Question, type Response, rcodes, readResponse } from "./message.ts"
import { toWireName, type WireName } from "./name.ts"
import { formatOf, parseData, readData } from "./record-formats.ts"
import type { Word } from "./record-text.ts"
import { typeNumberOf, typeNumbers } from "./record-types.ts"
import { runSteps } from "./turn-reader.ts"

/** A record of a zone, with its data as they would be sent. */
interface ZoneRecord<T extends DnsType = DnsType> {
  readonly kind: "record"
  readonly type: T
  readonly data: DnsData[T]
  readonly wire: Buffer
}

/** The meaning of a zone entry. */
export type Entry =
  | ZoneRecord
  | { readonly kind: "alias"; readonly target: WireName; readonly record: ZoneRecord<"CNAME"> }
  | { readonly kind: "recorded"; readonly question: Question; readonly response: Response }
  | { readonly kind: "failure"; readonly reason: DnsFailure }

/**
 * Reads an entry of the name `owner`.
 * @throws Error whose message continues after the name of the entry: `must be …`
 */
export function readEntry(entry: unknown, owner: WireName): Entry {
  if (typeof entry === "string") {
    const reason = words.get(entry)
    if (!reason) throw new Error(`must be TYPE: data, or one of ${list(words)}, not ${quote(entry)}`)
    return { kind: "failure", reason }
  }
  const pairs = typeof entry === "object" && entry !== null ? Object.entries(entry) : []
  const [type, value] = pairs[0] ?? []
  if (pairs.length !== 1 || type === undefined)
    throw new Error(`must be one TYPE: data, or one of ${list(words)}`)
  if (type === "ANSWER") return recorded(value, owner)
  const read = readers.get(type)
  if (read) return read(value)
  if (isDnsType(type)) return inZoneForm(type, value)
  const names = [...new Set([...readers.keys(), ...Object.keys(typeNumbers)])].join(", ")
  throw new Error(`must have one of the types ${names}, TYPE and a number, or ANSWER, not ${quote(type)}`)
}

function isDnsType(type: string): type is DnsType {
  return typeNumberOf(type) !== null
}

const words: ReadonlyMap<string, DnsFailure> = new Map([
  ["TIMEOUT", "timeout"],
  ["SERVFAIL", "servfail"],
  ["REFUSED", "refused"],
])

const readers: ReadonlyMap<string, (value: unknown) => Entry> = new Map([
  ["A", (value) => record("A", ipv4(value), (data) => [data])],
  ["AAAA", (value) => record("AAAA", ipv6(value), (data) => [data])],
  ["TXT", (value) => record("TXT", characterStrings(value), () => stringsOf(value).map(escapeText))],
  ["SPF", (value) => record("SPF", characterStrings(value), () => stringsOf(value).map(escapeText))],
  ["MX", (value) => record("MX", exchange(value), (data) => [String(data.preference), `${data.exchange}.`])],
  ["PTR", (value) => record("PTR", domainName(value), (data) => [data])],
  ["CNAME", alias],
])

/** A record whose words in a zone file `toWords` gives. */
function record<T extends DnsType>(
  type: T,
  data: DnsData[T],
  toWords: (data: DnsData[T]) => readonly string[],
): ZoneRecord<T> {
  const words = toWords(data).map((text): Word => ({ text, isQuoted: false }))
  return { kind: "record", type, data, wire: formatOf(type).parse(words) }
}

/** A record of a type whose data are written as in a zone file. */
function inZoneForm(type: DnsType, value: unknown): ZoneRecord {
  if (typeof value !== "string") throw new Error(`must have data as in a zone file, not ${quote(value)}`)
  try {
    const wire = parseData(type, value)
    return { kind: "record", type, data: readData(type, wire).data, wire }
  } catch (thrown) {
    const problem = thrown instanceof RangeError ? `${type} data of the right form` : messageOf(thrown)
    throw new Error(`must have ${problem} in ${quote(value)}`)
  }
}

function alias(value: unknown): Entry {
  const target = typeof value === "string" ? toWireName(value) : null
  if (target === null) throw new Error(`must have a domain name, not ${quote(value)}`)
  return { kind: "alias", target, record: record("CNAME", domainName(value), (data) => [data]) }
}

/** The reply of a real server, kept to be given again. */
function recorded(value: unknown, name: WireName): Entry {
  const { type, message } = toObject(value)
  if (typeof type !== "string" || !isDnsType(type) || typeof message !== "string")
    throw new Error(`must have {type: a record type, message: a DNS message in base64}, not ${quote(value)}`)
  const bytes = Buffer.from(message, "base64")
  const question = { name, type }
  const response = readResponse(bytes, question, bytes.length > 1 ? bytes.readUInt16BE() : 0)
  if (typeof response !== "object") throw new Error(`must have a DNS message that answers the name's ${type}`)
  const { rcode, truncated } = response
  if (truncated || (rcode !== rcodes.noError && rcode !== rcodes.nxDomain))
    throw new Error(`must have a whole DNS message with the code NOERROR or NXDOMAIN`)
  try {
    runSteps(readReply(response, question))
  } catch (thrown) {
    throw new Error(`must have a DNS message that can be read: ${messageOf(thrown)}`)
  }
  return { kind: "recorded", question, response }
}

function ipv4(value: unknown): string {
  if (typeof value === "string" && parseIpv4(value)) return value
  throw new Error(`must have an IPv4 address, not ${quote(value)}`)
}

function ipv6(value: unknown): string {
  const address = typeof value === "string" ? parseIpv6(value) : null
  if (address === null) throw new Error(`must have an IPv6 address, not ${quote(value)}`)
  return address.toString()
}

function stringsOf(value: unknown): readonly string[] {
  const strings: readonly unknown[] = Array.isArray(value) ? value : [value]
  return strings.map((string) => {
    if (typeof string === "string") return string
    throw new Error(`must have text, in quotes if need be, not ${quote(string)}`)
  })
}

function escapeText(text: string): string {
  return text.replaceAll("\\", "\\\\")
}

function characterStrings(value: unknown): string {
  const text = stringsOf(value).join("")
  const other = /[\u0100-\uffff]/.exec(text)
  if (other) throw new Error(`must have characters from U+0000 to U+00FF only, not ${quote(other[0])}`)
  return text
}

function exchange(value: unknown): DnsData["MX"] {
  const [preference, name] = Array.isArray(value) && value.length === 2 ? value : []
  if (!Number.isInteger(preference) || preference < 0 || preference > 65_535)
    throw new Error(`must have [preference from 0 to 65535, name], not ${quote(value)}`)
  // The root as exchange means that the domain takes no mail (RFC 7505).
  return Object.freeze({ preference, exchange: name === "" || name === "." ? "" : domainName(name) })
}

/** Without a trailing dot, in its own spelling. */
function domainName(value: unknown): string {
  if (typeof value !== "string" || toWireName(value) === null)
    throw new Error(`must have a domain name, not ${quote(value)}`)
  return value.endsWith(".") ? value.slice(0, -1) : value
}

function list(choices: ReadonlyMap<string, unknown>): string {
  return [...choices.keys()].join(", ")
}

function quote(value: unknown): string {
  return JSON.stringify(value) ?? String(value)
}

/** The zone with the texts of TXT and SPF records as bytes, in UTF-8. */
export function encodeTexts(zone: DnsZone): DnsZone {
  const encoded = Object.entries(zone).map(([name, entries]) => [name, entries.map(encodeEntry)] as const)
  return Object.fromEntries(encoded)
}

/** {@link encodeTexts} for one entry. */
export function encodeEntry<T>(entry: T): T {
  if (typeof entry !== "object" || entry === null) return entry
  const pairs = Object.entries(entry).map(([type, value]) => {
    const isText = type === "TXT" || type === "SPF"
    return [type, !isText ? value : Array.isArray(value) ? value.map(encodeText) : encodeText(value)]
  })
  return Object.fromEntries(pairs) as T
}

/** One UTF-16 unit for each byte, as in the answers of a DNS port. */
function encodeText(value: unknown): unknown {
  if (typeof value !== "string") return value
  if (!value.isWellFormed()) throw new Error("must have well-formed Unicode text, without lone surrogates")
  return Buffer.from(value, "utf8").toString("latin1")
}
