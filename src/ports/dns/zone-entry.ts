import type { DnsData, DnsFailure, DnsType, DnsZone } from "../../apis/contract.ts"
import { parseIpv4, parseIpv6 } from "../../values/ip.ts"
import { toWireName, type WireName } from "./name.ts"

/** The meaning of a zone entry. */
type Entry =
  | { readonly kind: "record"; readonly type: DnsType; readonly data: DnsData[DnsType] }
  | { readonly kind: "alias"; readonly target: WireName }
  | { readonly kind: "failure"; readonly reason: DnsFailure }

/** Throws an Error whose message continues after the name of the entry: `must be …`. */
export function readEntry(entry: unknown): Entry {
  if (typeof entry === "string") {
    const reason = words.get(entry)
    if (!reason) throw new Error(`must be TYPE: data, or one of ${list(words)}, not ${quote(entry)}`)
    return { kind: "failure", reason }
  }
  const pairs = typeof entry === "object" && entry !== null ? Object.entries(entry) : []
  const [type, value] = pairs[0] ?? []
  if (pairs.length !== 1 || type === undefined)
    throw new Error(`must be one TYPE: data, or one of ${list(words)}`)
  const read = readers.get(type)
  if (!read) throw new Error(`must have one of the types ${list(readers)}, not ${quote(type)}`)
  return read(value)
}

const words: ReadonlyMap<string, DnsFailure> = new Map([
  ["TIMEOUT", "timeout"],
  ["SERVFAIL", "servfail"],
  ["REFUSED", "refused"],
])

const readers: ReadonlyMap<string, (value: unknown) => Entry> = new Map([
  ["A", (value) => record("A", ipv4(value))],
  ["AAAA", (value) => record("AAAA", ipv6(value))],
  ["TXT", (value) => record("TXT", characterStrings(value))],
  ["SPF", (value) => record("SPF", characterStrings(value))],
  ["MX", (value) => record("MX", exchange(value))],
  ["PTR", (value) => record("PTR", domainName(value))],
  ["CNAME", alias],
])

function record<T extends DnsType>(type: T, data: DnsData[T]): Entry {
  return { kind: "record", type, data }
}

function alias(value: unknown): Entry {
  const target = typeof value === "string" ? toWireName(value) : null
  if (target === null) throw new Error(`must have a domain name, not ${quote(value)}`)
  return { kind: "alias", target }
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

function characterStrings(value: unknown): string {
  const strings: readonly unknown[] = Array.isArray(value) ? value : [value]
  for (const string of strings) {
    if (typeof string !== "string")
      throw new Error(`must have text, in quotes if need be, not ${quote(string)}`)
  }
  const text = strings.join("")
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
