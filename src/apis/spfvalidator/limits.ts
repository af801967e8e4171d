/**
 * Bounds the work of one validation. The publisher of a record decides what we look up, so without these limits an
 * attacker's records could make a call as expensive as they want. `docs/spfvalidator.md` shows the same table.
 */
export const limits = {
  // RFC 7208 §4.6.4: one look-up, void look-up or mail exchanger more is a permerror; further PTR names are ignored.
  lookupTerms: 10,
  voidLookups: 2,
  mxNames: 10,
  ptrNames: 10,
  // A longer record is a permerror and is not read.
  recordBytes: 8_192,
  recordTerms: 500,
  /** SPF records of one domain that are read: two are already a permerror. */
  recordsPerDomain: 2,
  /** TXT bytes that the report reads, records that are not SPF included. */
  reportTextBytes: 32_768,
  /** The same for the check of an `ip`, which reads the records in another order. */
  checkTextBytes: 32_768,
  // How far the report follows the tree of records.
  treeDepth: 10,
  treeRecords: 30,
  treeTerms: 10,
  treeQueries: 60,
  /** Mail exchangers of one `mx` term whose addresses the report looks up. */
  mxHosts: 5,
  mxHostQueries: 40,
  /** DNS queries of one validation, the check of an `ip` included. */
  queries: 240,
  explanationBytes: 2_048,
  issues: 100,
  termCharacters: 200,
  /** Time for one validation; names without an answer by then are temporary errors. */
  validationMs: 20_000,
} as const

/** Limits what one reader may ask for or read. Repeating something is free. */
export class Budget {
  readonly #limit: number
  readonly #paid = new Set<string>()
  #used = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Pays `cost` for each item that is not paid for yet. False, and nothing is paid, when that exceeds the limit. */
  take(cost: number, ...items: readonly string[]): boolean {
    const unpaid = items.filter((item) => !this.#paid.has(item))
    if (this.#used + cost * unpaid.length > this.#limit) return false
    this.#used += cost * unpaid.length
    for (const item of unpaid) this.#paid.add(item)
    return true
  }
}
