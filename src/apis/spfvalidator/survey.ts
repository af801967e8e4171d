import type { BranchOutcome, Family } from "./branch.ts"
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
  /** Terms of RFC 7208 §4.6.4 over the whole tree, a domain included twice counting twice. A safe integer. */
  readonly lookupTerms: number
  /** Those whose look-up finds nothing, by the client's family, counted in the same way. */
  readonly voidLookups: Readonly<Record<Family, number>>
  /** The bounds cut the tree short, so that the counts are the least there is. */
  readonly isCut: boolean
  /** The `all` that judges in the end, redirects followed; null where there is none. */
  readonly effectiveAll: Directive | null
}

/** Reads a tree from the root down, as a receiver would if nothing ever matched. */
export function surveyTree(tree: Tree): Survey {
  const judges = judgesOf(tree)
  const visits = new Map<string, Visit | null>()
  const totals = new Map<string, Totals>()
  const domains = new Set<string>()
  const path = new Set<string>()
  let isCut = false

  function visit(node: TreeNode, isOpen: boolean): void {
    const total = newTotals()
    const findings: Finding[] = []
    // Takes the place in the order now; the rest is known once the branches are.
    visits.set(node.domain, null)
    totals.set(node.domain, total)
    domains.add(node.domain)
    path.add(node.domain)
    for (const branch of node.branches) {
      addTo(total, { lookupTerms: 1, voidLookups: voidsOf(branch) })
      const named = domainOf(branch)
      if (named !== null) domains.add(named)
      if (branch.outcome.kind === "beyond" && isDescent(branch)) isCut = true
      const child = branch.outcome.kind === "followed" ? tree.nodes.get(branch.target ?? "") : undefined
      const isLoop = child !== undefined && path.has(child.domain)
      const isRepeated = child !== undefined && !isLoop && visits.has(child.domain)
      findings.push(...findingsOf(branch, node.domain, child, isLoop, isRepeated))
      if (child === undefined || isLoop) continue
      if (!isRepeated) visit(child, isOpen && branch.qualifier === "+")
      addTo(total, totals.get(child.domain) ?? newTotals())
    }
    path.delete(node.domain)
    visits.set(node.domain, { node, isJudge: judges.has(node.domain), isOpen, findings })
  }

  const root = tree.nodes.get(tree.root)
  if (root !== undefined) visit(root, true)
  const total = totals.get(tree.root) ?? newTotals()
  const lastJudge = [...judges.values()].at(-1)
  return {
    visits: [...visits.values()]
      .filter((entry) => entry !== null)
      .map((entry) => withOneFamilyVoids(entry, total.voidLookups)),
    domains: [...domains],
    ...total,
    isCut,
    effectiveAll: lastJudge?.policy.kind === "found" ? allOf(lastJudge.policy.records[0]) : null,
  }
}

interface Totals {
  lookupTerms: number
  readonly voidLookups: Record<Family, number>
}

const families: readonly Family[] = ["IPv4", "IPv6"]

function newTotals(): Totals {
  return { lookupTerms: 0, voidLookups: { IPv4: 0, IPv6: 0 } }
}

/** Domains that include each other ten levels deep make numbers that no integer is exact for. */
function addTo(total: Totals, more: Totals): void {
  const add = (one: number, other: number) => Math.min(one + other, Number.MAX_SAFE_INTEGER)
  total.lookupTerms = add(total.lookupTerms, more.lookupTerms)
  for (const family of families) {
    total.voidLookups[family] = add(total.voidLookups[family], more.voidLookups[family])
  }
}

/** A term is void to the clients of whose family it finds nothing, since no other is asked for (RFC 7208 §5.3). */
function voidsOf({ outcome }: Branch): Record<Family, number> {
  const isVoid = (family: Family) =>
    outcome.kind === "void" || (outcome.kind === "found" && outcome.lacks === family)
  return { IPv4: isVoid("IPv4") ? 1 : 0, IPv6: isVoid("IPv6") ? 1 : 0 }
}

/**
 * Hosts of one family are as good as any, until so many lack the other that its clients reach the limit of void
 * look-ups: only then is each of them an issue.
 */
function withOneFamilyVoids(visit: Visit, voidLookups: Survey["voidLookups"]): Visit {
  const findings = visit.node.branches.flatMap(({ term, target, outcome }) => {
    if (outcome.kind !== "found" || outcome.lacks === null) return []
    if (voidLookups[outcome.lacks] <= limits.voidLookups) return []
    const detail = `for ${outcome.lacks} clients at '${target}'`
    return [toFinding("VOID_LOOKUP", visit.node.domain, { term, detail })]
  })
  return findings.length === 0 ? visit : { ...visit, findings: [...visit.findings, ...findings] }
}

function isDescent({ kind }: Branch): boolean {
  return kind === "include" || kind === "redirect"
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
      return [toFinding("DNS_TEMPFAIL", domain, { term, detail: outcome.name })]
    case "void":
      return [toFinding("VOID_LOOKUP", domain, { term, detail: `at '${name}'` })]
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
  if (child?.policy.kind === "unread") findings.push(toUnread(child.policy.octets, domain, term, name))
  if (child?.policy.kind === "none") {
    findings.push(
      toFinding(kind === "redirect" ? "REDIRECT_NO_RECORD" : "INCLUDE_NO_RECORD", domain, { term }),
    )
  }
  return findings
}

function toUnread(octets: number, domain: string, term: Branch["term"], name: string): Finding {
  const detail = `the ${octets} octets of TXT records at '${name}' are more than is read`
  return toFinding("RECORD_TOO_LARGE", domain, { term, detail, breaks: "permerror" })
}

function findingsOfRecords(
  { count, isNullMx, deadHosts }: BranchOutcome & { readonly kind: "found" },
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
  return deadHosts.map((host) =>
    toFinding("VOID_LOOKUP", domain, { term, detail: `at its mail exchanger '${host}'` }),
  )
}
