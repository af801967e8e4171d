import { type Finding, toFinding } from "./issues.ts"
import { limits } from "./limits.ts"
import { allOf, type Directive } from "./record.ts"
import type { Branch, Tree, TreeNode } from "./tree.ts"

/** A record's place in the tree, at its first appearance. */
export interface Visit {
  readonly node: TreeNode
  /** It judges what nothing else matched: the domain itself, or reached from it by redirect alone. */
  readonly isJudge: boolean
  /** Reached by passing includes only, so that whoever it lets pass may send. */
  readonly isOpen: boolean
  /** What looking its terms up brought to light. */
  readonly findings: readonly Finding[]
}

export interface Survey {
  /** Depth-first, in the order of the terms. */
  readonly visits: readonly Visit[]
  /** Every domain, in the order of first mention, the root first. */
  readonly domains: readonly string[]
  /** Terms of RFC 7208 §4.6.4 over the whole tree, a domain included twice counting twice. */
  readonly lookupTerms: number
  readonly voidLookups: number
  /** The bounds cut the tree short, so that the counts are the least there is. */
  readonly isCut: boolean
  /** The `all` that judges in the end, redirects followed; null where there is none. */
  readonly effectiveAll: Directive | null
}

/** Reads a tree from the root down, as a receiver would if nothing ever matched. */
export function surveyTree(tree: Tree): Survey {
  const judges = judgesOf(tree)
  const visits = new Map<string, Visit | null>()
  const totals = new Map<string, { lookupTerms: number; voidLookups: number }>()
  const domains = new Set<string>()
  const path = new Set<string>()
  let isCut = false

  function visit(node: TreeNode, isOpen: boolean): void {
    const total = { lookupTerms: 0, voidLookups: 0 }
    const findings: Finding[] = []
    // Takes the place in the order now; the rest is known once the branches are.
    visits.set(node.domain, null)
    totals.set(node.domain, total)
    domains.add(node.domain)
    path.add(node.domain)
    for (const branch of node.branches) {
      total.lookupTerms++
      if (branch.outcome.kind === "void") total.voidLookups++
      const named = domainOf(branch)
      if (named !== null) domains.add(named)
      if (branch.outcome.kind === "beyond") isCut = true
      const child = branch.outcome.kind === "followed" ? tree.nodes.get(branch.target ?? "") : undefined
      const isLoop = child !== undefined && path.has(child.domain)
      const isRepeated = child !== undefined && !isLoop && visits.has(child.domain)
      findings.push(...findingsOf(branch, node.domain, child, isLoop, isRepeated))
      if (child === undefined || isLoop) continue
      if (!isRepeated) visit(child, isOpen && branch.qualifier === "+")
      total.lookupTerms += totals.get(child.domain)?.lookupTerms ?? 0
      total.voidLookups += totals.get(child.domain)?.voidLookups ?? 0
    }
    path.delete(node.domain)
    visits.set(node.domain, { node, isJudge: judges.has(node.domain), isOpen, findings })
  }

  const root = tree.nodes.get(tree.root)
  if (root !== undefined) visit(root, true)
  const total = totals.get(tree.root) ?? { lookupTerms: 0, voidLookups: 0 }
  const lastJudge = [...judges.values()].at(-1)
  return {
    visits: [...visits.values()].filter((entry) => entry !== null),
    domains: [...domains],
    ...total,
    isCut,
    effectiveAll: lastJudge?.policy.kind === "found" ? allOf(lastJudge.policy.records[0]) : null,
  }
}

/** The domain that a branch names: as asked for where that can be told, otherwise as written. Null without one. */
export function domainOf({ spec, target }: Branch): string | null {
  return spec === null ? null : (target ?? spec.text)
}

/** The root and what its redirects lead to, in order, each once. */
function judgesOf(tree: Tree): ReadonlyMap<string, TreeNode> {
  const judges = new Map<string, TreeNode>()
  let node = tree.nodes.get(tree.root)
  while (node !== undefined && !judges.has(node.domain)) {
    judges.set(node.domain, node)
    const redirect = node.branches.find(({ kind }) => kind === "redirect")
    node = tree.nodes.get(redirect?.target ?? "")
  }
  return judges
}

function findingsOf(
  { term, kind, target, outcome }: Branch,
  domain: string,
  child: TreeNode | undefined,
  isLoop: boolean,
  isRepeated: boolean,
): Finding[] {
  const name = target ?? ""
  switch (outcome.kind) {
    case "failure":
      return [toFinding("DNS_TEMPFAIL", domain, { term, detail: name })]
    case "void":
      return [toFinding("VOID_LOOKUP", domain, { term, detail: name })]
    case "dependent":
      return [toFinding("MACRO_DEPENDENT", domain, { term, detail: outcome.missing.join(" and ") })]
    case "found":
      return findingsOfRecords(outcome, kind, term, domain, name)
    case "idle":
    case "beyond":
      return []
    case "followed":
      break
  }
  if (isLoop) return [toFinding("INCLUDE_LOOP", domain, { term, detail: name })]
  const findings = isRepeated ? [toFinding("DUPLICATE_INCLUDE", domain, { term, detail: name })] : []
  if (child?.policy.kind === "failure")
    findings.push(toFinding("DNS_TEMPFAIL", domain, { term, detail: name }))
  if (child?.policy.kind === "none") {
    findings.push(
      toFinding(kind === "redirect" ? "REDIRECT_NO_RECORD" : "INCLUDE_NO_RECORD", domain, { term }),
    )
  }
  return findings
}

function findingsOfRecords(
  { count, isNullMx }: { readonly count: number; readonly isNullMx: boolean },
  kind: Branch["kind"],
  term: Branch["term"],
  domain: string,
  name: string,
): Finding[] {
  if (kind === "mx" && isNullMx) return [toFinding("NULL_MX_WITHOUT_DENY", domain, { term, detail: name })]
  if (kind === "mx" && count > limits.mxNames)
    return [toFinding("MX_OVER_10", domain, { term, detail: count })]
  if (kind === "ptr" && count > limits.ptrNames) {
    return [toFinding("PTR_NAMES_OVER_10", domain, { term, detail: count })]
  }
  return []
}
