import { edgesOf, isIpv6, type Network } from "../../values/ip.ts"
import { meantBy } from "../../values/nearest.ts"
import { causesOf } from "../mail/text-records.ts"
import { type Finding, toFinding } from "./issues.ts"
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

/** The issues of the networks that a record names. */
function lintNetworks(directives: readonly Directive[], domain: string): Finding[] {
  return [
    ...directives.flatMap((directive) => lintNetwork(directive, domain)),
    ...lintOverlaps(directives, domain),
  ]
}

function lintNetwork(directive: Directive, domain: string): Finding[] {
  const { mechanism, qualifier } = directive
  if (mechanism.kind === "a" || mechanism.kind === "mx") {
    if (qualifier !== "+") return []
    const { prefix4, prefix6 } = mechanism
    return [
      ...lintBreadth(directive, prefix4, false, domain),
      ...lintBreadth(directive, prefix6, true, domain),
    ]
  }
  if (!("network" in mechanism)) return []
  const { address, prefix } = mechanism.network
  const edges = edgesOf(mechanism.network)
  const findings: Finding[] = []
  const first = edges[0].toString()
  if (first !== address.toString())
    findings.push(toFinding("HOST_BITS_SET", domain, directive, `${first}/${prefix}`))
  if (qualifier !== "+") return findings
  const use = specialUseOf(edges)
  if (use !== null) findings.push(toFinding("RESERVED_ADDRESS", domain, directive, use))
  return [...findings, ...lintBreadth(directive, prefix, isIpv6(address), domain)]
}

function lintBreadth(directive: Directive, prefix: number, isSix: boolean, domain: string): Finding[] {
  if (prefix > (isSix ? 31 : 15)) return []
  const severity = prefix <= (isSix ? 19 : 8) ? "error" : "warning"
  const family = isSix ? "IPv6" : "IPv4"
  const breadth =
    prefix === 0
      ? `every ${family} address`
      : `1/${(2 ** prefix).toLocaleString("en-US")} of all ${family} addresses`
  return [toFinding("BROAD_RANGE", domain, directive, breadth, { severity })]
}

type NetworkTerm = { readonly directive: Directive; readonly prefixBits: string; readonly index: number }

/**
 * Networks that add nothing: a client that matches an earlier term never reaches a later one, and a wider network with
 * the same qualifier makes a narrower one before it superfluous. Only the prefix lengths in use are compared, so that
 * the time does not grow with the square of the record's length.
 */
function lintOverlaps(directives: readonly Directive[], domain: string): Finding[] {
  const terms = directives.flatMap((directive, index): NetworkTerm[] => {
    const { mechanism } = directive
    if (!("network" in mechanism)) return []
    return [{ directive, prefixBits: toPrefixBits(mechanism.network), index }]
  })
  const first = new Map<string, NetworkTerm>()
  const findings: Finding[] = []
  const add = (term: NetworkTerm, wider: NetworkTerm) =>
    findings.push(toFinding("DUPLICATE_TERM", domain, term.directive, wider.directive.text))
  for (const term of terms) {
    const earlier = first.get(term.prefixBits)
    if (earlier === undefined) first.set(term.prefixBits, term)
    else add(term, earlier)
  }
  const lengths = [...new Set(terms.map(({ prefixBits }) => prefixBits.length))].sort((a, b) => a - b)
  for (const term of first.values()) {
    const length = lengths.find((shorter) => first.has(term.prefixBits.slice(0, shorter)))
    const wider = first.get(term.prefixBits.slice(0, length))
    if (wider === undefined || wider === term) continue
    if (wider.index < term.index || wider.directive.qualifier === term.directive.qualifier) add(term, wider)
  }
  return findings
}

/** The family and the leading bits as text: one network contains another if its text is a prefix of the other's. */
function toPrefixBits({ address, prefix }: Network): string {
  const bits = address.toByteArray().map((byte) => byte.toString(2).padStart(8, "0"))
  return `${isIpv6(address) ? "6" : "4"}${bits.join("").slice(0, prefix)}`
}

/** The special purpose (RFC 6890) of a network, given its first and last address; null for other networks. */
export function specialUseOf([first, last]: ReturnType<typeof edgesOf>): string | null {
  const range = first.range()
  return range === last.range() ? (specialUses[range] ?? null) : null
}

const specialUses: Readonly<Record<string, string>> = {
  unspecified: "the unspecified address",
  broadcast: "the broadcast address",
  multicast: "multicast",
  linkLocal: "link-local",
  loopback: "loopback",
  private: "private (RFC 1918)",
  carrierGradeNat: "carrier-grade NAT (RFC 6598)",
  uniqueLocal: "unique local (RFC 4193)",
  reserved: "reserved or for documentation",
  benchmarking: "for benchmarking",
  ipv4Mapped: "IPv4-mapped, which ip6 never matches (RFC 7208 §5)",
  orchid2: "ORCHIDv2 (RFC 7343)",
}
