/**
 * Everything that bounds one validation, RFC limits and own ones, in one place. Whoever publishes a record decides
 * what we look up, so no record tree may cost more than this. `docs/spfvalidator.md` shows the same table.
 */
export const limits = {
  /** RFC 7208 §4.6.4. */
  lookupTerms: 10,
  /** RFC 7208 §4.6.4. */
  voidLookups: 2,
  /** RFC 7208 §4.6.4. */
  mxNames: 10,
  /** RFC 7208 §4.6.4. */
  ptrNames: 10,
  recordOctets: 8_192,
  recordTerms: 500,
  recordsPerDomain: 2,
  reportTextOctets: 32_768,
  checkTextOctets: 32_768,
  treeDepth: 10,
  treeRecords: 30,
  treeTerms: 10,
  treeQueries: 60,
  mxHosts: 5,
  mxHostQueries: 40,
  queries: 240,
  explanationOctets: 2_048,
  issues: 100,
  termCharacters: 200,
  milliseconds: 20_000,
  sliceMilliseconds: 5,
} as const

export type LimitName = keyof typeof limits

/** What each bound counts and what happens beyond it, for the documentation. */
export const limitMeanings: Readonly<Record<LimitName, string>> = {
  lookupTerms: "Terms that look something up (RFC 7208 §4.6.4); one more is a permerror.",
  voidLookups: "Terms whose look-up finds nothing (RFC 7208 §4.6.4); one more is a permerror.",
  mxNames: "Mail exchangers of one `mx` term (RFC 7208 §4.6.4); one more is a permerror.",
  ptrNames: "Names of one `ptr` term or `p` macro (RFC 7208 §4.6.4); the others are ignored.",
  recordOctets:
    "Octets of one record; a longer one is not read and is a permerror. An explanation as long is dropped.",
  recordTerms: "Terms of one record; a record with more is a permerror.",
  recordsPerDomain: "SPF records of one domain that are read; two are a permerror already.",
  reportTextOctets:
    "Octets of all TXT records that the report reads, those that are not SPF included; a domain beyond is a permerror.",
  checkTextOctets: "The same for the check of an `ip`, which reads in an order of its own.",
  treeDepth: "Levels of include and redirect below the domain that the report follows.",
  treeRecords: "Domains whose record the report fetches.",
  treeTerms:
    "Terms after which the report asks for no more than records: one look-up more is a permerror anyway.",
  treeQueries: "DNS questions that the report asks; the terms beyond are counted without asking.",
  mxHosts: "Mail exchangers of one `mx` term whose addresses the report asks for.",
  mxHostQueries: "DNS questions for those; the exchangers of further terms are not looked at.",
  queries: "DNS questions of one validation in all, the check of an `ip` included.",
  explanationOctets: "Octets of an explanation after its macros; a longer one is dropped.",
  issues: "Issues in one answer; the others are left out.",
  termCharacters: "Characters of a term that an issue quotes.",
  milliseconds: "Time of one validation; what has not answered by then is a temperror.",
  sliceMilliseconds: "Time that a validation computes before other calls get a turn.",
}
