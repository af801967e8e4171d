import { type Address, isIpv6, parseIpv4, parseIpv6, toReverseName } from "../../values/ip.ts"
import { isAskable, isSameOrBelow } from "./domain-name.ts"
import { limits } from "./limits.ts"
import type { Lookups } from "./lookups.ts"

/** The host names of an address, and those that the address stands behind (RFC 7208 §5.5). */
export interface HostNames {
  /** The PTR question was answered, but with nothing: a void look-up. */
  readonly isVoid: boolean
  /** How many names there are, before the cut to ten. */
  readonly count: number
  /** Lower case, in the order of the answer. */
  readonly validated: readonly string[]
}

/**
 * Looks up the names of an address and keeps those whose own addresses contain it. Only the first ten are looked at;
 * any DNS error just loses the name concerned (RFC 7208 §4.6.4, §5.5). Cheap to repeat: the look-ups are remembered.
 */
export async function findHostNames(address: Address, lookups: Lookups): Promise<HostNames> {
  const answer = await lookups.ask(toReverseName(address), "PTR")
  if (answer.kind !== "records") return { isVoid: answer.kind !== "failure", count: 0, validated: [] }
  const names = answer.records.slice(0, limits.ptrNames).map((name) => name.replace(/\.$/, "").toLowerCase())
  const checks = await Promise.all(names.map((name) => pointsTo(name, address, lookups)))
  return {
    isVoid: false,
    count: answer.records.length,
    validated: names.filter((_, index) => checks[index]),
  }
}

async function pointsTo(name: string, address: Address, lookups: Lookups): Promise<boolean> {
  if (!isAskable(name)) return false
  const answer = await lookups.ask(name, isIpv6(address) ? "AAAA" : "A")
  if (answer.kind !== "records") return false
  const parse = isIpv6(address) ? parseIpv6 : parseIpv4
  return answer.records.some((text) => parse(text)?.toString() === address.toString())
}

/** The value of `p`: the domain itself, else a name below it, else any, else "unknown" (RFC 7208 §7.3). */
export function chooseName({ validated }: HostNames, domain: string): string {
  return (
    validated.find((name) => name === domain) ??
    validated.find((name) => isSameOrBelow(name, domain)) ??
    validated[0] ??
    "unknown"
  )
}
