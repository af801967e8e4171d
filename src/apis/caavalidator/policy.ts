import { type CaaRecord, type IssueValue, isCritical, readIssueValue } from "./property.ts"

/** A CA that may issue, under conditions (RFC 8657). */
export interface Permission {
  readonly issuer: string
  /** The only account that may order; several in one record allow none. Empty for any. */
  readonly accounts: readonly string[]
  /** The only methods of validation; null for any. */
  readonly methods: readonly string[] | null
}

/** The authorities that may issue certificates. */
export type Policy =
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
