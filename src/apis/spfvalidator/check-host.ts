import type { Address } from "../../values/ip.ts"
import { isAskable } from "./domain-name.ts"
import { limits } from "./limits.ts"
import { expandExplanation, parseExplanation } from "./macro.ts"
import { type Check, countLookupTerm, type Outcome, testMechanism } from "./mechanisms.ts"
import { TextAllowance } from "./policy.ts"
import type { Directive, DomainSpec, Qualifier, SpfRecord } from "./record.ts"
import { type Session, toTarget, usesLocalPartBeyondAscii, valuesFor } from "./session.ts"

/** RFC 7208 §2.6. */
export type SpfResult = "none" | "neutral" | "pass" | "fail" | "softfail" | "temperror" | "permerror"

export interface CheckResult {
  readonly result: SpfResult
  /** What the domain says about a fail, macros replaced (RFC 7208 §6.2); null where it says nothing usable. */
  readonly explanation: string | null
}

/** The check_host() function (RFC 7208 §4): may `ip` send mail for `domain`? Never throws. */
export async function checkHost(ip: Address, domain: string, session: Session): Promise<CheckResult> {
  const allowance = new TextAllowance(limits.checkTextOctets)
  const verdict = await evaluate(domain, { session, ip, allowance, lookupTerms: 0, voidLookups: 0 })
  const explanation =
    verdict.result === "fail" && verdict.explanation !== null
      ? await explain(verdict.explanation, session)
      : null
  return { result: verdict.result, explanation }
}

interface Verdict {
  readonly result: SpfResult
  /** The `exp` of the record that gave the result, and that record's domain. */
  readonly explanation: { readonly spec: DomainSpec; readonly domain: string } | null
}

/** One level of check_host(): itself, an include, or the target of a redirect. */
async function evaluate(domain: string, check: Check): Promise<Verdict> {
  if (!isProper(domain)) return verdict("none")
  const policy = await check.session.policies.of(domain, check.allowance)
  if (policy.kind === "failure") return verdict("temperror")
  if (policy.kind === "unread") return verdict("permerror")
  if (policy.kind === "none") return verdict("none")
  const [record, ...others] = policy.records
  if (others.length > 0 || record.problems.length > 0) return verdict("permerror")

  for (const directive of record.directives) {
    const outcome = await testDirective(directive, domain, check)
    if (outcome === "match") return matched(directive.qualifier, record, domain)
    if (outcome !== "miss") return verdict(outcome)
  }
  if (record.redirect === null) return verdict("neutral")
  return followRedirect(record.redirect.target, domain, check)
}

/** Malformed and single-label domains have no policy (RFC 7208 §4.3). */
function isProper(domain: string): boolean {
  return isAskable(domain) && domain.includes(".")
}

async function testDirective({ mechanism }: Directive, domain: string, check: Check): Promise<Outcome> {
  if (mechanism.kind !== "include") return testMechanism(mechanism, domain, check)
  if (!countLookupTerm(check)) return "permerror"
  const target = await toTarget(mechanism.target, domain, check.session)
  if (target === null) return "miss"
  const { result } = await evaluate(target, check)
  return includeOutcomes[result]
}

/** RFC 7208 §5.2. */
const includeOutcomes: Readonly<Record<SpfResult, Outcome>> = {
  pass: "match",
  fail: "miss",
  softfail: "miss",
  neutral: "miss",
  temperror: "temperror",
  permerror: "permerror",
  none: "permerror",
}

/** RFC 7208 §6.1: the target's result stands, explanation included; without a record there it is a permerror. */
async function followRedirect(spec: DomainSpec, domain: string, check: Check): Promise<Verdict> {
  if (!countLookupTerm(check)) return verdict("permerror")
  const target = await toTarget(spec, domain, check.session)
  if (target === null) return verdict("permerror")
  const redirected = await evaluate(target, check)
  return redirected.result === "none" ? verdict("permerror") : redirected
}

const results: Readonly<Record<Qualifier, SpfResult>> = {
  "+": "pass",
  "-": "fail",
  "~": "softfail",
  "?": "neutral",
}

function matched(qualifier: Qualifier, { explanation }: SpfRecord, domain: string): Verdict {
  return {
    result: results[qualifier],
    explanation: explanation === null ? null : { spec: explanation.target, domain },
  }
}

function verdict(result: SpfResult): Verdict {
  return { result, explanation: null }
}

/**
 * Fetches and expands an explanation, once the result is known; it counts towards no limit. Whatever goes wrong,
 * there is no explanation (RFC 7208 §6.2).
 */
async function explain(
  { spec, domain }: NonNullable<Verdict["explanation"]>,
  session: Session,
): Promise<string | null> {
  const target = await toTarget(spec, domain, session)
  if (target === null || !isAskable(target)) return null
  const answer = await session.lookups.ask(target, "TXT")
  const [text, ...more] = answer.kind === "records" ? answer.records : []
  if (text === undefined || more.length > 0 || text.length > limits.recordOctets) return null
  const macro = parseExplanation(text)
  if (macro === null || usesLocalPartBeyondAscii(macro, session)) return null
  return expandExplanation(macro, await valuesFor(macro, domain, session)) || null
}
