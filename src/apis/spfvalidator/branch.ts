import type { DnsAnswer, DnsFailure, DnsType } from "../contract.ts"
import { isAskable } from "./domain-name.ts"
import { limits } from "./limits.ts"
import { toReverseName } from "./network.ts"
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
  | { readonly kind: "found"; readonly count: number; readonly isNullMx: boolean }
  | { readonly kind: "void" }
  | { readonly kind: "failure"; readonly reason: DnsFailure }

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

/** The report's share of the questions. The check of an address has its own, bounded by RFC 7208 §4.6.4. */
export class Budget {
  readonly #taken = new Set<string>()

  /** Takes questions about one name, all or none; those taken before are free. */
  take(name: string, ...types: readonly DnsType[]): boolean {
    const keys = types.map((type) => `${type} ${name}`).filter((key) => !this.#taken.has(key))
    if (this.#taken.size + keys.length > limits.treeQueries) return false
    for (const key of keys) this.#taken.add(key)
    return true
  }
}

/** Looks up what a term other than include and redirect leads to. The question goes out at once. */
export function explore(
  kind: Exclude<BranchKind, "include" | "redirect">,
  target: string,
  { lookups, identity }: Session,
  budget: Budget,
): BranchOutcome | Promise<BranchOutcome> {
  if (kind === "ptr") {
    if (identity.ip === null) return idle
    const name = toReverseName(identity.ip)
    if (!budget.take(name, "PTR")) return beyond
    // An address without names says nothing about the record.
    return lookups.ask(name, "PTR").then((answer) => (answer.kind === "records" ? toOutcome([answer]) : idle))
  }
  if (!isAskable(target)) return idle
  if (kind === "a") {
    if (!budget.take(target, "A", "AAAA")) return beyond
    // A host of one family is no dead end: the term is void only where both are missing.
    return Promise.all([lookups.ask(target, "A"), lookups.ask(target, "AAAA")]).then(toOutcome)
  }
  const type = kind === "mx" ? "MX" : "A"
  if (!budget.take(target, type)) return beyond
  return lookups.ask(target, type).then((answer) => toOutcome([answer]))
}

const idle = { kind: "idle" } as const
const beyond = { kind: "beyond" } as const

function toOutcome(answers: readonly DnsAnswer[]): BranchOutcome {
  for (const answer of answers) if (answer.kind === "failure") return answer
  const records = answers.flatMap((answer) => (answer.kind === "records" ? answer.records : []))
  if (records.length === 0) return { kind: "void" }
  // RFC 7505 §3
  const isNullMx = records.every((data) => typeof data === "object" && /^\.?$/.test(data.exchange))
  return { kind: "found", count: records.length, isNullMx }
}
