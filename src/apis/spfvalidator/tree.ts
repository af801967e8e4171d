import {
  type BranchOutcome,
  Budget,
  type Budgets,
  explore,
  MxHostBudget,
  type Step,
  stepsOf,
} from "./branch.ts"
import { isAskable } from "./domain-name.ts"
import { limits } from "./limits.ts"
import { parseExplanation } from "./macro.ts"
import { findParentWithRecord } from "./parent-record.ts"
import { type Policy, TextAllowance } from "./policy.ts"
import { missingParameters, type Session, toTarget } from "./session.ts"

/** A term that counts as a look-up (RFC 7208 §4.6.4), and what it leads to. */
export interface Branch extends Step {
  /** The name asked for; null where it depends on the sender. */
  readonly target: string | null
  readonly outcome: BranchOutcome
}

export interface TreeNode {
  readonly domain: string
  readonly policy: Policy
  readonly branches: readonly Branch[]
  /** Why the explanation is of no use; null where it is, or where none was looked at. */
  readonly explanationTrouble: string | null
}

/** Everything that a domain's record leads to. A domain reached twice stands here once. */
export interface Tree {
  readonly root: string
  readonly nodes: ReadonlyMap<string, TreeNode>
  /** The domain above a root without record, should that have one. */
  readonly parentWithRecord: string | null
}

/**
 * Follows a domain's record to its end, no matter what would match. Each level is one round of look-ups side by side.
 * What is asked is decided in the order of the records, never by who answers first: equal zones give equal trees.
 */
export async function walkTree(root: string, session: Session): Promise<Tree> {
  const walk: Walk = {
    session,
    budgets: { terms: new Budget(limits.treeQueries), mxHosts: new MxHostBudget() },
    allowance: new TextAllowance(limits.reportTextOctets),
    planned: new Set(),
    terms: 0,
    next: [],
    mayDescend: true,
  }
  plan(root, walk)
  const nodes: Promise<TreeNode>[] = []
  // The record that judges what no mechanism matched, by redirect: the one whose explanation counts (RFC 7208 §6.2).
  let judge: string | null = root
  for (let depth = 0; walk.next.length > 0; depth++) {
    const level = walk.next
    walk.next = []
    walk.mayDescend = depth < limits.treeDepth
    await Promise.all(level.map((domain) => session.lookups.ask(domain, "TXT")))
    for (const domain of level) {
      const policy = await session.policies.of(domain, walk.allowance)
      const shoots = await grow(domain, policy, walk)
      const isJudge: boolean = domain === judge
      if (isJudge) judge = shoots.find(({ kind }) => kind === "redirect")?.target ?? null
      nodes.push(
        settle(domain, policy, shoots, isJudge ? findExplanationTrouble(domain, policy, walk) : null),
      )
    }
  }
  const byDomain = new Map((await Promise.all(nodes)).map((node) => [node.domain, node]))
  const policy = byDomain.get(root)?.policy
  return {
    root,
    nodes: byDomain,
    parentWithRecord: await findParentWithRecord(root, policy, session.lookups),
  }
}

interface Walk {
  readonly session: Session
  readonly budgets: Budgets
  readonly allowance: TextAllowance
  /** Domains whose record is fetched, or will be with the next level. */
  readonly planned: Set<string>
  /** Terms that look something up, so far. */
  terms: number
  next: string[]
  mayDescend: boolean
}

/** Puts a domain on the next level, unless it stands in the tree already. False when it is beyond the bounds. */
function plan(domain: string, walk: Walk): boolean {
  if (walk.planned.has(domain)) return true
  if (!walk.mayDescend || walk.planned.size >= limits.treeRecords) return false
  if (!walk.budgets.terms.take(domain, "TXT")) return false
  walk.planned.add(domain)
  walk.next.push(domain)
  return true
}

/** A branch whose look-up may still be under way. */
type Shoot = Omit<Branch, "outcome"> & { readonly outcome: BranchOutcome | Promise<BranchOutcome> }

async function grow(domain: string, policy: Policy, walk: Walk): Promise<Shoot[]> {
  const shoots: Shoot[] = []
  for (const step of policy.kind === "found" ? stepsOf(policy.records[0]) : []) {
    const { spec } = step
    walk.terms++
    const missing = missingParameters(spec, walk.session)
    if (missing.length > 0) {
      shoots.push({ ...step, target: null, outcome: { kind: "dependent", missing } })
      continue
    }
    const target = await toTarget(spec, domain, walk.session)
    shoots.push({ ...step, target, outcome: target === null ? { kind: "idle" } : open(step, target, walk) })
  }
  return shoots
}

function open({ kind }: Step, target: string, walk: Walk): BranchOutcome | Promise<BranchOutcome> {
  if (kind === "include" || kind === "redirect") return { kind: plan(target, walk) ? "followed" : "beyond" }
  return walk.terms > limits.treeTerms
    ? { kind: "beyond" }
    : explore(kind, target, walk.session, walk.budgets)
}

async function settle(
  domain: string,
  policy: Policy,
  shoots: readonly Shoot[],
  explanationTrouble: Promise<string | null> | null,
): Promise<TreeNode> {
  const branches = await Promise.all(
    shoots.map(async (shoot): Promise<Branch> => ({ ...shoot, outcome: await shoot.outcome })),
  )
  return { domain, policy, branches, explanationTrouble: await explanationTrouble }
}

/** One question, to tell the owner of a record what receivers would never complain about (RFC 7208 §6.2). */
async function findExplanationTrouble(domain: string, policy: Policy, walk: Walk): Promise<string | null> {
  const spec = policy.kind === "found" ? policy.records[0].explanation?.target : undefined
  if (spec === undefined || missingParameters(spec, walk.session).length > 0) return null
  const target = await toTarget(spec, domain, walk.session)
  if (target === null) return null
  if (!isAskable(target)) return "the name cannot exist"
  if (!walk.budgets.terms.take(target, "TXT")) return null
  const answer = await walk.session.lookups.ask(target, "TXT")
  if (answer.kind === "failure") return "the DNS gave no answer"
  if (answer.kind !== "records") return "there is no TXT record"
  const [text = "", ...more] = answer.records
  if (more.length > 0) return `there are ${answer.records.length} TXT records instead of one`
  if (text.length > limits.recordOctets) return `its text has ${text.length} octets and is not read`
  return parseExplanation(text) === null ? "its text is not plain ASCII with correct macros" : null
}
