import type { CheckResult } from "./check-host.ts"
import { type Finding, type Issue, toDisplayText, toFinding } from "./issues.ts"
import { limits } from "./limits.ts"
import { lintPolicy } from "./lint.ts"
import { allOf, type Qualifier } from "./record.ts"
import { type RecordEntry, toEntries } from "./record-entry.ts"
import { type RiskLevel, toRiskLevel, toRiskScore } from "./risk.ts"
import { type Survey, surveyTree, type Visit } from "./survey.ts"
import type { Tree } from "./tree.ts"

export type AllQualifier = "pass" | "fail" | "softfail" | "neutral"

/** The `data` of an answer. */
export interface Report {
  host: string
  has_spf_record: boolean
  dns_lookups_num: number
  spf_record: string
  spf_records_list: RecordEntry[]
  domains_extracted: string[]
  authorized_ips: { ipv4: string[]; ipv6: string[] }
  issues_found: Issue[]
  spf_valid: boolean
  has_issues: boolean
  macros_found: boolean
  ip_pass: boolean
  ip_result?: CheckResult["result"]
  ip_explanation?: string
  elapsed_ms: number
  all_qualifier: AllQualifier | null
  risk_score: number
  risk_level: RiskLevel
}

/** Puts the answer together from the tree and, with an `ip`, the result of its check. */
export function toReport(tree: Tree, check: CheckResult | null, elapsedMs: number): Report {
  const survey = surveyTree(tree)
  const policy = tree.nodes.get(tree.root)?.policy
  const record = policy?.kind === "found" ? policy.records[0] : null
  const findings = findEverything(tree, survey)
  const entries = survey.visits.flatMap(({ node }) => toEntries(node))
  const score = toRiskScore({
    hasRecord: record !== null,
    effectiveAll: survey.effectiveAll?.qualifier ?? null,
    lookupTerms: survey.lookupTerms,
    hasPermerror: findings.some(({ breaks }) => breaks === "permerror"),
  })
  const all = record === null ? null : allOf(record)
  return {
    host: tree.root,
    has_spf_record: record !== null,
    dns_lookups_num: survey.lookupTerms,
    spf_record: record === null ? "" : toDisplayText(record.text),
    spf_records_list: entries,
    domains_extracted: record === null ? [] : [...survey.domains],
    authorized_ips: {
      ipv4: unique(entries.flatMap((entry) => entry.authorized_ips?.ipv4 ?? [])),
      ipv6: unique(entries.flatMap((entry) => entry.authorized_ips?.ipv6 ?? [])),
    },
    issues_found: findings.slice(0, limits.issues).map(toIssue),
    spf_valid: record !== null && findings.every(({ breaks }) => breaks === null) && !isError(check),
    has_issues: findings.length > 0,
    macros_found: entries.some((entry) => entry.use_macro),
    ip_pass: check?.result === "pass",
    ...(check && { ip_result: check.result }),
    ...(check?.explanation && { ip_explanation: check.explanation }),
    elapsed_ms: elapsedMs,
    all_qualifier: all === null ? null : qualifierNames[all.qualifier],
    risk_score: score,
    risk_level: toRiskLevel(score),
  }
}

/** What no issue tells, such as one look-up too many that nothing but this address leads to. */
function isError(check: CheckResult | null): boolean {
  return check?.result === "permerror" || check?.result === "temperror"
}

const qualifierNames: Readonly<Record<Qualifier, AllQualifier>> = {
  "+": "pass",
  "-": "fail",
  "~": "softfail",
  "?": "neutral",
}

/** What concerns the domain as a whole, then record by record, each in the order of its terms. */
function findEverything(tree: Tree, survey: Survey): Finding[] {
  return [...findInTotals(tree, survey), ...survey.visits.flatMap(findInRecord)]
}

function findInTotals(
  { root, nodes, parentWithRecord }: Tree,
  { lookupTerms, voidLookups, isCut }: Survey,
): Finding[] {
  const policy = nodes.get(root)?.policy
  if (policy?.kind === "failure") return [toFinding("DNS_TEMPFAIL", root, { detail: root })]
  if (policy?.kind === "unread") {
    const detail = `the TXT records have ${policy.octets} octets and are not read`
    return [toFinding("RECORD_TOO_LARGE", root, { detail, breaks: "permerror" })]
  }
  if (policy?.kind !== "found") {
    const detail = policy?.exists === false ? "the domain does not exist" : "the domain has no SPF record"
    const findings = [toFinding("NO_RECORD", root, { detail })]
    if (parentWithRecord !== null)
      findings.push(toFinding("SUBDOMAIN_NO_RECORD", root, { detail: parentWithRecord }))
    return findings
  }
  const findings: Finding[] = []
  if (lookupTerms > limits.lookupTerms) {
    const detail = isCut ? `at least ${lookupTerms}` : lookupTerms
    findings.push(toFinding("TOO_MANY_LOOKUPS", root, { detail }))
  } else if (lookupTerms >= nearLimit) {
    findings.push(toFinding("LOOKUPS_NEAR_LIMIT", root, { detail: lookupTerms }))
  }
  findings.push(...findTooManyVoids(root, voidLookups))
  return findings
}

const nearLimit = 9

/** What every client runs into breaks the record; what those of one family run into breaks it for them. */
function findTooManyVoids(root: string, { IPv4, IPv6 }: Survey["voidLookups"]): Finding[] {
  const counts = { IPv4, IPv6 }
  const over = (["IPv4", "IPv6"] as const).filter((family) => counts[family] > limits.voidLookups)
  const [first, second] = over
  if (first === undefined) return []
  if (second !== undefined) {
    const detail = `${Math.max(IPv4, IPv6)} look-ups find nothing`
    return [toFinding("TOO_MANY_VOID_LOOKUPS", root, { detail })]
  }
  const detail = `${counts[first]} look-ups find nothing for ${first} clients, to whom the record is a permerror,`
  return [toFinding("TOO_MANY_VOID_LOOKUPS", root, { detail, severity: "warning", breaks: null })]
}

function findInRecord({ node, isJudge, isOpen, findings }: Visit): Finding[] {
  const { domain, policy, explanationTrouble } = node
  const all = [...lintPolicy(policy, { domain, isJudge, isOpen }), ...findings]
  const explanation = policy.kind === "found" ? policy.records[0].explanation : null
  if (explanationTrouble !== null && explanation !== null) {
    all.push(toFinding("EXP_PROBLEM", domain, { term: explanation, detail: explanationTrouble }))
  }
  return all.sort((one, other) => one.position - other.position)
}

function toIssue({ code, severity, message, domain, term }: Finding): Issue {
  return { code, severity, message, domain, term }
}

function unique(items: readonly string[]): string[] {
  return [...new Set(items)]
}
