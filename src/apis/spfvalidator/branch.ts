import { toReverseName } from "../../values/ip.ts"
import type { DnsAnswer, DnsType } from "../contract.ts"
import { isAskable } from "./domain-name.ts"
import { limits } from "./limits.ts"
import type { Lookups } from "./lookups.ts"
import {
  allOf,
  type Directive,
  type DomainSpec,
  type Mechanism,
  type Placed,
  type Qualifier,
  reachedOf,
  type SpfRecord,
} from "./record.ts"
import type { Session } from "./session.ts"

/** What looking a term up gave, as far as the report needs it. */
export type BranchOutcome =
  /** An include or redirect: what it leads to is a node of the tree. */
  | { readonly kind: "followed" }
  /** The target cannot be told without these parameters. */
  | { readonly kind: "dependent"; readonly missing: readonly string[] }
  /** There is nothing to ask: the name cannot exist, or the term asks about the client. */
  | { readonly kind: "idle" }
  /** Not asked, since the bounds are reached. */
  | { readonly kind: "beyond" }
  | {
      readonly kind: "found"
      readonly count: number
      readonly isNullMx: boolean
      /** The family of which an `a` term finds no address: to clients of that family the look-up is void. */
      readonly lacks: Family | null
      /** Mail exchangers looked at that have no address. */
      readonly deadHosts: readonly string[]
    }
  | { readonly kind: "void" }
  /** `name` got no answer. */
  | { readonly kind: "failure"; readonly name: string }

/** What check_host() asks for depends on the client's family (RFC 7208 §5.3). */
export type Family = "IPv4" | "IPv6"

export type BranchKind = "include" | "redirect" | "a" | "mx" | "ptr" | "exists"

/** A term that counts as a look-up (RFC 7208 §4.6.4). */
export interface Step {
  readonly term: Placed
  readonly kind: BranchKind
  readonly qualifier: Qualifier
  /** Null where the term means the current domain. */
  readonly spec: DomainSpec | null
}

/** The counted terms in the order of evaluation: none behind `all`, and no redirect beside it (RFC 7208 §5.1). */
export function stepsOf(record: SpfRecord): Step[] {
  const steps = reachedOf(record).flatMap(toStep)
  const { redirect } = record
  if (redirect === null || allOf(record) !== null) return steps
  return [...steps, { term: redirect, kind: "redirect", qualifier: "+", spec: redirect.target }]
}

function toStep(directive: Directive): Step[] {
  const { mechanism, qualifier } = directive
  if (!isLookup(mechanism)) return []
  return [{ term: directive, kind: mechanism.kind, qualifier, spec: mechanism.target }]
}

function isLookup(mechanism: Mechanism): mechanism is Exclude<Mechanism, { kind: "all" | "ip4" | "ip6" }> {
  return mechanism.kind !== "all" && mechanism.kind !== "ip4" && mechanism.kind !== "ip6"
}

/** A share of the questions. The check of an address has its own, bounded by RFC 7208 §4.6.4. */
export class Budget {
  readonly #questions: number
  readonly #taken = new Set<string>()

  constructor(questions: number) {
    this.#questions = questions
  }

  /** Takes questions about one name, all or none; those taken before are free. */
  take(name: string, ...types: readonly DnsType[]): boolean {
    const keys = types.map((type) => `${type} ${name}`).filter((key) => !this.#taken.has(key))
    if (this.#taken.size + keys.length > this.#questions) return false
    for (const key of keys) this.#taken.add(key)
    return true
  }
}

/** What the terms of a tree may still ask. */
export interface Budgets {
  readonly terms: Budget
  readonly mxHosts: MxHostBudget
}

/** Places for the mail exchangers of a term are taken before their names are known, so that the order of terms decides. */
export class MxHostBudget {
  #left: number = limits.mxHostQueries

  take(): boolean {
    this.#left -= limits.mxHosts * 2
    return this.#left >= 0
  }
}

/** Looks up what a term other than include and redirect leads to. The question goes out at once. */
export function explore(
  kind: Exclude<BranchKind, "include" | "redirect">,
  target: string,
  { lookups, identity }: Session,
  budgets: Budgets,
): BranchOutcome | Promise<BranchOutcome> {
  const budget = budgets.terms
  if (kind === "ptr") {
    if (identity.ip === null) return idle
    const name = toReverseName(identity.ip)
    if (!budget.take(name, "PTR")) return beyond
    // An address without names says nothing about the record.
    return lookups
      .ask(name, "PTR")
      .then((answer) => (answer.kind === "records" ? toOutcome(answer, target) : idle))
  }
  if (!isAskable(target)) return idle
  if (kind === "a") return budget.take(target, "A", "AAAA") ? exploreAddresses(target, lookups) : beyond
  if (kind === "exists") {
    return budget.take(target, "A")
      ? lookups.ask(target, "A").then((answer) => toOutcome(answer, target))
      : beyond
  }
  if (!budget.take(target, "MX")) return beyond
  return exploreExchangers(target, lookups, budgets.mxHosts.take())
}

const idle = { kind: "idle" } as const
const beyond = { kind: "beyond" } as const

/** A host of one family is a dead end to clients of the other only. */
async function exploreAddresses(name: string, lookups: Lookups): Promise<BranchOutcome> {
  const [four, six] = await Promise.all([lookups.ask(name, "A"), lookups.ask(name, "AAAA")])
  const outcomes = [toOutcome(four, name), toOutcome(six, name)]
  const failure = outcomes.find(({ kind }) => kind === "failure")
  if (failure !== undefined) return failure
  const found = outcomes.find(({ kind }) => kind === "found")
  if (found?.kind !== "found") return { kind: "void" }
  const lacks = four.kind !== "records" ? "IPv4" : six.kind !== "records" ? "IPv6" : null
  return { ...found, lacks }
}

async function exploreExchangers(
  name: string,
  lookups: Lookups,
  looksAtHosts: boolean,
): Promise<BranchOutcome> {
  const answer = await lookups.ask(name, "MX")
  const outcome = toOutcome(answer, name)
  if (outcome.kind !== "found" || answer.kind !== "records" || !looksAtHosts) return outcome
  // With more of them than may be, no exchanger is looked at (RFC 7208 §4.6.4).
  if (outcome.isNullMx || answer.records.length > limits.mxNames) return outcome
  const hosts = answer.records
    .toSorted((one, other) => one.preference - other.preference)
    .map(({ exchange }) => exchange.replace(/\.$/, "").toLowerCase())
    .slice(0, limits.mxHosts)
  const found = await Promise.all(hosts.map((host) => exploreAddresses(host, lookups)))
  const failure = found.find(({ kind }) => kind === "failure")
  if (failure !== undefined) return failure
  return { ...outcome, deadHosts: hosts.filter((_, index) => found[index]?.kind === "void") }
}

function toOutcome(answer: DnsAnswer, name: string): BranchOutcome {
  if (answer.kind === "failure") return { kind: "failure", name }
  if (answer.kind !== "records") return { kind: "void" }
  // RFC 7505 §3
  const isNullMx = answer.records.every((data) => typeof data === "object" && /^\.?$/.test(data.exchange))
  return { kind: "found", count: answer.records.length, isNullMx, lacks: null, deadHosts: [] }
}
