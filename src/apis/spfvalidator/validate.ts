import { type Address, isIpv6, parseAddress } from "../../values/ip.ts"
import { type RunContext, reject, unavailable } from "../contract.ts"
import { createLookups, requireDomain } from "../mail/look-up.ts"
import { toDisplayText } from "../mail/tag-list.ts"
import { type CheckResult, checkHost } from "./check-host.ts"
import { type Finding, toFinding } from "./issues.ts"
import { lintPolicy } from "./lint.ts"
import { lookupTermsOf } from "./lookup-term.ts"
import { allOf, limits, type Qualifier, reachedOf, resultOf, type SpfRecord } from "./record.ts"
import type { Issue, RecordEntry, SpfInput, SpfReport } from "./schema.ts"
import { createPolicies, type Session, toIdentity } from "./session.ts"
import { type Tree, type TreeNode, walkTree } from "./tree.ts"
import { domainOf, type RecordSummary, summarizeTree, type TreeSummary } from "./tree-summary.ts"

/**
 * Validates a domain's SPF record and, with `ip`, checks whether that address may send. Both run at the same time and
 * share their look-ups. When `signal` fires, names that have not answered count as temporary errors.
 * @throws InputRejected for a malformed domain or ip
 * @throws Unavailable when the DNS does not answer for the domain itself and there is no `ip`
 */
export async function validate(input: SpfInput, { ports, giveWay }: RunContext, signal: AbortSignal) {
  const startedAtMs = ports.clock.monotonicMs()
  const domain = await requireDomain(input.domain)
  const ip = input.ip === undefined ? null : requireAddress(input.ip)

  const lookups = createLookups(ports.dns, signal, limits.queries)
  const identity = await toIdentity(domain, ip, input, ports.clock)
  const session: Session = { identity, lookups, policies: createPolicies(lookups, giveWay) }
  const walk = walkTree(domain, session)
  const [tree, check] = await Promise.all([walk, ip === null ? null : checkHost(ip, domain, session)])
  const policy = tree.nodes.get(domain)?.policy
  // With an address there is an answer without DNS: a receiver would get temperror (RFC 7208 §4.4).
  if (policy?.kind === "failure" && check === null)
    unavailable(`The DNS gave no answer for ${domain} (${policy.reason}). Try again later.`, policy.reason)
  return toReport(tree, check, Math.round((ports.clock.monotonicMs() - startedAtMs) * 100) / 100)
}

function requireAddress(text: string): Address {
  const address = parseAddress(text)
  if (address !== null) return address
  if (text.includes("/")) reject("ip", "must be a single IP address, without a prefix length")
  if (text.includes("%")) reject("ip", "must be an IP address without a zone")
  return reject("ip", "must be an IPv4 or IPv6 address")
}

export interface RiskInput {
  readonly hasRecord: boolean
  /** The qualifier of the `all` that applies in the end, redirects followed; null without one. */
  readonly effectiveAll: Qualifier | null
  /** The record whose `all` applies is not known: the DNS did not answer for the target of a redirect. */
  readonly isAllUnknown?: boolean
  readonly lookupTerms: number
  /** Some issue in the tree causes a permerror, so receivers cannot use the record. */
  readonly hasPermerror: boolean
  /** The DNS did not answer for a name in the tree, so it is not known what receivers can use. */
  readonly hasTemperror: boolean
}

/** How easily others can send mail in the domain's name, from 0 to 100; higher is easier. */
export function toRiskScore(input: RiskInput): number {
  const { hasRecord, effectiveAll, isAllUnknown, lookupTerms, hasPermerror, hasTemperror } = input
  if (!hasRecord) return hasTemperror ? leastWithTemperror : 100
  const base = effectiveAll === null ? (isAllUnknown ? 0 : riskWithoutAll) : riskOfAll[effectiveAll]
  const nearLimit = lookupTerms === 9 || lookupTerms === 10 ? 5 : 0
  const least = hasPermerror ? leastWithPermerror : hasTemperror ? leastWithTemperror : 0
  return Math.min(100, Math.max(base + nearLimit, least))
}

const riskOfAll: Readonly<Record<Qualifier, number>> = { "-": 0, "~": 40, "?": 70, "+": 95 }
const riskWithoutAll = 75
/** A permerror leaves receivers no policy, whatever the record says. */
const leastWithPermerror = 75
const leastWithTemperror = 40

export function toRiskLevel(score: number): "low" | "medium" | "high" {
  if (score <= 33) return "low"
  return score <= 66 ? "medium" : "high"
}

/** Makes the answer from the tree of records and, with an `ip`, the result of its check. */
function toReport(tree: Tree, check: CheckResult | null, elapsedMs: number): SpfReport {
  const summary = summarizeTree(tree)
  const policy = tree.nodes.get(tree.root)?.policy
  const record = policy?.kind === "found" ? policy.records[0] : null
  const findings = [...findInTotals(tree, summary), ...summary.records.flatMap(findInRecord)]
  const entries = summary.records.flatMap(({ node }) => toEntries(node))
  const score = toRiskScore({
    hasRecord: record !== null,
    effectiveAll: summary.effectiveAll?.qualifier ?? null,
    isAllUnknown: summary.isAllUnknown,
    lookupTerms: summary.lookupTerms,
    hasPermerror: findings.some(({ causes }) => causes === "permerror"),
    hasTemperror: findings.some(({ causes }) => causes === "temperror"),
  })
  const all = record && allOf(record)
  // The check can fail where the tree shows no issue, for example on look-ups that only this address causes.
  const isCheckError = check?.result === "permerror" || check?.result === "temperror"
  return {
    host: tree.root,
    has_spf_record: policy?.kind === "failure" ? null : record !== null,
    dns_lookups_num: summary.lookupTerms,
    spf_record: record === null ? "" : toDisplayText(record.text),
    spf_records_list: entries,
    domains_extracted: record === null ? [] : [...summary.domains],
    authorized_ips: {
      ipv4: [...new Set(entries.flatMap((entry) => entry.authorized_ips?.ipv4 ?? []))],
      ipv6: [...new Set(entries.flatMap((entry) => entry.authorized_ips?.ipv6 ?? []))],
    },
    issues_found: findings.slice(0, limits.issues).map(toIssue),
    spf_valid: record !== null && findings.every(({ causes }) => causes === null) && !isCheckError,
    has_issues: findings.length > 0,
    macros_found: entries.some((entry) => entry.use_macro),
    ip_pass: check?.result === "pass",
    ...(check && { ip_result: check.result }),
    ...(check?.explanation && { ip_explanation: check.explanation }),
    elapsed_ms: elapsedMs,
    all_qualifier: all && resultOf[all.qualifier],
    risk_score: score,
    risk_level: toRiskLevel(score),
  }
}

/** The records of a domain; of several, which is a mistake, only the first was followed. */
function toEntries({ domain, policy, terms }: TreeNode): RecordEntry[] {
  if (policy.kind !== "found") return []
  return policy.records.map((record, index) => {
    const named =
      index === 0 ? terms.map(domainOf) : lookupTermsOf(record).map(({ spec }) => spec?.text ?? null)
    return toEntry(domain, record, [...new Set(named.filter((name) => name !== null))])
  })
}

function toEntry(origin: string, record: SpfRecord, domains: string[]): RecordEntry {
  const text = toDisplayText(record.text)
  const ipv4 = networksOf(record, false)
  const ipv6 = networksOf(record, true)
  return {
    origin,
    record: text,
    chars_num: text.length,
    use_macro: record.text.replaceAll("%%", "").includes("%{"),
    ...(domains.length > 0 && { domains }),
    ...(ipv4.length + ipv6.length > 0 && { authorized_ips: ipv6.length > 0 ? { ipv4, ipv6 } : { ipv4 } }),
  }
}

/** The literal networks that may send, as written: qualifier `+`, and not after `all`. */
function networksOf(record: SpfRecord, isSix: boolean): string[] {
  return reachedOf(record).flatMap(({ mechanism, qualifier }) => {
    if (!("network" in mechanism) || qualifier !== "+") return []
    return isIpv6(mechanism.network.address) === isSix ? [mechanism.network.text] : []
  })
}

function findInTotals({ root, nodes, parentWithRecord, misplaced }: Tree, summary: TreeSummary): Finding[] {
  const { lookupTerms, voidLookups, isTruncated } = summary
  const policy = nodes.get(root)?.policy
  if (policy?.kind === "failure") return [toFinding("DNS_TEMPFAIL", root, null, root)]
  if (policy?.kind === "unread") {
    const detail = `the TXT records have ${policy.bytes} bytes in all and are not read`
    return [toFinding("RECORD_TOO_LARGE", root, null, detail, { causes: "permerror" })]
  }
  if (policy?.kind !== "found") {
    const reason = policy?.exists === false ? "does not exist, so it has no SPF record" : "has no SPF record"
    return [
      toFinding("NO_RECORD", root, null, `the domain ${reason}`),
      ...misplaced.map(({ where, text, place }) =>
        toFinding("WRONG_PLACE", where, { text, position: 0 }, place),
      ),
      ...(parentWithRecord === null ? [] : [toFinding("SUBDOMAIN_NO_RECORD", root, null, parentWithRecord)]),
    ]
  }
  const findings = findTooManyVoids(root, voidLookups)
  if (lookupTerms > limits.lookupTerms) {
    const count = isTruncated ? `at least ${lookupTerms}` : `${lookupTerms}`
    return [
      toFinding("TOO_MANY_LOOKUPS", root, null, `${count} DNS look-ups ${costsOf(summary)}`),
      ...findings,
    ]
  }
  if (lookupTerms < nearLimit) return findings
  return [
    toFinding("LOOKUPS_NEAR_LIMIT", root, null, `${lookupTerms} DNS look-ups ${costsOf(summary)}`),
    ...findings,
  ]
}

/** The terms that need most look-ups, with the numbers. */
function costsOf({ costs }: TreeSummary): string {
  const named = costs.slice(0, shownCosts).map(({ term, lookupTerms }) => `${lookupTerms} for ${term}`)
  const others = costs.slice(shownCosts).reduce((sum, { lookupTerms }) => sum + lookupTerms, 0)
  return `(${[...named, ...(others > 0 ? [`${others} for others`] : [])].join(", ")})`
}

const shownCosts = 5

const nearLimit = 9

/** Void look-ups of both families break the record for every client; those of one family only for its clients. */
function findTooManyVoids(root: string, { IPv4, IPv6 }: TreeSummary["voidLookups"]): Finding[] {
  const isOver = (count: number) => count > limits.voidLookups
  if (!isOver(IPv4) && !isOver(IPv6)) return []
  const count = `${Math.max(IPv4, IPv6)} look-ups find nothing`
  const limit = `but only ${limits.voidLookups} such look-ups are allowed`
  if (isOver(IPv4) && isOver(IPv6))
    return [
      toFinding("TOO_MANY_VOID_LOOKUPS", root, null, `${count}, ${limit}; correct or remove these terms`),
    ]
  const family = isOver(IPv4) ? "IPv4" : "IPv6"
  const detail = `${count} for ${family} clients, ${limit}, so they get a permerror; give the hosts addresses of both families, or list networks`
  return [toFinding("TOO_MANY_VOID_LOOKUPS", root, null, detail, { severity: "warning", causes: null })]
}

/** The issues of one domain's records, in the order of the terms. */
function findInRecord(summary: RecordSummary): Finding[] {
  const { domain, policy, explanationTrouble } = summary.node
  const findings = [...lintPolicy(summary), ...summary.findings]
  const explanation = policy.kind === "found" ? policy.records[0].explanation : null
  if (explanationTrouble !== null && explanation !== null)
    findings.push(toFinding("EXP_PROBLEM", domain, explanation, explanationTrouble))
  return findings.sort((one, other) => one.position - other.position)
}

function toIssue({ code, severity, message, domain, term }: Finding): Issue {
  return { code, severity, message, domain, term }
}
