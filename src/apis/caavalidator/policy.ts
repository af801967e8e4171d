import type { DnsData } from "../contract.ts"
import { trimBlanks } from "../mail/tag-list.ts"

/** A CA that may issue, under conditions (RFC 8657). */
interface Permission {
  readonly issuer: string
  /** The only account that may order; several in one record allow none. Empty for any. */
  readonly accounts: readonly string[]
  /** The only methods of validation; null for any. */
  readonly methods: readonly string[] | null
}

/** The authorities that may issue certificates. */
type Policy =
  /** No record restricts it. */
  { readonly kind: "any" } | { readonly kind: "listed"; readonly permissions: readonly Permission[] }

/** The properties that this API knows, in lower case. */
const knownTags = new Set([
  ...["issue", "issuewild", "iodef"],
  // RFC 9495 §2, and the CA/Browser Forum's Baseline Requirements, appendix A.
  ...["issuemail", "issuevmc", "contactemail", "contactphone"],
])
const issueTags = new Set(["issue", "issuewild", "issuemail", "issuevmc"])

/** Tags are compared without case (RFC 8659 §4.1). */
export function tagOf({ tag }: CaaRecord): string {
  return tag.toLowerCase()
}

export function isKnown(record: CaaRecord): boolean {
  return knownTags.has(tagOf(record))
}

/** Whether the value says who may issue. */
export function hasIssuer(record: CaaRecord): boolean {
  return issueTags.has(tagOf(record))
}

/** A property that a CA does not know, but must. It then issues nothing (RFC 8659 §4.1). */
export function forbidsAll(record: CaaRecord): boolean {
  return isCritical(record) && !isKnown(record)
}

/** The authorities that may issue certificates of web servers, for a name or for a wildcard (RFC 8659 §4.2, 4.3). */
export function policyOf(records: readonly CaaRecord[], isWildcard: boolean): Policy {
  if (records.some(forbidsAll)) return { kind: "listed", permissions: [] }
  const withTag = (tag: string) => records.filter((record) => tagOf(record) === tag)
  const wild = isWildcard ? withTag("issuewild") : []
  const used = wild.length > 0 ? wild : withTag("issue")
  if (used.length === 0) return { kind: "any" }
  const permissions = used.flatMap(({ value }) => {
    const read = readIssueValue(value)
    return read?.issuer ? [toPermission(read.issuer, read)] : []
  })
  return { kind: "listed", permissions }
}

function toPermission(issuer: string, { parameters }: IssueValue): Permission {
  const valuesOf = (name: string) =>
    parameters.filter((parameter) => parameter.name === name).map(({ value }) => value)
  const methods = valuesOf("validationmethods")
  return {
    issuer,
    accounts: valuesOf("accounturi"),
    // If the parameter occurs several times, only the methods that each of them names; an empty list allows none.
    methods: methods.length === 0 ? null : common(methods.map((list) => list.split(","))),
  }
}

function common([first = [], ...others]: readonly (readonly string[])[]): readonly string[] {
  return first.filter((method) => method !== "" && others.every((list) => list.includes(method)))
}

/** One CAA record (RFC 8659 §4.1). */
export type CaaRecord = DnsData["CAA"]

/** The meaning of a value of `issue`, `issuewild` and the like (RFC 8659 §4.2). */
interface IssueValue {
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
