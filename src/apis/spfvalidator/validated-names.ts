import { type Address, isIpv6, parseIpv4, parseIpv6, toReverseName } from "../../values/ip.ts"
import { isAskable, isSameOrBelow, type Lookups } from "../mail/look-up.ts"
import { limits } from "./record.ts"

/**
 * Looks up an address's names and validates the first ten. A DNS error drops only its name (RFC 7208 §4.6.4, §5.5).
 * @returns `isVoid` tells whether the PTR query found no name: a void look-up. `count` is how many names the address has,
 * `validated` those that resolve to it, in lower case and in the order of the answer
 */
export async function findHostNames(address: Address, lookups: Lookups) {
  const answer = await lookups.ask(toReverseName(address), "PTR")
  if (answer.kind !== "records") return { isVoid: answer.kind !== "failure", count: 0, validated: [] }
  const names = answer.records.slice(0, limits.ptrNames).map((name) => name.replace(/\.$/, "").toLowerCase())
  const checks = await Promise.all(names.map((name) => resolvesTo(name, address, lookups)))
  return { isVoid: false, count: answer.records.length, validated: names.filter((_, index) => checks[index]) }
}

async function resolvesTo(name: string, address: Address, lookups: Lookups): Promise<boolean> {
  if (!isAskable(name)) return false
  const answer = await lookups.ask(name, isIpv6(address) ? "AAAA" : "A")
  if (answer.kind !== "records") return false
  const parse = isIpv6(address) ? parseIpv6 : parseIpv4
  return answer.records.some((text) => parse(text)?.toString() === address.toString())
}

/** The value of `p`: the domain itself, else a name below it, else any name, else "unknown" (RFC 7208 §7.3). */
export function chooseName({ validated }: { readonly validated: readonly string[] }, domain: string): string {
  return (
    validated.find((name) => name === domain) ??
    validated.find((name) => isSameOrBelow(name, domain)) ??
    validated[0] ??
    "unknown"
  )
}
