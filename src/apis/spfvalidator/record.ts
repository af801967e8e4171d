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
