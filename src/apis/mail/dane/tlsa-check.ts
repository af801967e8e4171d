import { type Element, elementsOf } from "../../../values/der.ts"
import type { RecordOf } from "../../contract.ts"

/** The data of a TLSA record (RFC 6698 §2.1). */
export interface TlsaRdata {
  readonly usage: number
  readonly selector: number
  readonly matching: number
  /** The certificate association data; may not be hexadecimal when it was written by hand. */
  readonly data: string
}

/** RFC 6698 §2.1.3 assigns 0 to 2. */
const highestMatching = 2
const isMatching = (value: number) => value >= 0 && value <= highestMatching

/**
 * Checks that the numbers of a well-formed record are assigned (RFC 7218) and that its data fits them (RFC 6698 §2.1).
 * @returns `isLengthValid` tells whether selector and matching type allow data of this length, false where the matching type is
 * not assigned; `faults` has one sentence for each fault
 */
export function checkTlsa(rdata: TlsaRdata) {
  const isHexadecimal = /^[0-9a-f]+$/i.test(rdata.data)
  const lengthFault = findLengthFault(rdata, isHexadecimal)
  const faults = [
    findNumberFault("Certificate usage", rdata.usage, 3),
    findNumberFault("Selector", rdata.selector, 1),
    findNumberFault("Matching type", rdata.matching, highestMatching),
    isHexadecimal ? null : describeNonHexadecimal(rdata.data),
    lengthFault,
  ].filter((fault) => fault !== null)
  const isLengthValid = lengthFault === null && isMatching(rdata.matching)
  return { isHexadecimal, isLengthValid, faults }
}

function findNumberFault(field: string, value: number, highest: number): string | null {
  if (value >= 0 && value <= highest) return null
  if (value === 255) return `${field} 255 is for private use and means nothing to other clients.`
  const reason = value < 0 || value > 255 ? "does not fit in one byte" : "is not assigned"
  return `${field} ${value} ${reason}: use 0 to ${highest}.`
}

function describeNonHexadecimal(data: string): string {
  const hints: readonly (readonly [RegExp, string])[] = [
    [/^0x/i, " Leave out the 0x in front."],
    [/"/, " Leave out the quotes."],
    [/^[0-9a-f]{2}(:[0-9a-f]{2})+$/i, " Leave out the colons."],
    [/^[a-z0-9+/]+={0,2}$/i, " If it is base64, write it in hexadecimal."],
  ]
  const hint = hints.find(([pattern]) => pattern.test(data))?.[1] ?? ""
  return `The certificate data has characters that are not hexadecimal digits.${hint}`
}

/** A record holds 65,535 bytes, three of them for the numbers (RFC 1035 §3.2.1). */
const maxDataBytes = 65_535 - 3

function findLengthFault({ selector, matching, data }: TlsaRdata, isHexadecimal: boolean): string | null {
  const count = data.length
  if (matching === 1 && count !== 64) return describeDigestLength("SHA-256", 64, count)
  if (matching === 2 && count !== 128) return describeDigestLength("SHA-512", 128, count)
  if (count % 2 === 1)
    return `The certificate data has ${count} digits, an odd number: one digit is missing or extra.`
  if (count > maxDataBytes * 2)
    return `The certificate data has ${count} digits, more than fit in a DNS record.`
  if (matching !== 0) return null
  if (selector !== 0 && selector !== 1) return null
  const bytes = isHexadecimal ? Uint8Array.fromHex(data) : new Uint8Array()
  if (selector === 0 ? isCertificate(bytes) : isSubjectPublicKeyInfo(bytes)) return null
  return describeFull(selector, count, bytes)
}

function describeDigestLength(name: string, expected: number, count: number): string {
  const other = digestLengths[count]
  const hint = other === undefined ? "" : ` ${count} is the length of ${other}.`
  return `A ${name} digest has ${expected} hexadecimal digits; the data here has ${count} characters.${hint}`
}

const digestLengths: Readonly<Record<number, string>> = {
  40: "SHA-1, which TLSA does not use",
  64: "SHA-256, matching type 1",
  128: "SHA-512, matching type 2",
}

function describeFull(selector: 0 | 1, count: number, bytes: Uint8Array<ArrayBuffer>): string {
  const wanted = selector === 0 ? "certificate" : "SubjectPublicKeyInfo"
  const isOther = selector === 0 ? isSubjectPublicKeyInfo(bytes) : isCertificate(bytes)
  const hint = isOther
    ? ` It is ${selector === 0 ? "a public key, which is selector 1" : "a certificate, which is selector 0"}.`
    : count === 64 || count === 128
      ? ` It looks like a digest, which is matching type ${count / 64}.`
      : ""
  return `With matching type 0 the data must be exactly one complete ${wanted} in DER.${hint}`
}

/** A TLSA record, and whether clients can use it. */
export interface JudgedTlsa {
  readonly usage: number
  readonly selector: number
  readonly matchingType: number
  /** The certificate association data in hexadecimal. */
  readonly data: string
  /** The data as a zone file writes them. */
  readonly text: string
  /** Why clients cannot use it, in one or more sentences; null if they can. */
  readonly fault: string | null
}

/**
 * Whether clients can use a record whose signature is right. For mail between servers (`isMail`), RFC 7672 §3.1.3 leaves out the
 * usages 0 and 1; for other services, RFC 6698 §4.1 and RFC 7671 §4 allow for all four.
 */
export function judgeTlsa({ data, text }: RecordOf<"TLSA">, isMail: boolean): JudgedTlsa {
  const { usage, selector, matchingType } = data
  const { faults } = checkTlsa({ usage, selector, matching: matchingType, data: data.data })
  const isOfPublicCa = usage === 0 || usage === 1
  const sentences =
    isMail && isOfPublicCa
      ? [
          ...faults,
          `Mail servers do not use records of usage ${usage} (RFC 7672 §3.1.3): publish usage 3, or 2 for the certificate of a CA.`,
        ]
      : faults
  const fault = sentences.length === 0 ? null : sentences.join(" ")
  return { usage, selector, matchingType, data: data.data, text, fault }
}

const sequence = 0x30
const bitString = 0x03

/** Whether the bytes are exactly one X.509 certificate, judged by its outer structure (RFC 5280 §4.1). */
function isCertificate(bytes: Uint8Array<ArrayBuffer>): boolean {
  return isSequenceOf(bytes, [sequence, sequence, bitString])
}

/** Whether the bytes are exactly one SubjectPublicKeyInfo, judged by its outer structure (RFC 5280 §4.1). */
function isSubjectPublicKeyInfo(bytes: Uint8Array<ArrayBuffer>): boolean {
  return isSequenceOf(bytes, [sequence, bitString])
}

/** Not so if a length is longer than it must be (X.690 §10.1). */
function isSequenceOf(bytes: Uint8Array<ArrayBuffer>, memberTags: readonly number[]): boolean {
  try {
    const [outer, ...others] = elementsOf(bytes)
    if (outer?.tag !== sequence || others.length > 0) return false
    const members = elementsOf(outer.content)
    const isMember = ({ tag, content }: Element, index: number) =>
      tag === memberTags[index] && content.length > 0
    return (
      [outer, ...members].every(isShort) && members.every(isMember) && members.length === memberTags.length
    )
  } catch (thrown) {
    if (thrown instanceof RangeError) return false
    throw thrown
  }
}

/** Whether the length of an element has as few bytes as it can. */
function isShort({ content: { length }, whole }: Element): boolean {
  const lengthBytes = length < 0x80 ? 0 : Math.ceil(Math.log2(length + 1) / 8)
  return whole.length === 2 + lengthBytes + length
}
