import { isAscii } from "../../values/idna.ts"
import { parseIpv4, parseIpv6 } from "../../values/ip.ts"
import { meantBy } from "../../values/nearest.ts"
import { parseMacroString, TermError } from "./macro.ts"
import {
  type Directive,
  type DomainSpec,
  limits,
  type Mechanism,
  type Placed,
  type Qualifier,
  type SpfRecord,
  type SyntaxCode,
  type SyntaxProblem,
  type TargetModifier,
  type UnknownModifier,
} from "./record.ts"

/**
 * Parses a record by the grammar of RFC 7208 §12. `text` begins with the version and has one byte per character. Never
 * throws: syntax errors are in `problems`, and the other terms are parsed nonetheless.
 */
export function parseRecord(text: string): SpfRecord {
  if (text.length > limits.recordBytes) return unread(text, `the record has ${text.length} bytes`)
  const terms = splitTerms(text)
  if (terms.length > limits.recordTerms) return unread(text, `the record has ${terms.length} terms`)

  const directives: Directive[] = []
  const redirects: TargetModifier[] = []
  const explanations: TargetModifier[] = []
  const unknownModifiers: UnknownModifier[] = []
  const problems: SyntaxProblem[] = []
  for (const term of terms) {
    try {
      requirePlainBytes(term.text)
      const modifier = /^([a-z][a-z\d_.-]*)=(.*)$/is.exec(term.text)
      if (modifier === null) {
        directives.push(parseDirective(term))
        continue
      }
      const [, name = "", value = ""] = modifier
      const lower = name.toLowerCase()
      if (lower === "redirect") redirects.push({ ...term, target: parseDomainSpec(value) })
      else if (lower === "exp") explanations.push({ ...term, target: parseDomainSpec(value) })
      else {
        parseMacroString(value, false)
        unknownModifiers.push({ ...term, name: lower })
      }
    } catch (error) {
      if (!(error instanceof TermError)) throw error
      problems.push({ ...term, code: error.code, detail: error.message })
    }
  }
  for (const { text, position } of [...redirects.slice(1), ...explanations.slice(1)]) {
    const detail = "repeats a modifier that is allowed only once"
    problems.push({ text, position, code: "DUPLICATE_MODIFIER", detail })
  }
  const [redirect = null] = redirects
  const [explanation = null] = explanations
  return { text, directives, redirect, explanation, unknownModifiers, problems }
}

/** A record over the limits: an attacker's text is not parsed at all. */
function unread(text: string, detail: string): SpfRecord {
  const problems = [{ text: "", position: 0, code: "RECORD_TOO_LARGE", detail } as const]
  return { text, directives: [], redirect: null, explanation: null, unknownModifiers: [], problems }
}

function fail(code: SyntaxCode, detail: string): never {
  throw new TermError(code, detail)
}

/** Only spaces separate terms. Any other white space is part of a term, and an error there (RFC 7208 §4.6.1). */
function splitTerms(text: string): Placed[] {
  const terms: Placed[] = []
  let position = 0
  for (const piece of text.split(" ")) {
    if (piece !== "" && position > 0) terms.push({ text: piece, position })
    position += piece.length + 1
  }
  return terms
}

function requirePlainBytes(term: string): void {
  // Curly quotes and no-break spaces in UTF-8, as word processors write them.
  if (/^(?:\xe2\x80[\x90-\x95]|\xe2\x88\x92|\xef\xbc\x8d)/.test(term))
    fail("NON_ASCII", `begins with a dash that looks like a hyphen; did you mean '-${term.slice(3)}'?`)
  if (/\xe2\x80[\x90-\x9f]|\xc2\xa0/.test(term))
    fail("CONTROL_OR_TAB", "has a curly quote, a dash or a no-break space; type it anew")
  if (!isAscii(term))
    fail("NON_ASCII", "has characters outside ASCII; write international names as A-labels (xn--)")
  if (/\p{Cc}/u.test(term))
    fail("CONTROL_OR_TAB", "has a tab or another control character; separate terms with spaces")
}

function parseDirective(term: Placed): Directive {
  const match = /^([-+?~]?)([a-z][a-z\d_.-]*)([:/].*)?$/is.exec(term.text)
  if (match === null) return fail(missingSpaceOr("SYNTAX_ERROR", term.text), explainTerm(term.text))
  const [, sign, name = "", rest = ""] = match
  const qualifier = (sign || "+") as Qualifier
  return { ...term, qualifier, mechanism: parseMechanism(name.toLowerCase(), rest, term.text) }
}

function parseMechanism(name: string, rest: string, term: string): Mechanism {
  if (name === "all") {
    if (rest !== "") fail("SYNTAX_ERROR", "has text after 'all'; leave it out")
    return { kind: "all" }
  }
  if (name === "ptr" && rest === "") return { kind: "ptr", target: null }
  if (name === "include" || name === "exists" || name === "ptr")
    return { kind: name, target: parseDomainSpec(afterColon(rest, name)) }
  if (name === "a" || name === "mx") return parseAddressMechanism(name, rest)
  if (name === "ip4" || name === "ip6") return parseNetwork(name, afterColon(rest, name), term)
  if (name === "redirect" || name === "exp")
    return fail("UNKNOWN_MECHANISM", `'${name}' is a modifier: write '${name}='`)
  return fail(
    missingSpaceOr("UNKNOWN_MECHANISM", term),
    `there is no mechanism '${name}'${didYouMean(name, rest, /^[-+?~]?/.exec(term)?.[0] ?? "")}`,
  )
}

/** The term that was probably meant, as the end of a sentence. */
function didYouMean(name: string, rest: string, sign: string): string {
  const value = rest.slice(1)
  const similar = meantBy(name, mechanismNames)
  const meant = () => {
    if (parseIpv6(name + rest) !== null) return `ip6:${name}${rest}`
    if (rest === "" && /\.[a-z]{2,}$/.test(name)) return `include:${name}`
    if (name.startsWith("ip")) return `${value.includes(":") ? "ip6" : "ip4"}:${value}`
    return similar && similar + rest
  }
  const term = meant()
  return term === null ? "" : `; did you mean '${sign}${term}'?`
}

/** Why a term is neither a mechanism nor a modifier. */
function explainTerm(term: string): string {
  const bare = term.replace(/^[-+?~]/, "")
  const [address = ""] = bare.split("/")
  if (parseIpv4(address) !== null) return `is an address; did you mean 'ip4:${bare}'?`
  if (parseIpv6(address) !== null) return `is an address; did you mean 'ip6:${bare}'?`
  if (bare === "") return "is a sign alone; put no space after it"
  if (/[;,]$/.test(term)) return `ends with '${term.slice(-1)}'; put spaces alone between terms`
  if (/["'`]/.test(term)) return "has a quotation mark; leave it out"
  return "is neither a mechanism nor a modifier; correct or remove it"
}

/** The mechanisms (RFC 7208 §5). If two names are equally similar, the first is the likelier one. */
export const mechanismNames = ["all", "include", "mx", "ip4", "ip6", "exists", "ptr", "a"]

function afterColon(rest: string, name: string): string {
  if (rest.startsWith("/")) fail("INVALID_CIDR", "a prefix length is not allowed here")
  const code = name === "ip4" || name === "ip6" ? "INVALID_IP" : "INVALID_DOMAIN_SPEC"
  return rest.slice(1) || fail(code, `'${name}:' needs a value; put it right after the colon`)
}

/** `a` and `mx` (RFC 7208 §5.3, §5.4). The prefix lengths are cut off from the right, since a name may contain `/`. */
function parseAddressMechanism(kind: "a" | "mx", rest: string): Mechanism {
  const cut = /(?:\/(\d+))?(?:\/\/(\d+))?$/.exec(rest)
  const head = rest.slice(0, cut?.index ?? rest.length)
  const prefix4 = toPrefix(cut?.[1], 32)
  const prefix6 = toPrefix(cut?.[2], 128)
  if (head === "") return { kind, target: null, prefix4, prefix6 }
  if (!head.startsWith(":"))
    return fail("INVALID_CIDR", `'${rest}' is not of the form '/n', '//n' or '/n//n'`)
  if (head === ":") return fail("INVALID_DOMAIN_SPEC", `'${kind}:' needs a domain`)
  return { kind, target: parseDomainSpec(head.slice(1)), prefix4, prefix6 }
}

/** `ip4` and `ip6` (RFC 7208 §5.6). */
function parseNetwork(kind: "ip4" | "ip6", value: string, term: string): Mechanism {
  const [addressText = "", ...prefixes] = value.split("/")
  const address = kind === "ip4" ? parseIpv4(addressText) : parseIpv6(addressText)
  if (address === null) return fail(missingSpaceOr("INVALID_IP", term), explainAddress(kind, addressText))
  if (prefixes.length > 1) return fail("INVALID_CIDR", "only one prefix length is allowed")
  const prefix = toPrefix(prefixes[0], kind === "ip4" ? 32 : 128)
  return { kind, network: { address, prefix, text: value } }
}

function explainAddress(kind: "ip4" | "ip6", text: string): string {
  if (kind === "ip4" && parseIpv6(text) !== null) return "this is an IPv6 address: use ip6"
  if (kind === "ip6" && parseIpv4(text) !== null) return "this is an IPv4 address: use ip4"
  return `'${text}' is not an ${kind === "ip4" ? "IPv4" : "IPv6"} address`
}

/** A prefix length without leading zeros, 0 included (RFC 7208 §12); `max` when it is left out. */
function toPrefix(digits: string | undefined, max: number): number {
  if (digits === undefined) return max
  if (!/^(0|[1-9]\d{0,2})$/.test(digits) || Number(digits) > max)
    fail("INVALID_CIDR", `the prefix length must be from 0 to ${max}, without leading zeros`)
  return Number(digits)
}

/** A macro-string that, as written, ends in a macro or in a dot and a top label (RFC 7208 §7.1). */
function parseDomainSpec(text: string): DomainSpec {
  if (text === "") fail("INVALID_DOMAIN_SPEC", "a domain is missing")
  const { macro, tail } = parseMacroString(text, false)
  if (tail !== null) {
    const name = tail.endsWith(".") ? tail.slice(0, -1) : tail
    const dotAt = name.lastIndexOf(".")
    const topLabel = name.slice(dotAt + 1)
    if (dotAt < 0 || !topLabelForm.test(topLabel)) failDomain(text, topLabel, dotAt)
  }
  return { text, macro }
}

/** Letters, digits and inner hyphens, but not digits alone (RFC 7208 §7.1, toplabel). */
const topLabelForm = /^(?!-|\d+$)[a-z\d-]*[a-z\d]$/i

function failDomain(text: string, topLabel: string, dotAt: number): never {
  if (/\/\d*$/.test(topLabel)) fail("INVALID_CIDR", "a prefix length is not allowed here")
  if (parseIpv4(text) !== null) fail("INVALID_DOMAIN_SPEC", "this is an address: use ip4")
  const code = missingSpaceOr("INVALID_DOMAIN_SPEC", text)
  if (dotAt < 0) fail(code, `'${text}' is a single label, not a full domain name`)
  return fail(code, `'${topLabel}' cannot be a top-level label`)
}

/** Two terms without a space between them are a common mistake, so this has a separate code. */
function missingSpaceOr(code: SyntaxCode, term: string): SyntaxCode {
  return hasTwoTerms(term) ? "MISSING_SPACE" : code
}

/** Whether a term looks like two. As a name in the DNS it may follow the grammar, but no such name exists. */
export function hasTwoTerms(term: string): boolean {
  return /.[-+?~]all$|.v=spf1$|[a-z\d.][-+?~]?((ip[46]|include|exists):|(redirect|exp)=)/i.test(term)
}
