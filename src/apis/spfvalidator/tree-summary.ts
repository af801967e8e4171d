import { type Finding, toFinding } from "./issues.ts"
import type { Family, LookupTerm, TermOutcome } from "./lookup-term.ts"
import { allOf, type Directive, limits } from "./record.ts"
import type { ResolvedTerm, Tree, TreeNode } from "./tree.ts"

export interface TreeSummary {
  /** Depth-first, in the order of the terms. */
  readonly records: readonly RecordSummary[]
  /** Every domain in the order of first mention, the root first. */
  readonly domains: readonly string[]
  /** Terms of RFC 7208 §4.6.4 in the whole tree; those of a domain included twice count twice. A safe integer. */
  readonly lookupTerms: number
  /** The share of each term of the domain's own record in this count, largest first. */
  readonly costs: readonly TermCost[]
  /** Void look-ups, by address family; counted in the same way. */
  readonly voidLookups: Readonly<Record<Family, number>>
  /** The limits cut the tree short, so the real counts may be higher. */
  readonly isTruncated: boolean
  /** The `all` that applies in the end, redirects followed; null without one. */
  readonly effectiveAll: Directive | null
  /** The DNS did not answer for the target of the last redirect. */
  readonly isAllUnknown: boolean
}

interface TermCost {
  /** The text in the record: `include:spf.example`. */
  readonly term: string
  readonly lookupTerms: number
}

/** The place of a domain's record in the tree, where it is first mentioned. */
export interface RecordSummary {
  readonly node: TreeNode
  /** Its result applies when no mechanism matches: it is the domain's own record or the target of its redirects. */
  readonly isDeciding: boolean
  /** Every include on the way to it has the qualifier `+`, so the senders it passes may send for the domain. */
  readonly grantsPass: boolean
  readonly findings: readonly Finding[]
}

/** Walks a tree from the root down, as a receiver would if no mechanism matched. */
export function summarizeTree(tree: Tree): TreeSummary {
  const deciding = decidingNodes(tree)
  const records = new Map<string, RecordSummary | null>()
  const totals = new Map<string, Totals>()
  const domains = new Set<string>()
  const path = new Set<string>()
  const costs: TermCost[] = []
  let isTruncated = false

  function visit(node: TreeNode, grantsPass: boolean): void {
    const total = newTotals()
    const findings: Finding[] = []
    // Takes the record's place in the order now; the rest is known after its terms.
    records.set(node.domain, null)
    totals.set(node.domain, total)
    domains.add(node.domain)
    path.add(node.domain)
    for (const term of node.terms) {
      const before = total.lookupTerms
      follow(term, node, total, findings, grantsPass)
      if (node.domain === tree.root)
        costs.push({ term: term.term.text, lookupTerms: total.lookupTerms - before })
    }
    path.delete(node.domain)
    records.set(node.domain, { node, isDeciding: deciding.has(node.domain), grantsPass, findings })
  }

  function follow(
    term: ResolvedTerm,
    node: TreeNode,
    total: Totals,
    findings: Finding[],
    grantsPass: boolean,
  ): void {
    addTo(total, { lookupTerms: 1, voidLookups: voidLookupsOf(term) })
    const named = domainOf(term)
    if (named !== null) domains.add(named)
    const { kind } = term.outcome
    if (kind === "over-limit" && (term.kind === "include" || term.kind === "redirect")) isTruncated = true
    const child = kind === "followed" ? tree.nodes.get(term.target ?? "") : undefined
    const isLoop = child !== undefined && path.has(child.domain)
    const isRepeated = child !== undefined && !isLoop && records.has(child.domain)
    findings.push(...findInTerm(term, node.domain, child, isLoop, isRepeated))
    if (child === undefined || isLoop) return
    if (!isRepeated) visit(child, grantsPass && term.qualifier === "+")
    addTo(total, totals.get(child.domain) ?? newTotals())
  }

  const root = tree.nodes.get(tree.root)
  if (root !== undefined) visit(root, true)
  const total = totals.get(tree.root) ?? newTotals()
  const last = [...deciding.values()].at(-1)
  return {
    records: [...records.values()]
      .filter((record) => record !== null)
      .map((record) => withOneFamilyVoids(record, total.voidLookups)),
    domains: [...domains],
    ...total,
    costs: costs.sort((a, b) => b.lookupTerms - a.lookupTerms),
    isTruncated,
    effectiveAll: last?.policy.kind === "found" ? allOf(last.policy.records[0]) : null,
    isAllUnknown: last?.policy.kind === "failure",
  }
}

type Totals = { lookupTerms: number; readonly voidLookups: Record<Family, number> }

function newTotals(): Totals {
  return { lookupTerms: 0, voidLookups: { IPv4: 0, IPv6: 0 } }
}

/** Ten levels of domains that include each other make counts too large for an exact number. */
function addTo(total: Totals, more: Totals): void {
  const add = (one: number, other: number) => Math.min(one + other, Number.MAX_SAFE_INTEGER)
  total.lookupTerms = add(total.lookupTerms, more.lookupTerms)
  for (const family of ["IPv4", "IPv6"] as const)
    total.voidLookups[family] = add(total.voidLookups[family], more.voidLookups[family])
}

/** A look-up is void for the clients of a family that it finds no address of (RFC 7208 §5.3). */
function voidLookupsOf({ outcome }: ResolvedTerm): Record<Family, number> {
  const count = (family: Family) =>
    outcome.kind === "void" || (outcome.kind === "found" && outcome.lacks === family) ? 1 : 0
  return { IPv4: count("IPv4"), IPv6: count("IPv6") }
}

/**
 * Hosts of one family are an issue only when so many lack the other that its clients reach the void look-up limit. So is an
 * `exists` that finds nothing: that is how it says no.
 */
function withOneFamilyVoids(record: RecordSummary, voidLookups: TreeSummary["voidLookups"]): RecordSummary {
  const { domain, terms } = record.node
  const findings = terms.flatMap(({ kind, term, target, outcome }) => {
    if (kind === "exists" && outcome.kind === "void")
      return Math.max(voidLookups.IPv4, voidLookups.IPv6) > limits.voidLookups
        ? [
            toFinding(
              "VOID_LOOKUP",
              domain,
              term,
              `at '${target}'; it counts as a void look-up when it says no`,
            ),
          ]
        : []
    if (outcome.kind !== "found" || outcome.lacks === null) return []
    if (voidLookups[outcome.lacks] <= limits.voidLookups) return []
    return [
      toFinding(
        "VOID_LOOKUP",
        domain,
        term,
        `for ${outcome.lacks} clients at '${target}'; give it an ${outcome.lacks} address too, or list networks`,
      ),
    ]
  })
  return findings.length === 0 ? record : { ...record, findings: [...record.findings, ...findings] }
}

/** The domain that a term names: as asked for, or as written where that depends on the sender. Null without one. */
export function domainOf({ spec, target }: ResolvedTerm): string | null {
  return spec === null ? null : (target ?? spec.text)
}

/** The root and the targets of its redirects, in order, each once. */
function decidingNodes(tree: Tree): ReadonlyMap<string, TreeNode> {
  const deciding = new Map<string, TreeNode>()
  let node = tree.nodes.get(tree.root)
  while (node !== undefined && !deciding.has(node.domain)) {
    deciding.set(node.domain, node)
    const redirect = node.terms.find(({ kind }) => kind === "redirect")
    node = tree.nodes.get(redirect?.target ?? "")
  }
  return deciding
}

function findInTerm(
  { term, kind, target, outcome }: ResolvedTerm,
  domain: string,
  child: TreeNode | undefined,
  isLoop: boolean,
  isRepeated: boolean,
): Finding[] {
  const name = target ?? ""
  if (outcome.kind === "failure") return [toFinding("DNS_TEMPFAIL", domain, term, outcome.name)]
  if (outcome.kind === "void" && kind !== "exists")
    return [toFinding("VOID_LOOKUP", domain, term, `at '${name}'; correct the name, or remove the term`)]
  if (outcome.kind === "dependent")
    return [toFinding("MACRO_DEPENDENT", domain, term, outcome.missing.join(" and "))]
  if (outcome.kind === "found") return findInRecords(outcome, kind, term, domain, name)
  if (outcome.kind !== "followed") return []
  if (isLoop) return [toFinding("INCLUDE_LOOP", domain, term, name)]
  const findings = isRepeated ? [toFinding("DUPLICATE_INCLUDE", domain, term, name)] : []
  const policy = child?.policy
  if (policy?.kind === "failure") findings.push(toFinding("DNS_TEMPFAIL", domain, term, name))
  if (policy?.kind === "unread") {
    const detail = `the TXT records at '${name}' have ${policy.bytes} bytes in all and are not read`
    findings.push(toFinding("RECORD_TOO_LARGE", domain, term, detail, { causes: "permerror" }))
  }
  if (policy?.kind === "none")
    findings.push(toFinding(kind === "redirect" ? "REDIRECT_NO_RECORD" : "INCLUDE_NO_RECORD", domain, term))
  return findings
}

function findInRecords(
  { count, isNullMx, deadHosts }: TermOutcome & { readonly kind: "found" },
  kind: LookupTerm["kind"],
  term: LookupTerm["term"],
  domain: string,
  name: string,
): Finding[] {
  if (kind === "mx" && isNullMx) return [toFinding("NULL_MX_WITHOUT_DENY", domain, term, name)]
  if (kind === "mx" && count > limits.mxNames) return [toFinding("MX_OVER_10", domain, term, count)]
  if (kind === "ptr" && count > limits.ptrNames) return [toFinding("PTR_NAMES_OVER_10", domain, term, count)]
  return deadHosts.map((host) =>
    toFinding("VOID_LOOKUP", domain, term, `at its mail exchanger '${host}'; give it an address`),
  )
}
