import { showBytes } from "../mail/tag-list.ts"
import { limits, type Placed } from "./record.ts"
import type { Issue } from "./schema.ts"

/** An issue, and what the report needs to sort it and to judge the record. */
export interface Finding extends Issue {
  readonly code: IssueCode
  /** The byte at which the term begins in its record; 0 for the record as a whole. */
  readonly position: number
  readonly causes: "permerror" | "temperror" | null
}

/**
 * Builds a finding from the table of kinds.
 * @param term the term concerned, as bytes; null for the record as a whole
 * @param detail fills `{detail}` of the kind's message
 * @param changes where this finding differs from its kind
 */
export function toFinding(
  code: IssueCode,
  domain: string,
  term: Placed | null = null,
  detail: string | number = "",
  changes: { readonly severity?: Issue["severity"]; readonly causes?: "permerror" | null } = {},
): Finding {
  const { severity, causes, reference, message } = issueKinds[code]
  const quotedTerm = term && quote(term.text)
  const text = message
    .replace("{term}", () => quotedTerm ?? "")
    .replace("{detail}", () => quote(String(detail)))
  return {
    code,
    severity,
    message: `${text.charAt(0).toUpperCase()}${text.slice(1)} (${reference}).`,
    domain,
    term: quotedTerm,
    position: term?.position ?? 0,
    causes,
    ...changes,
  }
}

function quote(bytes: string): string {
  return showBytes(bytes, limits.termCharacters)
}

interface IssueKind {
  readonly severity: "error" | "warning" | "info"
  /** The error in which check_host() ends when it reaches the issue; such a record is not valid. */
  readonly causes: "permerror" | "temperror" | null
  readonly reference: string
  /** The client's text. `{term}` and `{detail}` are filled in, and the reference is added at the end. */
  readonly message: string
}

/**
 * Every issue that a report can hold: its severity, or the error in which check_host() ends, the section, and the message.
 * Sections without a standard are those of RFC 7208. `docs/spfvalidator.md` explains each code.
 */
const table = {
  NO_RECORD: "error §4.5: {detail}; publish one: 'v=spf1 -all' if the domain sends no mail",
  WRONG_PLACE: "warning §3: '{term}' is where nobody looks for it; its place is {detail}",
  SUBDOMAIN_NO_RECORD:
    "info §10.1.2: the record of '{detail}' does not cover its subdomains; each subdomain needs its own record, at least 'v=spf1 -all'",
  MULTIPLE_RECORDS: "permerror §3.2: the domain has {detail} SPF records; merge them into one",
  DNS_TEMPFAIL:
    "temperror §2.6.6: the DNS gave no answer for '{detail}'; try again, and check the domain's name servers if it happens again",
  SYNTAX_ERROR: "permerror §4.6: '{term}' {detail}",
  UNKNOWN_MECHANISM: "permerror §4.6.1: '{term}': {detail}",
  NON_ASCII: "permerror §3.1: '{term}' {detail}",
  CONTROL_OR_TAB: "permerror §4.6.1: '{term}' {detail}",
  MISSING_SPACE:
    "permerror §4.6.1: '{term}' looks like two terms; put a space between them, also where one string of the record ends",
  BAD_VERSION_TAG: "error §4.5: '{term}' is not recognized as SPF: {detail}",
  INVALID_IP: "permerror §5.6: '{term}': {detail}",
  INVALID_CIDR: "permerror §5.6: '{term}': {detail}",
  INVALID_DOMAIN_SPEC: "permerror §7.1: '{term}': {detail}",
  INVALID_MACRO: "permerror §7.1: '{term}': {detail}",
  DUPLICATE_MODIFIER: "permerror §6: '{term}' {detail}; keep one",
  TOO_MANY_LOOKUPS:
    "permerror §4.6.4: the record needs {detail}, but only 10 are allowed; remove includes or list networks instead",
  LOOKUPS_NEAR_LIMIT:
    "warning §4.6.4: the record needs {detail} of the 10 allowed; another include may break it",
  TOO_MANY_VOID_LOOKUPS: "permerror §4.6.4: {detail}",
  VOID_LOOKUP: "warning §4.6.4: '{term}' finds nothing {detail}",
  MX_OVER_10:
    "permerror §4.6.4: '{term}' has {detail} mail exchangers, but only 10 are allowed; list networks instead",
  PTR_NAMES_OVER_10:
    "info §4.6.4: '{term}': the address has {detail} host names, and only the first 10 are checked",
  INCLUDE_NO_RECORD:
    "permerror §5.2: '{term}' includes a domain without an SPF record; remove it or correct the name",
  REDIRECT_NO_RECORD:
    "permerror §6.1: '{term}' redirects to a domain without an SPF record; remove it or correct the name",
  INCLUDE_LOOP: "permerror §4.6.4: '{term}' makes a loop back to '{detail}'; remove it",
  DUPLICATE_INCLUDE: "warning §4.6.4: '{term}' includes '{detail}' again; include it only once",
  DUPLICATE_TERM: "warning §4.6.2: '{term}' adds nothing to '{detail}'; remove it",
  PASS_ALL: "error §5.1: '{term}' lets anyone send; use '-all' or '~all'",
  NEUTRAL_ALL: "warning §8.2: '{term}' says nothing about other senders; use '-all' or '~all'",
  NO_ALL_OR_REDIRECT:
    "warning §4.7: the record says nothing about other senders; end it with '-all' or '~all'",
  TERMS_AFTER_ALL:
    "warning §5.1: '{term}' comes after 'all' and is ignored; move it before 'all' or remove it",
  REDIRECT_WITH_ALL: "warning §5.1: '{term}' is ignored because the record has 'all'; remove one of them",
  PTR_USED: "warning §5.5: '{term}' is slow and unreliable; use 'a', 'mx', 'ip4' or 'ip6' instead",
  RECORD_LARGE: "warning §3.4: {detail}; shorten the record or remove other TXT records",
  RECORD_TOO_LARGE: "error §3.4: {detail}; shorten the record or move parts of it into includes",
  BROAD_RANGE: "warning §11.4: '{term}' lets {detail} send; list only the networks that really send",
  RESERVED_ADDRESS: "warning RFC 6890: '{term}' is {detail}; no mail can come from there, so remove it",
  HOST_BITS_SET: "info §5.6: '{term}' means the network {detail}; write that instead",
  UPPERCASE_TERMS: "info §4.6.1: '{term}' is usually written in lower case",
  EXTRA_WHITESPACE: "info §4.6.1: the record has double or trailing spaces; use one space between terms",
  SENDER_ID_RECORD: "info RFC 4406: '{term}' belongs to Sender ID, which is no longer used; remove it",
  EXP_PROBLEM: "info §6.2: '{term}' gives no explanation: {detail}",
  UNKNOWN_MODIFIER: "info §6: '{term}' is not a known modifier and is ignored{detail}",
  NULL_MX_WITHOUT_DENY:
    "info RFC 7505 §4.2: '{term}' matches nothing, since '{detail}' accepts no mail; if it sends no mail either, publish 'v=spf1 -all'",
  MACRO_DEPENDENT:
    "info §7.2: '{term}' depends on the sender and was not followed; give {detail} to look it up",
  SOFTFAIL_ALL:
    "info §8.5: '{term}' marks mail from other senders but does not reject it; use '-all' once every sender is listed",
} as const satisfies Record<
  string,
  `${IssueKind["severity"] | "permerror" | "temperror"} ${string}: ${string}`
>

export type IssueCode = keyof typeof table

/** Every issue that a report can hold. */
export const issueKinds = Object.fromEntries(
  Object.entries(table).map(([code, line]) => [code, toKind(line)]),
) as Readonly<Record<IssueCode, IssueKind>>

function toKind(line: string): IssueKind {
  const [, word = "", section = "", message = ""] = /^(\w+) ([^:]+): (.*)$/.exec(line) ?? []
  const causes = word === "permerror" || word === "temperror" ? word : null
  const severity = word === "warning" || word === "info" ? word : "error"
  return { severity, causes, reference: section.startsWith("§") ? `RFC 7208 ${section}` : section, message }
}
