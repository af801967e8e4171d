import { type Address, isIpv6, isWithin, parseIpv4, parseIpv6 } from "../../values/ip.ts"
import type { DnsAnswer } from "../contract.ts"
import { isAskable, isSameOrBelow } from "./domain-name.ts"
import { limits } from "./limits.ts"
import type { TextAllowance } from "./policy.ts"
import type { Mechanism } from "./record.ts"
import { type Session, toTarget } from "./session.ts"
import { findHostNames } from "./validated-names.ts"

/** What the test of one mechanism gives (RFC 7208 §4.6.2); the errors end the whole check. */
export type Outcome = "match" | "miss" | "temperror" | "permerror"

/** A check under way: what it counts through include and redirect alike (RFC 7208 §4.6.4). */
export interface Check {
  readonly session: Session
  readonly ip: Address
  readonly allowance: TextAllowance
  lookupTerms: number
  voidLookups: number
}

/** Counts a term that looks something up; false when it is one too many. */
export function countLookupTerm(check: Check): boolean {
  check.lookupTerms++
  return check.lookupTerms <= limits.lookupTerms
}

/** Counts a look-up that found nothing: a miss, or a permerror when it is one too many. */
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
      // exists: always an A query, whatever the family of the client (RFC 7208 §5.7).
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
 * RFC 7208 §5.4. The exchangers' addresses are asked for side by side but read in order of preference, so that the
 * result is that of asking one by one. Exchangers without address are no void look-up: the limit counts terms.
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
  const flights = names.map((name) => askAddresses(name, check))
  for (const flight of flights) {
    const addresses = await flight
    if (addresses.kind === "failure") return "temperror"
    if (addresses.kind !== "records") continue
    if (addresses.records.some((text) => coversClient(text, prefixes, check))) return "match"
  }
  return "miss"
}

/** RFC 7208 §5.5. Whatever goes wrong with the names, the mechanism just does not match. */
async function testHostNames(target: string, check: Check): Promise<Outcome> {
  const names = await findHostNames(check.ip, check.session.lookups)
  if (names.isVoid) return countVoid(check)
  return toOutcome(names.validated.some((name) => isSameOrBelow(name, target)))
}

function toOutcome(matches: boolean): Outcome {
  return matches ? "match" : "miss"
}
