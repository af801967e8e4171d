import type { Network } from "../../values/ip.ts"

/** The result that each qualifier gives to a match (RFC 7208 §4.6.2). */
export const resultOf = { "+": "pass", "-": "fail", "~": "softfail", "?": "neutral" } as const

export type Qualifier = keyof typeof resultOf

/** `c`, `r` and `t` are allowed in explanation text only (RFC 7208 §7.2). */
export type MacroLetter = "s" | "l" | "o" | "d" | "i" | "p" | "v" | "h" | "c" | "r" | "t"

/** `%{…}` (RFC 7208 §7.1). */
export interface Macro {
  readonly letter: MacroLetter
  /** The letter is in upper case, so the value is URL-escaped. */
  readonly isEscaped: boolean
  /** How many right-hand parts are kept; 0 for all. */
  readonly parts: number
  readonly isReversed: boolean
  readonly delimiters: string
}

/** Macros and literal text, in which `%%`, `%_` and `%-` are already replaced. */
export type MacroString = readonly (string | Macro)[]

export type DomainSpec = { readonly text: string; readonly macro: MacroString }

/** A term's text and the byte of the record at which it begins, from 0. */
export type Placed = { readonly text: string; readonly position: number }

export type Mechanism =
  | { readonly kind: "all" }
  | { readonly kind: "include" | "exists"; readonly target: DomainSpec }
  | {
      readonly kind: "a" | "mx"
      /** Null for the current domain. */
      readonly target: DomainSpec | null
      readonly prefix4: number
      readonly prefix6: number
    }
  | { readonly kind: "ptr"; readonly target: DomainSpec | null }
  /** `text` is the network as written. */
  | { readonly kind: "ip4" | "ip6"; readonly network: Network & { readonly text: string } }

export type Directive = Placed & { readonly qualifier: Qualifier; readonly mechanism: Mechanism }

/** `redirect` or `exp`. */
export type TargetModifier = Placed & { readonly target: DomainSpec }

export type UnknownModifier = Placed & { readonly name: string }

export type SyntaxCode =
  | "SYNTAX_ERROR"
  | "UNKNOWN_MECHANISM"
  | "NON_ASCII"
  | "CONTROL_OR_TAB"
  | "MISSING_SPACE"
  | "INVALID_IP"
  | "INVALID_CIDR"
  | "INVALID_DOMAIN_SPEC"
  | "INVALID_MACRO"
  | "DUPLICATE_MODIFIER"
  | "RECORD_TOO_LARGE"

/** Why a term, or the whole record, breaks the grammar. */
export type SyntaxProblem = Placed & { readonly code: SyntaxCode; readonly detail: string }

/** A parsed record. Any problem makes its evaluation a permerror (RFC 7208 §4.6). */
export interface SpfRecord {
  readonly text: string
  /** Every mechanism, those after `all` included. */
  readonly directives: readonly Directive[]
  readonly redirect: TargetModifier | null
  readonly explanation: TargetModifier | null
  readonly unknownModifiers: readonly UnknownModifier[]
  readonly problems: readonly SyntaxProblem[]
}

/** The first `all`: mechanisms after it are ignored (RFC 7208 §5.1). */
export function allOf(record: SpfRecord): Directive | null {
  return record.directives.find(({ mechanism }) => mechanism.kind === "all") ?? null
}

/** The mechanisms before `all`, the only ones that are tested. */
export function reachedOf(record: SpfRecord): readonly Directive[] {
  const all = allOf(record)
  return all === null ? record.directives : record.directives.slice(0, record.directives.indexOf(all))
}

export function targetOf(mechanism: Mechanism): DomainSpec | null {
  return "target" in mechanism ? mechanism.target : null
}

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
