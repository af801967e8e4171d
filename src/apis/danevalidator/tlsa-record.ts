import type { TlsaRdata } from "../mail/dane/tlsa-check.ts"
import { parseOwnerName } from "./owner-name.ts"
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
  for (const [, amount, unit = "s"] of field.matchAll(/(\d+)([smhdw]?)/gi)) {
    seconds += Number(amount) * (unitSeconds[unit.toLowerCase() || "s"] ?? 1)
  }
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
