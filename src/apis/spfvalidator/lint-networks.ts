import { edgesOf, isIpv6, type Network } from "../../values/ip.ts"
import { type Finding, toFinding } from "./issues.ts"
import type { Directive } from "./record.ts"

/** The issues of the networks that a record names. */
export function lintNetworks(directives: readonly Directive[], domain: string): Finding[] {
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
