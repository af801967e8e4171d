import { type Address, isIpv6, isWithin, parseIpv4, parseIpv6 } from "../../values/ip.ts"
import type { DnsAnswer } from "../contract.ts"
import { isAskable, isSameOrBelow } from "../mail/domain-name.ts"
import { type Budget, limits } from "./limits.ts"
import type { Mechanism } from "./record.ts"
import { type Session, toTarget } from "./session.ts"
import { findHostNames } from "./validated-names.ts"

/** The outcome of testing one mechanism (RFC 7208 §4.6.2); an error ends the whole check. */
export type Outcome = "match" | "miss" | "temperror" | "permerror"

/** A running check. Its counts go on through includes and redirects (RFC 7208 §4.6.4). */
export interface Check {
  readonly session: Session
  readonly ip: Address
  readonly textBytes: Budget
  lookupTerms: number
  voidLookups: number
}

/** Counts a term that causes a look-up; false when it exceeds the limit. */
export function countLookupTerm(check: Check): boolean {
  check.lookupTerms++
  return check.lookupTerms <= limits.lookupTerms
}

/** Counts a void look-up: a miss, or a permerror when it exceeds the limit. */
function countVoid(check: Check): Outcome {
  check.voidLookups++
  return check.voidLookups <= limits.voidLookups ? "miss" : "permerror"
}

/** Tests a mechanism other than include against the client's address (RFC 7208 §5). `domain` is the current one. */
export async function testMechanism(
  mechanism: Exclude<Mechanism, { kind: "include" }>,
  domain: string,
  check: Check,
): Promise<Outcome> {
  switch (mechanism.kind) {
    case "all":
      return "match"
    case "ip4":
    case "ip6":
      return toOutcome(isWithin(check.ip, mechanism.network))
  }
  if (!countLookupTerm(check)) return "permerror"
  const target = await toTarget(mechanism.target, domain, check.session)
  if (target === null || !isAskable(target)) return "miss"
  switch (mechanism.kind) {
    case "a":
      return testAddresses(await askAddresses(target, check), mechanism, check)
    case "mx":
      return testMailExchangers(target, mechanism, check)
    case "ptr":
      return testHostNames(target, check)
    default: {
      // exists: an A query, also for IPv6 clients (RFC 7208 §5.7).
      const answer = await check.session.lookups.ask(target, "A")
      if (answer.kind === "failure") return "temperror"
      return answer.kind === "records" ? "match" : countVoid(check)
    }
  }
}

type Prefixes = { readonly prefix4: number; readonly prefix6: number }
type AddressAnswer = DnsAnswer<"A"> | DnsAnswer<"AAAA">

function askAddresses(name: string, { session, ip }: Check): Promise<AddressAnswer> {
  return session.lookups.ask(name, isIpv6(ip) ? "AAAA" : "A")
}

function testAddresses(answer: AddressAnswer, prefixes: Prefixes, check: Check): Outcome {
  if (answer.kind === "failure") return "temperror"
  if (answer.kind !== "records") return countVoid(check)
  return toOutcome(answer.records.some((text) => coversClient(text, prefixes, check)))
}

function coversClient(text: string, { prefix4, prefix6 }: Prefixes, { ip }: Check): boolean {
  const [address, prefix] = isIpv6(ip) ? [parseIpv6(text), prefix6] : [parseIpv4(text), prefix4]
  return address !== null && isWithin(ip, { address, prefix })
}

/**
 * RFC 7208 §5.4. The exchangers' addresses are looked up in parallel but read in order of preference, so the result is
 * the same as one by one. An exchanger without an address is not a void look-up, since that limit counts terms.
 */
async function testMailExchangers(target: string, prefixes: Prefixes, check: Check): Promise<Outcome> {
  const answer = await check.session.lookups.ask(target, "MX")
  if (answer.kind === "failure") return "temperror"
  if (answer.kind !== "records") return countVoid(check)
  if (answer.records.length > limits.mxNames) return "permerror"
  const names = answer.records
    .toSorted((one, other) => one.preference - other.preference)
    .map(({ exchange }) => exchange.replace(/\.$/, ""))
    .filter(isAskable)
  for (const pending of names.map((name) => askAddresses(name, check))) {
    const addresses = await pending
    if (addresses.kind === "failure") return "temperror"
    if (addresses.kind !== "records") continue
    if (addresses.records.some((text) => coversClient(text, prefixes, check))) return "match"
  }
  return "miss"
}

/** RFC 7208 §5.5. A DNS error on the way means that the mechanism does not match. */
async function testHostNames(target: string, check: Check): Promise<Outcome> {
  const names = await findHostNames(check.ip, check.session.lookups)
  if (names.isVoid) return countVoid(check)
  return toOutcome(names.validated.some((name) => isSameOrBelow(name, target)))
}

function toOutcome(matches: boolean): Outcome {
  return matches ? "match" : "miss"
}
