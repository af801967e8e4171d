import type { Address } from "../../values/ip.ts"
import type { RunContext } from "../contract.ts"
import { isAskable } from "../mail/domain-name.ts"
import { createLookups } from "../mail/look-up.ts"
import { toIdentity } from "./identity.ts"
import { Budget, limits } from "./limits.ts"
import { expandExplanation, parseExplanation } from "./macro.ts"
import { type Check, countLookupTerm, type Outcome, testMechanism } from "./mechanisms.ts"
import { createPolicies } from "./policy.ts"
import { type Directive, type DomainSpec, resultOf } from "./record.ts"
import type { SpfReport } from "./schema.ts"
import { type Session, toTarget, usesNonAsciiLocalPart, valuesFor } from "./session.ts"

/**
 * Checks a sender alone, without a report about the record: may `ip` send mail for `domain`? Never throws. When `signal` fires,
 * names that have not answered count as temporary errors.
 * @param domain in lower case and A-labels, without a trailing dot; one that no record can have is `none`
 */
export async function checkSender(
  ip: Address,
  domain: string,
  names: { readonly sender: string; readonly helo?: string },
  { ports, giveWay }: Pick<RunContext, "ports" | "giveWay">,
  signal: AbortSignal,
): Promise<CheckResult> {
  const lookups = createLookups(ports.dns, signal, limits.queries)
  const identity = await toIdentity(domain, ip, names, ports.clock)
  return checkHost(ip, domain, { identity, lookups, policies: createPolicies(lookups, giveWay) })
}

/** RFC 7208 §2.6. */
export type SpfResult = NonNullable<SpfReport["ip_result"]>

export interface CheckResult {
  readonly result: SpfResult
  /** The domain's own words on a fail, macros replaced (RFC 7208 §6.2); null without a usable text. */
  readonly explanation: string | null
}

/** The check_host() function (RFC 7208 §4): may `ip` send mail for `domain`? Never throws. */
export async function checkHost(ip: Address, domain: string, session: Session): Promise<CheckResult> {
  const textBytes = new Budget(limits.checkTextBytes)
  const { result, exp } = await evaluate(domain, { session, ip, textBytes, lookupTerms: 0, voidLookups: 0 })
  return { result, explanation: result === "fail" && exp !== null ? await explain(exp, session) : null }
}

interface Verdict {
  readonly result: SpfResult
  /** The `exp` of the record that gave the result, and that record's domain. */
  readonly exp: { readonly spec: DomainSpec; readonly domain: string } | null
}

/** One level of check_host(): the domain itself, an include, or the target of a redirect. */
async function evaluate(domain: string, check: Check): Promise<Verdict> {
  // Malformed and single-label domains have no policy (RFC 7208 §4.3).
  if (!isAskable(domain) || !domain.includes(".")) return verdict("none")
  const policy = await check.session.policies.of(domain, check.textBytes)
  if (policy.kind === "failure") return verdict("temperror")
  if (policy.kind === "unread") return verdict("permerror")
  if (policy.kind === "none") return verdict("none")
  const [record, ...others] = policy.records
  if (others.length > 0 || record.problems.length > 0) return verdict("permerror")

  for (const directive of record.directives) {
    const outcome = await testDirective(directive, domain, check)
    if (outcome === "match") {
      const spec = record.explanation?.target
      return { result: resultOf[directive.qualifier], exp: spec ? { spec, domain } : null }
    }
    if (outcome !== "miss") return verdict(outcome)
  }
  if (record.redirect === null) return verdict("neutral")
  return followRedirect(record.redirect.target, domain, check)
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

/** RFC 7208 §6.1: the target's result and explanation count; a target without a record is a permerror. */
async function followRedirect(spec: DomainSpec, domain: string, check: Check): Promise<Verdict> {
  if (!countLookupTerm(check)) return verdict("permerror")
  const target = await toTarget(spec, domain, check.session)
  if (target === null) return verdict("permerror")
  const redirected = await evaluate(target, check)
  return redirected.result === "none" ? verdict("permerror") : redirected
}

function verdict(result: SpfResult): Verdict {
  return { result, exp: null }
}

/** Fetches and expands an explanation. It counts towards no limit, and any error only drops it (RFC 7208 §6.2). */
async function explain({ spec, domain }: NonNullable<Verdict["exp"]>, session: Session) {
  const target = await toTarget(spec, domain, session)
  if (target === null || !isAskable(target)) return null
  const answer = await session.lookups.ask(target, "TXT")
  const [text, ...more] = answer.kind === "records" ? answer.records : []
  if (text === undefined || more.length > 0 || text.length > limits.recordBytes) return null
  const macro = parseExplanation(text)
  if (macro === null || usesNonAsciiLocalPart(macro, session)) return null
  return expandExplanation(macro, await valuesFor(macro, domain, session)) || null
}
