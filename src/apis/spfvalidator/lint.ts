import { type Finding, toFinding } from "./issues.ts"
import { lintNetworks } from "./lint-networks.ts"
import { lettersOf } from "./macro.ts"
import type { Policy } from "./policy.ts"
import { allOf, type Directive, type Placed, type SpfRecord, targetOf } from "./record.ts"

export interface LintContext {
  readonly domain: string
  /** The record judges what nothing else matched, so its `all` counts. */
  readonly isJudge: boolean
  /** Whoever the record lets pass may send. */
  readonly isOpen: boolean
}

/** Everything that can be said about what a domain publishes without looking anything up. */
export function lintPolicy(policy: Policy, context: LintContext): Finding[] {
  if (policy.kind === "failure" || policy.kind === "unread") return []
  const { domain } = context
  const strays = policy.others.flatMap((text) => lintStray(text, domain))
  if (policy.kind === "none") return strays
  const [record, ...more] = policy.records
  const findings = [
    ...lintSize(record, policy.messageBytes, domain),
    ...lintRecord(record, context),
    ...strays,
  ]
  if (more.length === 0) return findings
  return [toFinding("MULTIPLE_RECORDS", domain, { detail: policy.records.length }), ...findings]
}

/** TXT records that are no SPF record but look like one. */
function lintStray(text: string, domain: string): Finding[] {
  const term = { text, position: 0 }
  if (/^spf2\.0\//i.test(text)) return [toFinding("SENDER_ID_RECORD", domain, { term })]
  if (/^v=spf1[-+?~a-z]/i.test(text)) {
    return [toFinding("MISSING_SPACE", domain, { term, breaks: null })]
  }
  return /^[\s"']*v\s*=\s*spf/i.test(text) ? [toFinding("BAD_VERSION_TAG", domain, { term })] : []
}

const largeOctets = 450
/** What a resolver is asked to keep an answer to, so that it is not cut into fragments. */
const ednsOctets = 1232

function lintSize({ text }: SpfRecord, messageBytes: number, domain: string): Finding[] {
  if (text.length > ednsOctets) {
    return [
      toFinding("RECORD_TOO_LARGE", domain, { detail: `the record has ${text.length} octets and needs TCP` }),
    ]
  }
  if (messageBytes > ednsOctets) {
    return [
      toFinding("RECORD_LARGE", domain, {
        detail: `the TXT answer has ${messageBytes} octets and needs TCP`,
      }),
    ]
  }
  if (text.length <= largeOctets) return []
  return [
    toFinding("RECORD_LARGE", domain, { detail: `the record has ${text.length} octets where 450 are safe` }),
  ]
}

function lintRecord(record: SpfRecord, context: LintContext): Finding[] {
  const { domain } = context
  return [
    ...record.problems.map(({ code, detail, ...term }) =>
      code === "RECORD_TOO_LARGE"
        ? toFinding(code, domain, { detail: `${detail} and is not read`, breaks: "permerror" })
        : toFinding(code, domain, { term, detail }),
    ),
    ...lintSpelling(record, domain),
    ...lintAll(record, context),
    ...record.directives.flatMap((directive) => lintTarget(directive, domain)),
    ...lintRepeats(record, domain),
    ...lintNetworks(record.directives, domain),
    ...record.unknownModifiers.map((modifier) => lintUnknownModifier(modifier, domain)),
  ]
}

function lintSpelling({ text, directives, redirect, explanation }: SpfRecord, domain: string): Finding[] {
  const version = { text: text.slice(0, 6), position: 0 }
  const names = [version, ...directives, redirect, explanation].filter((term) => term !== null)
  // Upper-case letters behind the name may be macros, where case means something.
  const upper = names.find((term) => /[A-Z]/.test(/^[-+?~]?[a-z\d]+(=spf1$)?/i.exec(term.text)?.[0] ?? ""))
  const findings = upper === undefined ? [] : [toFinding("UPPERCASE_TERMS", domain, { term: upper })]
  return / {2}| $/.test(text) ? [...findings, toFinding("EXTRA_WHITESPACE", domain)] : findings
}

function lintAll(record: SpfRecord, { domain, isJudge, isOpen }: LintContext): Finding[] {
  const all = allOf(record)
  if (all === null) {
    const isOpenEnded = isJudge && record.redirect === null && record.problems.length === 0
    return isOpenEnded ? [toFinding("NO_ALL_OR_REDIRECT", domain)] : []
  }
  const behind = record.directives.slice(record.directives.indexOf(all) + 1)
  const findings = behind.map((term) => toFinding("TERMS_AFTER_ALL", domain, { term }))
  if (record.redirect !== null)
    findings.push(toFinding("REDIRECT_WITH_ALL", domain, { term: record.redirect }))
  if (all.qualifier === "+" && isOpen) findings.push(toFinding("PASS_ALL", domain, { term: all }))
  if (all.qualifier === "?" && isJudge) findings.push(toFinding("NEUTRAL_ALL", domain, { term: all }))
  if (all.qualifier === "~" && isJudge) findings.push(toFinding("SOFTFAIL_ALL", domain, { term: all }))
  return findings
}

function lintTarget(directive: Directive, domain: string): Finding[] {
  const findings: Finding[] = []
  const spec = targetOf(directive.mechanism)
  if (directive.mechanism.kind === "ptr" || (spec !== null && lettersOf(spec.macro).has("p"))) {
    findings.push(toFinding("PTR_USED", domain, { term: directive }))
  }
  const labels = spec === null ? [] : spec.text.replace(/\.$/, "").split(".")
  const isLiteral = spec?.macro.every((part) => typeof part === "string") === true
  // Within the grammar, so no syntax error: the name just does not exist (RFC 7208 §4.3).
  if (isLiteral && labels.some((label) => label === "" || label.length > 63)) {
    const detail = "a label is empty or over 63 octets, so the name cannot exist"
    findings.push(toFinding("INVALID_DOMAIN_SPEC", domain, { term: directive, detail, breaks: null }))
  }
  return findings
}

/** Mechanisms written twice. Includes are told by the tree, networks have rules of their own. */
function lintRepeats({ directives }: SpfRecord, domain: string): Finding[] {
  const first = new Map<string, Directive>()
  const findings: Finding[] = []
  for (const directive of directives) {
    const { kind } = directive.mechanism
    if (kind === "include" || kind === "all" || kind === "ip4" || kind === "ip6") continue
    const key = directive.text.replace(/^[-+?~]/, "").toLowerCase()
    const earlier = first.get(key)
    if (earlier === undefined) first.set(key, directive)
    else findings.push(toFinding("DUPLICATE_TERM", domain, { term: directive, detail: earlier.text }))
  }
  return findings
}

const mechanismNames = new Set(["all", "include", "a", "mx", "ptr", "ip4", "ip6", "exists"])

function lintUnknownModifier(modifier: Placed & { readonly name: string }, domain: string): Finding {
  const isMechanism = mechanismNames.has(modifier.name)
  return toFinding("UNKNOWN_MODIFIER", domain, {
    term: modifier,
    detail: isMechanism ? `; write '${modifier.name}:'` : "",
    severity: isMechanism ? "warning" : "info",
  })
}
