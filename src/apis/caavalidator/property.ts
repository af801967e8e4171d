import type { DnsData } from "../contract.ts"
import { trimBlanks } from "../mail/tag-list.ts"

/** One CAA record (RFC 8659 §4.1). */
export type CaaRecord = DnsData["CAA"]

/** The meaning of a value of `issue`, `issuewild` and the like (RFC 8659 §4.2). */
export interface IssueValue {
  /** The CA that may issue, in lower case; null for none. */
  readonly issuer: string | null
  /** In their order; names in lower case. */
  readonly parameters: readonly { readonly name: string; readonly value: string }[]
}

/** The flag that forbids CAs to issue that do not know the property. */
const critical = 128

export function isCritical({ flags }: CaaRecord): boolean {
  return (flags & critical) !== 0
}

/** The data of a record as a zone file writes them (RFC 1035 §5.1), such as `0 issue "ca.example"`. */
export function toZoneForm({ flags, tag, value }: CaaRecord): string {
  const withEscapes = (bytes: string, special: RegExp) =>
    bytes.replace(special, (byte) =>
      /[!-~]/.test(byte) ? `\\${byte}` : `\\${String(byte.charCodeAt(0)).padStart(3, "0")}`,
    )
  return `${flags} ${withEscapes(tag, /[^!-~]|["().;\\@$]/g)} "${withEscapes(value, /[^ -~]|["\\]/g)}"`
}

/** Whether flags are set that mean nothing (RFC 8659 §4.1). */
export function hasReservedFlags({ flags }: CaaRecord): boolean {
  return (flags & ~critical) !== 0
}

const label = "[a-z\\d](?:[a-z\\d-]*[a-z\\d])?"
const issuerName = new RegExp(`^${label}(?:\\.${label})*$`, "i")
const parameter = new RegExp(`^(${label})[ \\t]*=[ \\t]*([\\x21-\\x3a\\x3c-\\x7e]*)$`, "i")

/** Whether a text is the name of a CA. */
export function isIssuerName(text: string): boolean {
  return issuerName.test(text)
}

/** Reads a value; null if it does not follow the grammar, so that it allows no CA. */
export function readIssueValue(value: string): IssueValue | null {
  const semicolon = value.indexOf(";")
  const issuer = trimBlanks(semicolon < 0 ? value : value.slice(0, semicolon))
  if (issuer !== "" && !isIssuerName(issuer)) return null
  const rest = trimBlanks(semicolon < 0 ? "" : value.slice(semicolon + 1))
  const found = rest === "" ? [] : rest.split(";").map((part) => parameter.exec(trimBlanks(part)))
  const parameters = found.flatMap((match) =>
    match ? [{ name: (match[1] ?? "").toLowerCase(), value: match[2] ?? "" }] : [],
  )
  if (parameters.length < found.length) return null
  return { issuer: issuer === "" ? null : issuer.toLowerCase(), parameters }
}
