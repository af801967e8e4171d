import { isAskable, type Lookups } from "../mail/look-up.ts"
import { findMisplaced, type Misplaced } from "../mail/text-records.ts"
import {
  type LookupTerm,
  lookUpTerm,
  lookupTermsOf,
  type TermBudget,
  type TermOutcome,
} from "./lookup-term.ts"
import { parseExplanation } from "./macro.ts"
import { Budget, limits } from "./record.ts"
import { isSpf, missingParameters, type Policy, type Session, toTarget } from "./session.ts"

/** Every record that a domain's record includes or redirects to, directly or not. Each domain is one node. */
export interface Tree {
  readonly root: string
  readonly nodes: ReadonlyMap<string, TreeNode>
  /** The domain above the root, when that has an SPF record and the root has none. */
  readonly parentWithRecord: string | null
  /** Records in the wrong place, looked for when the root has none. */
  readonly misplaced: readonly Misplaced[]
}

export interface TreeNode {
  readonly domain: string
  readonly policy: Policy
  readonly terms: readonly ResolvedTerm[]
  /** Why the explanation cannot be used; null when it can, or when it was not looked at. */
  readonly explanationTrouble: string | null
}

export interface ResolvedTerm extends LookupTerm {
  /** The name asked for; null where it depends on the sender. */
  readonly target: string | null
  readonly outcome: TermOutcome
}

/** A term whose look-up may still be under way. */
type PendingTerm = Omit<ResolvedTerm, "outcome"> & { readonly outcome: TermOutcome | Promise<TermOutcome> }

/**
 * Follows a domain's record to its end, whatever would match. Each level of the tree is one round of parallel look-ups.
 * The order of the records alone decides what is asked, never the speed of the answers: equal zones make equal trees.
 */
export async function walkTree(root: string, session: Session): Promise<Tree> {
  const walk: Walk = {
    session,
    budget: {
      queries: new Budget(limits.treeQueries),
      mxTermsLeft: Math.floor(limits.mxHostQueries / (2 * limits.mxHosts)),
    },
    textBytes: new Budget(limits.reportTextBytes),
    planned: new Set(),
    termCount: 0,
    next: [],
    mayDescend: true,
  }
  plan(root, walk)
  const nodes: Promise<TreeNode>[] = []
  // Redirects move the decision to another record, and only the deciding record's explanation counts (RFC 7208 §6.2).
  let deciding: string | null = root
  for (let depth = 0; walk.next.length > 0; depth++) {
    const level = walk.next
    walk.next = []
    walk.mayDescend = depth < limits.treeDepth
    await Promise.all(level.map((domain) => session.lookups.ask(domain, "TXT")))
    for (const domain of level) {
      const policy = await session.policies.of(domain, walk.textBytes)
      const terms = await startLookups(domain, policy, walk)
      const isDeciding: boolean = domain === deciding
      if (isDeciding) deciding = terms.find(({ kind }) => kind === "redirect")?.target ?? null
      const trouble = isDeciding ? findExplanationTrouble(domain, policy, walk) : null
      nodes.push(toNode(domain, policy, terms, trouble))
    }
  }
  const byDomain = new Map((await Promise.all(nodes)).map((node) => [node.domain, node]))
  const policy = byDomain.get(root)?.policy
  const ask = (name: string) => session.lookups.ask(name, "TXT")
  const [parentWithRecord, misplaced] = await Promise.all([
    findParentWithRecord(root, policy, session.lookups),
    policy?.kind === "none" ? findMisplaced("spf", root, root, policy.others, ask) : [],
  ])
  return { root, nodes: byDomain, parentWithRecord, misplaced }
}

interface Walk {
  readonly session: Session
  readonly budget: TermBudget
  readonly textBytes: Budget
  /** Domains whose record is fetched, or will be with the next level. */
  readonly planned: Set<string>
  termCount: number
  next: string[]
  mayDescend: boolean
}

/** Puts a domain on the next level, unless the tree has it already. False when a limit forbids it. */
function plan(domain: string, walk: Walk): boolean {
  if (walk.planned.has(domain)) return true
  if (!walk.mayDescend || walk.planned.size >= limits.treeRecords) return false
  if (!walk.budget.queries.take(1, `TXT ${domain}`)) return false
  walk.planned.add(domain)
  walk.next.push(domain)
  return true
}

async function startLookups(domain: string, policy: Policy, walk: Walk): Promise<PendingTerm[]> {
  const pending: PendingTerm[] = []
  for (const term of policy.kind === "found" ? lookupTermsOf(policy.records[0]) : []) {
    walk.termCount++
    const missing = missingParameters(term.spec, walk.session)
    if (missing.length > 0) {
      pending.push({ ...term, target: null, outcome: { kind: "dependent", missing } })
      continue
    }
    const target = await toTarget(term.spec, domain, walk.session)
    const outcome = target === null ? ({ kind: "not-asked" } as const) : startLookup(term, target, walk)
    pending.push({ ...term, target, outcome })
  }
  return pending
}

function startLookup({ kind }: LookupTerm, target: string, walk: Walk): PendingTerm["outcome"] {
  if (kind === "include" || kind === "redirect")
    return { kind: plan(target, walk) ? "followed" : "over-limit" }
  if (walk.termCount > limits.treeTerms) return { kind: "over-limit" }
  return lookUpTerm(kind, target, walk.session, walk.budget)
}

async function toNode(
  domain: string,
  policy: Policy,
  pending: readonly PendingTerm[],
  explanationTrouble: Promise<string | null> | null,
): Promise<TreeNode> {
  const terms = await Promise.all(pending.map(async (term) => ({ ...term, outcome: await term.outcome })))
  return { domain, policy, terms, explanationTrouble: await explanationTrouble }
}

/** Receivers ignore a broken explanation (RFC 7208 §6.2), so the owner of the record hears of it only here. */
async function findExplanationTrouble(domain: string, policy: Policy, walk: Walk): Promise<string | null> {
  const spec = policy.kind === "found" ? policy.records[0].explanation?.target : undefined
  if (spec === undefined || missingParameters(spec, walk.session).length > 0) return null
  const target = await toTarget(spec, domain, walk.session)
  if (target === null) return null
  if (!isAskable(target)) return "the name cannot exist"
  if (!walk.budget.queries.take(1, `TXT ${target}`)) return null
  const answer = await walk.session.lookups.ask(target, "TXT")
  if (answer.kind === "failure") return "the DNS gave no answer"
  if (answer.kind !== "records") return "there is no TXT record"
  const [text = "", ...more] = answer.records
  if (more.length > 0) return `there are ${answer.records.length} TXT records instead of one`
  if (text.length > limits.recordBytes) return `its text has ${text.length} bytes and is not read`
  return parseExplanation(text) === null ? "its text is not plain ASCII with correct macros" : null
}

/** The domain above one without an SPF record, whose record does not cover its subdomains (RFC 7208 §10.1.2). */
async function findParentWithRecord(domain: string, policy: Policy | undefined, lookups: Lookups) {
  const parent = domain.slice(domain.indexOf(".") + 1)
  if (policy?.kind !== "none" || !policy.exists || !parent.includes(".")) return null
  const answer = await lookups.ask(parent, "TXT")
  return answer.kind === "records" && answer.records.some(isSpf) ? parent : null
}
