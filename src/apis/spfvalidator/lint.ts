import { meantBy } from "../../values/nearest.ts"
import { causesOf } from "../mail/text-records.ts"
import { type Finding, toFinding } from "./issues.ts"
import { lintNetworks } from "./lint-networks.ts"
import { lettersOf } from "./macro.ts"
import { hasTwoTerms, mechanismNames } from "./parse.ts"
import { allOf, type Directive, type SpfRecord, targetOf } from "./record.ts"
import type { RecordSummary } from "./tree-summary.ts"

/** The issues of a domain's records that need no look-up. */
export function lintPolicy(summary: RecordSummary): Finding[] {
  const { policy, domain } = summary.node
  if (policy.kind === "failure" || policy.kind === "unread") return []
  const others = policy.others.flatMap((text) => lintOther(text, domain))
  if (policy.kind === "none") return others
  const [record, ...more] = policy.records
  return [
    ...(more.length === 0 ? [] : [toFinding("MULTIPLE_RECORDS", domain, null, policy.records.length)]),
    ...lintSize(record.text, policy.messageBytes, domain),
    ...lintRecord(record, domain, summary),
    ...others,
  ]
}

/** TXT records that are not SPF records but look like one. */
function lintOther(text: string, domain: string): Finding[] {
  const term = { text, position: 0 }
  if (/^spf2\.0\//i.test(text)) return [toFinding("SENDER_ID_RECORD", domain, term)]
  if (/^v=spf1[-+?~a-z]/i.test(text)) return [toFinding("MISSING_SPACE", domain, term, "", { causes: null })]
  const causes = causesOf("spf", text)
  return causes === null ? [] : [toFinding("BAD_VERSION_TAG", domain, term, causes)]
}

const largeBytes = 450
/** The answer size that resolvers ask for, so that answers are not fragmented. */
const ednsBytes = 1232

function lintSize(text: string, messageBytes: number, domain: string): Finding[] {
  const needsTcp = (what: string, bytes: number) => `the ${what} has ${bytes} bytes and needs TCP`
  if (text.length > ednsBytes)
    return [toFinding("RECORD_TOO_LARGE", domain, null, needsTcp("record", text.length))]
  if (messageBytes > ednsBytes)
    return [toFinding("RECORD_LARGE", domain, null, needsTcp("TXT answer", messageBytes))]
  if (text.length <= largeBytes) return []
  const detail = `the record has ${text.length} bytes, but only ${largeBytes} are safe`
  return [toFinding("RECORD_LARGE", domain, null, detail)]
}

function lintRecord(record: SpfRecord, domain: string, summary: RecordSummary): Finding[] {
  return [
    ...record.problems.map(({ code, detail, ...term }) =>
      code === "RECORD_TOO_LARGE"
        ? toFinding(code, domain, null, `${detail} and is not read`, { causes: "permerror" })
        : toFinding(code, domain, term, detail),
    ),
    ...lintSpelling(record, domain),
    ...lintAll(record, domain, summary),
    ...record.directives.flatMap((directive) => lintTarget(directive, domain)),
    ...lintRepeats(record, domain),
    ...lintNetworks(record.directives, domain),
    ...lintUnknownModifiers(record, domain),
  ]
}

function lintSpelling({ text, directives, redirect, explanation }: SpfRecord, domain: string): Finding[] {
  const version = { text: text.slice(0, 6), position: 0 }
  const terms = [version, ...directives, redirect, explanation].filter((term) => term !== null)
  // Only names are checked: in the macros after them, upper case has a meaning.
  const upper = terms.find((term) => /[A-Z]/.test(/^[-+?~]?[a-z\d]+(=spf1$)?/i.exec(term.text)?.[0] ?? ""))
  const findings = upper === undefined ? [] : [toFinding("UPPERCASE_TERMS", domain, upper)]
  return / {2}| $/.test(text) ? [...findings, toFinding("EXTRA_WHITESPACE", domain)] : findings
}

function lintAll(record: SpfRecord, domain: string, { isDeciding, grantsPass }: RecordSummary): Finding[] {
  const { directives, redirect, problems } = record
  const all = allOf(record)
  if (all === null) {
    const isOpenEnded = isDeciding && redirect === null && problems.length === 0
    return isOpenEnded ? [toFinding("NO_ALL_OR_REDIRECT", domain)] : []
  }
  const unreached = directives.slice(directives.indexOf(all) + 1)
  const findings = unreached.map((term) => toFinding("TERMS_AFTER_ALL", domain, term))
  if (redirect !== null) findings.push(toFinding("REDIRECT_WITH_ALL", domain, redirect))
  if (all.qualifier === "+" && grantsPass) findings.push(toFinding("PASS_ALL", domain, all))
  if (all.qualifier === "?" && isDeciding) findings.push(toFinding("NEUTRAL_ALL", domain, all))
  if (all.qualifier === "~" && isDeciding) findings.push(toFinding("SOFTFAIL_ALL", domain, all))
  return findings
}

function lintTarget(directive: Directive, domain: string): Finding[] {
  const findings: Finding[] = []
  const spec = targetOf(directive.mechanism)
  if (directive.mechanism.kind === "ptr" || (spec !== null && lettersOf(spec.macro).has("p")))
    findings.push(toFinding("PTR_USED", domain, directive))
  if (hasTwoTerms(spec?.text ?? ""))
    findings.push(toFinding("MISSING_SPACE", domain, directive, "", { causes: null }))
  const labels = spec === null ? [] : spec.text.replace(/\.$/, "").split(".")
  const isLiteral = spec?.macro.every((part) => typeof part === "string") === true
  // The grammar allows these, so they are no syntax errors: the name just does not exist (RFC 7208 §4.3).
  const detail = /^[a-z]+:\/\/|@/i.test(spec?.text ?? "")
    ? "write the domain alone, without 'https://' or a name and '@'"
    : labels.some((label) => label === "" || label.length > 63)
      ? "a label is empty or over 63 bytes, so the name cannot exist"
      : null
  if (isLiteral && detail !== null)
    findings.push(toFinding("INVALID_DOMAIN_SPEC", domain, directive, detail, { causes: null }))
  return findings
}

/** Mechanisms written twice. The tree shows repeated includes, and `lintNetworks` repeated networks. */
function lintRepeats({ directives }: SpfRecord, domain: string): Finding[] {
  const first = new Map<string, Directive>()
  const findings: Finding[] = []
  for (const directive of directives) {
    if (["include", "all", "ip4", "ip6"].includes(directive.mechanism.kind)) continue
    const key = directive.text.replace(/^[-+?~]/, "").toLowerCase()
    const earlier = first.get(key)
    if (earlier === undefined) first.set(key, directive)
    else findings.push(toFinding("DUPLICATE_TERM", domain, directive, earlier.text))
  }
  return findings
}

function lintUnknownModifiers({ unknownModifiers }: SpfRecord, domain: string): Finding[] {
  return unknownModifiers.map((modifier) => {
    const meant = meantBy(modifier.name, ["redirect", "exp"])
    const detail = mechanismNames.includes(modifier.name)
      ? `; write '${modifier.name}:'`
      : modifier.text.toLowerCase() === "v=spf1"
        ? "; two records stand in one: leave out the second 'v=spf1', and all but the last 'all'"
        : meant && `; did you mean '${meant}='?`
    if (detail === null) return toFinding("UNKNOWN_MODIFIER", domain, modifier)
    return toFinding("UNKNOWN_MODIFIER", domain, modifier, detail, { severity: "warning" })
  })
}
