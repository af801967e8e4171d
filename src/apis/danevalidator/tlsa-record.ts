import type { TlsaRdata } from "../mail/dane/tlsa-check.ts"
import { refuse, toZoneFields } from "./zone-fields.ts"

const example = "_443._tcp.www.example.com. 3600 IN TLSA 3 1 1 and 64 hexadecimal digits"

/**
 * Reads one TLSA record in zone-file form (RFC 6698 §2.2, RFC 1035 §5.1); type and data may also be written as those of an
 * unknown type (RFC 3597 §5). Only the form is checked, not the content of the fields.
 * @returns the TTL is in seconds, and null when the record leaves it to its zone
 * @throws InputRejected for `record`
 */
export function parseTlsaRecord(text: string) {
  const fields = toZoneFields(text)
  const [owner, ...rest] = fields
  if (owner === undefined) refuse(`must be a TLSA record, such as ${example}`)
  if (owner.startsWith("$"))
    refuse("must be the record alone, with its complete owner name, without $ORIGIN or $TTL")
  if (owner.startsWith('"')) refuse("must have no quotes around it")
  if (isTypeWord(owner) || toClass(owner) !== null || toTtl(owner) !== null)
    refuse("must begin with the owner name, such as _443._tcp.www.example.com")
  const typeAt = rest.findIndex(isTypeWord)
  if (typeAt === -1) return rejectOtherType(rest)
  const { ttl, class: rrClass } = toTtlAndClass(rest.slice(0, typeAt))
  return { owner: parseOwnerName(owner), ttl, class: rrClass, ...toRdata(rest.slice(typeAt + 1)) }
}

function isTypeWord(field: string): boolean {
  return /^(tlsa|type52)$/i.test(field)
}

function rejectOtherType(fields: readonly string[]): never {
  const type = fields.find((field) => toClass(field) === null && toTtl(field) === null) ?? ""
  if (/^(smimea|type53)$/i.test(type)) refuse("must be a TLSA record; SMIMEA is a different type (RFC 8162)")
  if (/^[a-z][a-z0-9-]{0,9}$/i.test(type)) refuse(`must be of type TLSA, not ${type.toUpperCase()}`)
  return refuse(`must contain the word TLSA before usage, selector and matching type, as in ${example}`)
}

function toTtlAndClass(fields: readonly string[]): { ttl: number | null; class: string } {
  let ttl: number | null = null
  let rrClass: string | null = null
  for (const field of fields) {
    const fieldTtl = toTtl(field)
    const fieldClass = toClass(field)
    if (fieldTtl !== null && ttl === null) ttl = fieldTtl
    else if (fieldClass !== null && rrClass === null) rrClass = fieldClass
    else refuse("must have nothing but one TTL and one class between the owner name and TLSA")
  }
  return { ttl, class: rrClass ?? "IN" }
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }
/** RFC 2181 §8. */
const maxTtl = 2_147_483_647
/** Reading a hundred thousand units takes 30 ms. */
const maxTtlLength = 100

/** Reads `3600`, or `1h30m` as name servers write it, as seconds; null for a field that is not a TTL. */
function toTtl(field: string): number | null {
  if (!/^(\d+|(\d+[smhdw])+)$/i.test(field)) return null
  if (field.length > maxTtlLength) refuse(`must have a TTL of at most ${maxTtlLength} characters`)
  let seconds = 0
  for (const [, amount, unit = "s"] of field.matchAll(/(\d+)([smhdw]?)/gi))
    seconds += Number(amount) * (unitSeconds[unit.toLowerCase() || "s"] ?? 1)
  if (seconds > maxTtl) refuse(`must have a TTL of at most ${maxTtl} seconds`)
  return seconds
}

const classNames: Readonly<Record<number, string>> = { 1: "IN", 2: "CS", 3: "CH", 4: "HS" }

/** The mnemonic of a class, also of `CLASS1` (RFC 3597 §5); null for a field that is not a class. */
function toClass(field: string): string | null {
  const word = field.toUpperCase()
  if (Object.values(classNames).includes(word)) return word
  const digits = /^CLASS(\d{1,5})$/.exec(word)?.[1]
  if (digits === undefined || Number(digits) > 65_535) return null
  return classNames[Number(digits)] ?? `CLASS${Number(digits)}`
}

function toRdata(fields: readonly string[]): TlsaRdata {
  if (fields[0] === "\\#") return toGenericRdata(fields.slice(1))
  const [usage, selector, matching, ...data] = fields
  const missing = ["usage", "selector", "matching type", "certificate data"].slice(fields.length)
  if (usage === undefined || selector === undefined || matching === undefined || data.length === 0)
    return refuse(`must have more fields after TLSA: ${missing.join(", ")}`)
  return {
    usage: toNumber("usage", usage),
    selector: toNumber("selector", selector),
    matching: toNumber("matching type", matching),
    data: data.join(""),
  }
}

/** The RFC 7218 names by number, without their hyphens. Name servers do not load them, so they only give a hint. */
const mnemonics: Readonly<Record<number, readonly string[]>> = {
  0: ["PKIXTA", "CERT", "FULL"],
  1: ["PKIXEE", "SPKI", "SHA256", "SHA2256"],
  2: ["DANETA", "SHA512", "SHA2512"],
  3: ["DANEEE"],
  255: ["PRIVCERT", "PRIVSEL", "PRIVMATCH"],
}

/** A number with many digits becomes the nearest one that JSON readers can hold (RFC 8259 §6): it is out of range either way. */
function toNumber(field: string, text: string): number {
  // The zero that is added turns -0 into 0.
  if (/^-?\d+$/.test(text)) return Math.max(-Number.MAX_VALUE, Math.min(Number(text), Number.MAX_VALUE)) + 0
  const word = text.toUpperCase()
  const [number] =
    Object.entries(mnemonics).find(([, names]) => names.includes(word.replaceAll("-", ""))) ?? []
  const hint = number === undefined ? "" : `: ${number} instead of ${word}`
  return refuse(`must have a whole number as ${field}${hint}`)
}

/** `\# 35 0301…`: the number of bytes, then the bytes, of which the first three are the numbers (RFC 3597 §5). */
function toGenericRdata([count = "", ...parts]: readonly string[]): TlsaRdata {
  const digits = parts.join("")
  if (!/^\d{1,5}$/.test(count)) refuse("must have the count of bytes after \\#")
  if (digits.length !== Number(count) * 2)
    refuse(
      `must have ${Number(count) * 2} hexadecimal digits after \\# ${Number(count)}, not ${digits.length}`,
    )
  if (Number(count) < 4) refuse("must have usage, selector, matching type and certificate data after \\#")
  const head = /^([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})/i.exec(digits)
  if (head === null) return refuse("must have hexadecimal digits after \\# and the count of bytes")
  const [usage = 0, selector = 0, matching = 0] = head.slice(1).map((byte) => Number.parseInt(byte, 16))
  return { usage, selector, matching, data: digits.slice(6) }
}

const form = "of the form _port._protocol.host, such as _443._tcp.www.example.com"
const maxLabelLength = 63
/** RFC 1035 §2.3.4 allows 255 bytes on the wire, which are 253 in text without the trailing dot. */
const maxNameLength = 253
/** The transports that RFC 6698 §3 names. */
const protocols: readonly string[] = ["tcp", "udp", "sctp"]

/**
 * Reads the owner name of a TLSA record (RFC 6698 §3). The trailing dot may be left out.
 * @returns `name` is the whole name in the case given, with a trailing dot; `hostname` is the host without one
 * @throws InputRejected for `record`
 */
export function parseOwnerName(field: string) {
  const labels = toLabels(field)
  const [portLabel = "", protocolLabel = "", ...host] = labels
  const port = toPort(portLabel)
  const protocol = protocolLabel.slice(1).toLowerCase()
  if (!protocolLabel.startsWith("_") || !protocols.includes(protocol))
    refuse("must have _tcp, _udp or _sctp as the second label of the owner name")
  requireHost(host)
  return { name: `${labels.join(".")}.`, port, protocol, hostname: host.join(".") }
}

function toPort(label: string): number {
  if (label === "*") refuse("must name a port instead of the wildcard *, such as _443")
  const digits = /^_(\d+)$/.exec(label)?.[1]
  if (digits === undefined) refuse(`must begin with an owner name ${form}`)
  const port = Number(digits)
  if (port < 1 || port > 65_535) refuse("must have a port from 1 to 65535 in the owner name")
  // Clients look up _443 and never find a record at _0443.
  if (digits.startsWith("0")) refuse("must have a port without leading zeros in the owner name")
  return port
}

function requireHost(labels: readonly string[]): void {
  if (labels.length === 0) refuse(`must have the complete owner name, host included, ${form}`)
  for (const label of labels) {
    if (label === "*") refuse("must name one host: after the port, * is not a wildcard in the DNS")
    // Host names have no underscores (RFC 1123 §2.1), but some servers use them.
    if (!/^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$/i.test(label)) {
      const isHyphenAtEdge = /^[a-z0-9_-]+$/i.test(label)
      refuse(
        isHyphenAtEdge
          ? "must have no host label that begins or ends with a hyphen in the owner name"
          : "must have a host of letters, digits, hyphens and dots in the owner name",
      )
    }
  }
  if (/^\d+$/.test(labels.at(-1) ?? "")) refuse("must have a host name in the owner name, not an IP address")
}

function toLabels(field: string): string[] {
  if (/[^\p{ASCII}]/u.test(field))
    refuse("must have an ASCII owner name: write an internationalized domain in its xn-- form")
  const labels = field.includes("\\") ? splitEscaped(field) : field.split(".")
  if (labels.length > 1 && labels.at(-1) === "") labels.pop()
  if (labels.length === 1 && labels[0] === "") refuse(`must begin with an owner name ${form}`)
  if (labels.includes("")) refuse("must have no empty label in the owner name")
  if (labels.some((label) => label.length > maxLabelLength))
    refuse(`must have owner name labels of at most ${maxLabelLength} characters`)
  if (labels.join(".").length > maxNameLength)
    refuse(`must have an owner name of at most ${maxNameLength} characters`)
  return labels
}

/** Resolves `\X` and `\DDD` (RFC 1035 §5.1). An escaped dot becomes part of its label, which the host rules then refuse. */
function splitEscaped(field: string): string[] {
  const labels: string[] = []
  let label = ""
  for (const [token, decimal, literal] of field.matchAll(/\\(\d{3})|\\(.)|[^\\]|\\/gs)) {
    if (decimal !== undefined) label += String.fromCharCode(Number(decimal))
    else if (literal !== undefined) label += literal
    else if (token === ".") {
      labels.push(label)
      label = ""
    } else label += token
  }
  return [...labels, label]
}
