export type Severity = "error" | "warning" | "info"

export interface IssueKind {
  readonly severity: Severity
  /** The result of check_host() wherever it gets to this: the record is not valid. */
  readonly breaks?: "permerror" | "temperror"
  readonly reference: string
  /** For the documentation. */
  readonly meaning: string
  /** For the answer; `{term}` and `{detail}` are filled in, and the reference is put behind. */
  readonly message: string
}

/** Every issue that a report can hold. `docs/spfvalidator.md` shows the same table. */
export const issueKinds = {
  NO_RECORD: {
    severity: "error",
    reference: "RFC 7208 §4.5",
    meaning: "The domain has no SPF record.",
    message: "{detail}; publish one, 'v=spf1 -all' if the domain sends no mail",
  },
  SUBDOMAIN_NO_RECORD: {
    severity: "info",
    reference: "RFC 7208 §10.1.2",
    meaning: "The domain has no SPF record, and that of the domain above it does not count here.",
    message:
      "the record of '{detail}' does not cover its subdomains; each needs its own, if only 'v=spf1 -all'",
  },
  MULTIPLE_RECORDS: {
    severity: "error",
    breaks: "permerror",
    reference: "RFC 7208 §3.2",
    meaning: "The domain has two or more SPF records.",
    message: "{detail} SPF records; merge them into one",
  },
  DNS_TEMPFAIL: {
    severity: "error",
    breaks: "temperror",
    reference: "RFC 7208 §2.6.6",
    meaning: "The DNS did not answer a question that the record needs.",
    message: "the DNS gave no answer for '{detail}'; try again, and check its name servers if it stays so",
  },
  SYNTAX_ERROR: {
    severity: "error",
    breaks: "permerror",
    reference: "RFC 7208 §4.6",
    meaning: "A term fits no rule of the grammar.",
    message: "'{term}' {detail}; correct or remove it",
  },
  UNKNOWN_MECHANISM: {
    severity: "error",
    breaks: "permerror",
    reference: "RFC 7208 §4.6.1",
    meaning: "A mechanism that does not exist, often a typing error.",
    message: "'{term}': {detail}",
  },
  NON_ASCII: {
    severity: "error",
    breaks: "permerror",
    reference: "RFC 7208 §3.1",
    meaning: "Characters beyond ASCII in the record.",
    message: "'{term}' {detail}; write international names as A-labels (xn--)",
  },
  CONTROL_OR_TAB: {
    severity: "error",
    breaks: "permerror",
    reference: "RFC 7208 §4.6.1",
    meaning: "A tab, line break, control character, curly quote or no-break space in the record.",
    message: "'{term}' {detail}; separate terms by plain spaces",
  },
  MISSING_SPACE: {
    severity: "error",
    breaks: "permerror",
    reference: "RFC 7208 §4.6.1",
    meaning: "Two terms, or the version and a term, without a space between them.",
    message: "'{term}' looks like two terms glued together; put a space between them",
  },
  BAD_VERSION_TAG: {
    severity: "error",
    reference: "RFC 7208 §4.5",
    meaning: "A TXT record that looks like SPF but does not begin with `v=spf1` and a space.",
    message: "'{term}' is not taken for SPF; begin it with 'v=spf1' and a space, or remove it",
  },
  INVALID_IP: {
    severity: "error",
    breaks: "permerror",
    reference: "RFC 7208 §5.6",
    meaning: "No address, or one of the wrong family, behind `ip4` or `ip6`.",
    message: "'{term}': {detail}",
  },
  INVALID_CIDR: {
    severity: "error",
    breaks: "permerror",
    reference: "RFC 7208 §5.6",
    meaning: "A prefix length out of range, with leading zeros, or where none may stand.",
    message: "'{term}': {detail}",
  },
  INVALID_DOMAIN_SPEC: {
    severity: "error",
    breaks: "permerror",
    reference: "RFC 7208 §7.1",
    meaning:
      "No domain, or one that cannot exist: a single label, a numeric top label, a label over 63 octets.",
    message: "'{term}': {detail}",
  },
  INVALID_MACRO: {
    severity: "error",
    breaks: "permerror",
    reference: "RFC 7208 §7.1",
    meaning: "A `%` that begins no macro, an unknown letter, or `c`, `r`, `t` outside explanation text.",
    message: "'{term}': {detail}",
  },
  DUPLICATE_MODIFIER: {
    severity: "error",
    breaks: "permerror",
    reference: "RFC 7208 §6",
    meaning: "`redirect` or `exp` more than once.",
    message: "'{term}' {detail}; keep one",
  },
  TOO_MANY_LOOKUPS: {
    severity: "error",
    breaks: "permerror",
    reference: "RFC 7208 §4.6.4",
    meaning: "More than 10 terms of the whole tree look something up.",
    message: "{detail} look-ups where 10 are allowed; remove includes or list networks instead",
  },
  LOOKUPS_NEAR_LIMIT: {
    severity: "warning",
    reference: "RFC 7208 §4.6.4",
    meaning: "9 or 10 terms look something up.",
    message: "{detail} look-ups of the 10 allowed; the next include may break the record",
  },
  TOO_MANY_VOID_LOOKUPS: {
    severity: "error",
    breaks: "permerror",
    reference: "RFC 7208 §4.6.4",
    meaning:
      "More than 2 look-ups find nothing; a warning, and no permerror to others, where that is so for clients of one family only.",
    message: "{detail} where 2 are allowed; remove the dead terms",
  },
  VOID_LOOKUP: {
    severity: "warning",
    reference: "RFC 7208 §4.6.4",
    meaning:
      "The target of a term, or a mail exchanger of it, does not exist or has no such records; or none for clients of one family, where these are too many.",
    message: "'{term}' finds nothing {detail}; remove it or correct the name",
  },
  MX_OVER_10: {
    severity: "error",
    breaks: "permerror",
    reference: "RFC 7208 §4.6.4",
    meaning: "An `mx` term whose target has more than 10 mail exchangers.",
    message: "'{term}' leads to {detail} mail exchangers where 10 are allowed; list networks instead",
  },
  PTR_NAMES_OVER_10: {
    severity: "info",
    reference: "RFC 7208 §4.6.4",
    meaning: "The `ip` has more than 10 host names; the others are ignored.",
    message: "'{term}': the address has {detail} host names, and only the first 10 are looked at",
  },
  INCLUDE_NO_RECORD: {
    severity: "error",
    breaks: "permerror",
    reference: "RFC 7208 §5.2",
    meaning: "An included domain without SPF record.",
    message: "'{term}' includes a domain without SPF record; remove it or correct the name",
  },
  REDIRECT_NO_RECORD: {
    severity: "error",
    breaks: "permerror",
    reference: "RFC 7208 §6.1",
    meaning: "A redirect to a domain without SPF record.",
    message: "'{term}' leads to a domain without SPF record; remove it or correct the name",
  },
  INCLUDE_LOOP: {
    severity: "error",
    breaks: "permerror",
    reference: "RFC 7208 §4.6.4",
    meaning: "A domain that includes or redirects to itself, directly or through others.",
    message: "'{term}' leads back to '{detail}'; remove it",
  },
  DUPLICATE_INCLUDE: {
    severity: "warning",
    reference: "RFC 7208 §4.6.4",
    meaning: "The same domain is included more than once in the tree, at the cost of look-ups.",
    message: "'{term}' includes '{detail}' once more; include it once",
  },
  DUPLICATE_TERM: {
    severity: "warning",
    reference: "RFC 7208 §4.6.2",
    meaning: "The same mechanism twice, or a network inside another.",
    message: "'{term}' adds nothing to '{detail}'; remove it",
  },
  PASS_ALL: {
    severity: "error",
    reference: "RFC 7208 §5.1",
    meaning: "`+all`, or `all` without qualifier: everybody may send.",
    message: "'{term}' lets anybody send; use '-all' or '~all'",
  },
  NEUTRAL_ALL: {
    severity: "warning",
    reference: "RFC 7208 §8.2",
    meaning: "`?all`: nothing is said about other senders.",
    message: "'{term}' says nothing about other senders; use '-all' or '~all'",
  },
  NO_ALL_OR_REDIRECT: {
    severity: "warning",
    reference: "RFC 7208 §4.7",
    meaning: "The record ends without `all` or `redirect`, which means neutral.",
    message: "the record says nothing about other senders; end it with '-all' or '~all'",
  },
  TERMS_AFTER_ALL: {
    severity: "warning",
    reference: "RFC 7208 §5.1",
    meaning: "A mechanism behind `all`, which is never reached.",
    message: "'{term}' stands behind 'all' and is ignored; move or remove it",
  },
  REDIRECT_WITH_ALL: {
    severity: "warning",
    reference: "RFC 7208 §5.1",
    meaning: "`redirect` beside `all`, where it is ignored.",
    message: "'{term}' is ignored beside 'all'; remove one of them",
  },
  PTR_USED: {
    severity: "warning",
    reference: "RFC 7208 §5.5",
    meaning: "The `ptr` mechanism or the `p` macro: slow, unreliable, not to be published.",
    message: "'{term}' is slow and unreliable; use 'a', 'mx', 'ip4' or 'ip6' instead",
  },
  RECORD_LARGE: {
    severity: "warning",
    reference: "RFC 7208 §3.4",
    meaning: "The record is over 450 octets, or the whole TXT answer over 1,232 and needs TCP.",
    message: "{detail}; shorten the record or remove other TXT records",
  },
  RECORD_TOO_LARGE: {
    severity: "error",
    reference: "RFC 7208 §3.4",
    meaning:
      "The record is over 1,232 octets and always needs TCP, or so large that it is not read (a permerror).",
    message: "{detail}; shorten it or move parts of it into includes",
  },
  BROAD_RANGE: {
    severity: "warning",
    reference: "RFC 7208 §11.4",
    meaning:
      "A very large network may send: ip4 from /9 to /15 or ip6 from /20 to /31; an error for anything larger.",
    message: "'{term}' lets {detail} send; name the networks that really do",
  },
  RESERVED_ADDRESS: {
    severity: "warning",
    reference: "RFC 6890",
    meaning: "A private, loopback, link-local, documentation, multicast or otherwise reserved network.",
    message: "'{term}' is {detail}, from where no mail arrives; remove it",
  },
  HOST_BITS_SET: {
    severity: "info",
    reference: "RFC 7208 §5.6",
    meaning: "A network written with an address inside it; the host bits are ignored.",
    message: "'{term}' means the network {detail}; write it so",
  },
  UPPERCASE_TERMS: {
    severity: "info",
    reference: "RFC 7208 §4.6.1",
    meaning: "The version or a name in upper case, which is legal.",
    message: "'{term}' is usually written in lower case",
  },
  EXTRA_WHITESPACE: {
    severity: "info",
    reference: "RFC 7208 §4.6.1",
    meaning: "Double or trailing spaces, which are legal.",
    message: "the record has double or trailing spaces; one between terms is enough",
  },
  SENDER_ID_RECORD: {
    severity: "info",
    reference: "RFC 4406",
    meaning: "A `spf2.0/` record of the abandoned Sender ID.",
    message: "'{term}' belongs to Sender ID, which nobody uses any more; remove it",
  },
  EXP_PROBLEM: {
    severity: "info",
    reference: "RFC 7208 §6.2",
    meaning: "The explanation cannot be fetched or read, and receivers go without it.",
    message: "'{term}' gives no explanation: {detail}",
  },
  UNKNOWN_MODIFIER: {
    severity: "info",
    reference: "RFC 7208 §6",
    meaning: "A modifier that is not known and ignored; a warning where a mechanism is written with `=`.",
    message: "'{term}' is no known modifier and is ignored{detail}",
  },
  NULL_MX_WITHOUT_DENY: {
    severity: "info",
    reference: "RFC 7505 §4.2",
    meaning: "`mx` where the domain has a null MX, and so takes no mail.",
    message:
      "'{term}' matches nothing, since '{detail}' takes no mail; if it sends none, 'v=spf1 -all' says so",
  },
  MACRO_DEPENDENT: {
    severity: "info",
    reference: "RFC 7208 §7.2",
    meaning: "The target depends on the sender, and was not followed without `ip`, `sender` or `helo`.",
    message: "'{term}' depends on the sender and was not followed; give {detail} to see where it leads",
  },
  SOFTFAIL_ALL: {
    severity: "info",
    reference: "RFC 7208 §8.5",
    meaning: "`~all`: other senders are marked, not refused.",
    message:
      "'{term}' marks other senders but does not refuse them; '-all' does, once every sender is listed",
  },
} as const satisfies Record<string, IssueKind>

export type IssueCode = keyof typeof issueKinds
