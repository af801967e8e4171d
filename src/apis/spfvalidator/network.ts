import ipaddr from "ipaddr.js"

export type Address = ipaddr.IPv4 | ipaddr.IPv6

/** A literal ip4 or ip6 network, and how the record writes it. */
export interface Network {
  readonly address: Address
  readonly prefix: number
  readonly text: string
}

const octet = "(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)"
const dottedQuad = new RegExp(`^${octet}\\.${octet}\\.${octet}\\.${octet}$`)

/** Four decimal numbers without leading zeros (RFC 7208 §5.6), which ipaddr.js alone would also read as octal or hex. */
export function parseIp4(text: string): ipaddr.IPv4 | null {
  const match = dottedQuad.exec(text)
  return match === null ? null : new ipaddr.IPv4(match.slice(1).map(Number))
}

/**
 * RFC 4291 §2.2 text without a zone. A dotted tail is turned into groups first: ipaddr.js reads `::1.2.3.4` as the
 * IPv4-mapped `::ffff:1.2.3.4`, which is another address.
 */
export function parseIp6(text: string): ipaddr.IPv6 | null {
  if (text.length > 45 || !/^[\da-f:.]+$/i.test(text)) return null
  const groups = text.includes(".") ? withoutDottedTail(text) : text
  return groups !== null && ipaddr.IPv6.isValid(groups) ? ipaddr.IPv6.parse(groups) : null
}

function withoutDottedTail(text: string): string | null {
  const tailAt = text.lastIndexOf(":") + 1
  const tail = parseIp4(text.slice(tailAt))
  if (tail === null) return null
  const [a = 0, b = 0, c = 0, d = 0] = tail.octets
  return `${text.slice(0, tailAt)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
}

/** The address of an SMTP client. An IPv4-mapped one is IPv4 for every purpose (RFC 7208 §5). Null for anything else. */
export function parseClientAddress(text: string): Address | null {
  const address = parseIp4(text) ?? parseIp6(text)
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

/** Compares the leading bits; addresses of two families never match (RFC 7208 §5). */
export function isWithin(address: Address, network: Address, prefix: number): boolean {
  if (address instanceof ipaddr.IPv4) return network instanceof ipaddr.IPv4 && address.match(network, prefix)
  return network instanceof ipaddr.IPv6 && address.match(network, prefix)
}

export function isIp6(address: Address): address is ipaddr.IPv6 {
  return address instanceof ipaddr.IPv6
}

/** Human-readable: a dotted quad or RFC 5952 text. */
export function toText(address: Address): string {
  return address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString()
}

/** The `i` macro: a dotted quad, or 32 nibbles with dots between (RFC 7208 §7.3). */
export function toDotted(address: Address): string {
  if (address instanceof ipaddr.IPv4) return address.toString()
  const digits = address.toByteArray().map((byte) => byte.toString(16).toUpperCase().padStart(2, "0"))
  return [...digits.join("")].join(".")
}

/** The name of the address in `in-addr.arpa` or `ip6.arpa` (RFC 1035 §3.5, RFC 3596 §2.5). */
export function toReverseName(address: Address): string {
  const labels = toDotted(address).toLowerCase().split(".").reverse().join(".")
  return `${labels}.${address instanceof ipaddr.IPv4 ? "in-addr" : "ip6"}.arpa`
}

/** The first and the last address of a network. */
export function edgesOf({ address, prefix }: Network): readonly [first: Address, last: Address] {
  const bytes = address.toByteArray()
  const masked = (fill: number) =>
    bytes.map((byte, index) => {
      const kept = Math.min(8, Math.max(0, prefix - index * 8))
      const host = 0xff >> kept
      return (byte & ~host) | (fill & host)
    })
  return [ipaddr.fromByteArray(masked(0)), ipaddr.fromByteArray(masked(0xff))]
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
