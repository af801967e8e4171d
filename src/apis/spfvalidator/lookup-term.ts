import { toReverseName } from "../../values/ip.ts"
import type { DnsAnswer } from "../contract.ts"
import { isAskable, type Lookups } from "../mail/look-up.ts"
import {
  allOf,
  type Budget,
  type Directive,
  type DomainSpec,
  limits,
  type Placed,
  type Qualifier,
  reachedOf,
  type SpfRecord,
} from "./record.ts"
import type { Session } from "./session.ts"

/** A term that counts as a DNS look-up (RFC 7208 §4.6.4). */
export interface LookupTerm {
  readonly term: Placed
  readonly kind: "include" | "redirect" | "a" | "mx" | "ptr" | "exists"
  readonly qualifier: Qualifier
  /** Null where the term means the current domain. */
  readonly spec: DomainSpec | null
}

/** The result of looking up a term's target, as far as the report needs it. */
export type TermOutcome =
  /** The target of an include or redirect is part of the tree. */
  | { readonly kind: "followed" }
  /** The target depends on these parameters, which were not given. */
  | { readonly kind: "dependent"; readonly missing: readonly string[] }
  /** There was no need to ask: the name cannot exist, or the term is about the client's address. */
  | { readonly kind: "not-asked" }
  /** Not asked because a limit was reached. */
  | { readonly kind: "over-limit" }
  | {
      readonly kind: "found"
      readonly count: number
      readonly isNullMx: boolean
      /** The address family that an `a` term's host lacks: for clients of that family the look-up is void. */
      readonly lacks: Family | null
      /** Mail exchangers without any address, among those looked at. */
      readonly deadHosts: readonly string[]
    }
  | { readonly kind: "void" }
  /** The DNS gave no answer for `name`. */
  | { readonly kind: "failure"; readonly name: string }

/** The client's family decides which addresses check_host() asks for (RFC 7208 §5.3). */
export type Family = "IPv4" | "IPv6"

/** The counted terms in the order of evaluation: no term after `all`, and no redirect in the same record (RFC 7208 §5.1). */
export function lookupTermsOf(record: SpfRecord): LookupTerm[] {
  const terms = reachedOf(record).flatMap(toLookupTerm)
  const { redirect } = record
  if (redirect === null || allOf(record) !== null) return terms
  return [...terms, { term: redirect, kind: "redirect", qualifier: "+", spec: redirect.target }]
}

function toLookupTerm(directive: Directive): LookupTerm[] {
  const { mechanism, qualifier } = directive
  if (mechanism.kind === "all" || "network" in mechanism) return []
  return [{ term: directive, kind: mechanism.kind, qualifier, spec: mechanism.target }]
}

/** The look-ups that the terms of a tree may still make. */
export interface TermBudget {
  readonly queries: Budget
  /** `mx` terms whose hosts may still be looked up, counted in the order of the terms and not of the answers. */
  mxTermsLeft: number
}

/** Looks up the target of a term other than include and redirect. The query goes out at once. */
export function lookUpTerm(
  kind: Exclude<LookupTerm["kind"], "include" | "redirect">,
  target: string,
  { lookups, identity }: Session,
  budget: TermBudget,
): TermOutcome | Promise<TermOutcome> {
  const { queries } = budget
  if (kind === "ptr") {
    if (identity.ip === null) return notAsked
    const name = toReverseName(identity.ip)
    if (!queries.take(1, `PTR ${name}`)) return overLimit
    // An address without names says nothing about the record.
    return lookups
      .ask(name, "PTR")
      .then((answer) => (answer.kind === "records" ? toOutcome(answer, target) : notAsked))
  }
  if (!isAskable(target)) return notAsked
  if (kind === "a")
    return queries.take(1, `A ${target}`, `AAAA ${target}`) ? lookUpAddresses(target, lookups) : overLimit
  if (kind === "exists") {
    if (!queries.take(1, `A ${target}`)) return overLimit
    return lookups.ask(target, "A").then((answer) => toOutcome(answer, target))
  }
  if (!queries.take(1, `MX ${target}`)) return overLimit
  return lookUpExchangers(target, lookups, budget.mxTermsLeft-- > 0)
}

const notAsked = { kind: "not-asked" } as const
const overLimit = { kind: "over-limit" } as const

async function lookUpAddresses(name: string, lookups: Lookups): Promise<TermOutcome> {
  const [ipv4, ipv6] = await Promise.all([lookups.ask(name, "A"), lookups.ask(name, "AAAA")])
  const outcomes = [toOutcome(ipv4, name), toOutcome(ipv6, name)]
  const failure = outcomes.find(({ kind }) => kind === "failure")
  if (failure !== undefined) return failure
  const found = outcomes.find(({ kind }) => kind === "found")
  if (found?.kind !== "found") return { kind: "void" }
  return { ...found, lacks: ipv4.kind !== "records" ? "IPv4" : ipv6.kind !== "records" ? "IPv6" : null }
}

async function lookUpExchangers(name: string, lookups: Lookups, looksAtHosts: boolean): Promise<TermOutcome> {
  const answer = await lookups.ask(name, "MX")
  const outcome = toOutcome(answer, name)
  if (outcome.kind !== "found" || answer.kind !== "records" || !looksAtHosts) return outcome
  // More than 10 exchangers are a permerror before any address is looked up (RFC 7208 §4.6.4).
  if (outcome.isNullMx || answer.records.length > limits.mxNames) return outcome
  const hosts = answer.records
    .toSorted((one, other) => one.preference - other.preference)
    .map(({ exchange }) => exchange.replace(/\.$/, "").toLowerCase())
    .slice(0, limits.mxHosts)
  const found = await Promise.all(hosts.map((host) => lookUpAddresses(host, lookups)))
  const failure = found.find(({ kind }) => kind === "failure")
  if (failure !== undefined) return failure
  return { ...outcome, deadHosts: hosts.filter((_, index) => found[index]?.kind === "void") }
}

function toOutcome(answer: DnsAnswer<"A" | "AAAA" | "MX" | "PTR">, name: string): TermOutcome {
  if (answer.kind === "failure") return { kind: "failure", name }
  if (answer.kind !== "records") return { kind: "void" }
  // RFC 7505 §3
  const isNullMx = answer.records.every((data) => typeof data === "object" && /^\.?$/.test(data.exchange))
  return { kind: "found", count: answer.records.length, isNullMx, lacks: null, deadHosts: [] }
}
