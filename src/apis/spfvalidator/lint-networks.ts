import { edgesOf, isIpv6, type Network } from "../../values/ip.ts"
import type { Severity } from "./issue-kinds.ts"
import { type Finding, toFinding } from "./issues.ts"
import type { Directive } from "./record.ts"

/** What can be said about the networks that a record lets send. */
export function lintNetworks(directives: readonly Directive[], domain: string): Finding[] {
  return [
    ...directives.flatMap((directive) => lintNetwork(directive, domain)),
    ...lintOverlaps(directives, domain),
  ]
}

function lintNetwork(directive: Directive, domain: string): Finding[] {
  const { mechanism, qualifier } = directive
  const findings: Finding[] = []
  const add = (code: Parameters<typeof toFinding>[0], detail: string, severity?: Severity) =>
    findings.push(toFinding(code, domain, { term: directive, detail, ...(severity && { severity }) }))

  if (mechanism.kind === "ip4" || mechanism.kind === "ip6") {
    const { network } = mechanism
    const edges = edgesOf(network)
    const first = edges[0].toString()
    if (first !== network.address.toString()) add("HOST_BITS_SET", `${first}/${network.prefix}`)
    if (qualifier !== "+") return findings
    const use = specialUseOf(edges)
    if (use !== null) add("RESERVED_ADDRESS", use)
    const breadth = breadthOf(network.prefix, isIpv6(network.address))
    if (breadth !== null) add("BROAD_RANGE", describe(network.prefix, isIpv6(network.address)), breadth)
    return findings
  }
  if ((mechanism.kind !== "a" && mechanism.kind !== "mx") || qualifier !== "+") return findings
  const { prefix4, prefix6 } = mechanism
  const breadth4 = breadthOf(prefix4, false)
  const breadth6 = breadthOf(prefix6, true)
  if (breadth4 !== null) add("BROAD_RANGE", describe(prefix4, false), breadth4)
  if (breadth6 !== null) add("BROAD_RANGE", describe(prefix6, true), breadth6)
  return findings
}

function breadthOf(prefix: number, isSix: boolean): "error" | "warning" | null {
  if (prefix <= (isSix ? 19 : 8)) return "error"
  return prefix <= (isSix ? 31 : 15) ? "warning" : null
}

function describe(prefix: number, isSix: boolean): string {
  if (prefix === 0) return `every ${isSix ? "IPv6" : "IPv4"} address`
  return `one ${(2 ** prefix).toLocaleString("en-US")}th of all ${isSix ? "IPv6" : "IPv4"} addresses`
}

interface Entry {
  readonly directive: Directive
  readonly network: Network
  readonly bits: string
  readonly index: number
}

/**
 * Networks that add nothing: what an earlier term matches never gets to a later one, and what a later one of the same
 * qualifier covers need not be said before. Goes by the prefix lengths in use, so that a long record stays cheap.
 */
function lintOverlaps(directives: readonly Directive[], domain: string): Finding[] {
  const entries = directives.flatMap((directive, index): Entry[] => {
    const { mechanism } = directive
    if (mechanism.kind !== "ip4" && mechanism.kind !== "ip6") return []
    return [{ directive, network: mechanism.network, bits: toBits(mechanism.network), index }]
  })
  const first = new Map<string, Entry>()
  const findings: Finding[] = []
  for (const entry of entries) {
    const earlier = first.get(entry.bits)
    if (earlier === undefined) first.set(entry.bits, entry)
    else findings.push(overlap(entry, earlier, domain))
  }
  const lengths = [...new Set(entries.map(({ bits }) => bits.length))].sort((one, other) => one - other)
  for (const entry of first.values()) {
    for (const length of lengths) {
      if (length >= entry.bits.length) break
      const wider = first.get(entry.bits.slice(0, length))
      if (wider === undefined) continue
      const isUseless = wider.index < entry.index || wider.directive.qualifier === entry.directive.qualifier
      if (isUseless) findings.push(overlap(entry, wider, domain))
      break
    }
  }
  return findings
}

function overlap(entry: Entry, wider: Entry, domain: string): Finding {
  return toFinding("DUPLICATE_TERM", domain, { term: entry.directive, detail: wider.directive.text })
}

/** The family and the leading bits, as text: of two networks, one lies in the other if its bits begin with the other's. */
function toBits({ address, prefix }: Network): string {
  const bits = address.toByteArray().map((byte) => byte.toString(2).padStart(8, "0"))
  return `${isIpv6(address) ? "6" : "4"}${bits.join("").slice(0, prefix)}`
}

/**
 * What the special-purpose registries (RFC 6890) say of a network that lies in one of their blocks, given its edges; null
 * for others.
 */
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
