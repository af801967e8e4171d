import ipaddr from "ipaddr.js"

/** An IP address without a zone. As text (`String(address)`) it is a dotted quad, or IPv6 as RFC 5952 writes it. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6

/** All addresses whose first `prefix` bits are those of `address` (RFC 4632 §3.1, RFC 4291 §2.3). */
export type Network = { readonly address: Address; readonly prefix: number }

/**
 * Reads an IPv4 address: four decimal numbers without leading zeros. Null for anything else: programs disagree on what
 * `127.1`, `0x7f.0.0.1` and `010.0.0.1` mean (RFC 6943 §3.1.1).
 */
export function parseIpv4(text: string): ipaddr.IPv4 | null {
  // For other text ipaddr.js throws and catches an error, which is slow.
  const isDotted = /^[\d.]{7,15}$/.test(text)
  return isDotted && ipaddr.IPv4.isValidFourPartDecimal(text) ? ipaddr.IPv4.parse(text) : null
}

/** Reads an IPv6 address in any form of RFC 4291 §2.2, without a zone; null for anything else. */
export function parseIpv6(text: string): ipaddr.IPv6 | null {
  // The longest form has 45 characters.
  if (!/^[\da-f:.]{2,45}$/i.test(text)) return null
  // ipaddr.js takes `::192.0.2.1` for `::ffff:192.0.2.1`, which is another address, so it is given hexadecimal groups.
  const groups = text.replace(/[^:]*$/, toGroups)
  return !groups.includes(".") && ipaddr.IPv6.isValid(groups) ? ipaddr.IPv6.parse(groups) : null
}

function toGroups(end: string): string {
  const address = parseIpv4(end)
  if (address === null) return end
  const digits = Buffer.from(address.octets).toString("hex")
  return `${digits.slice(0, 4)}:${digits.slice(4)}`
}

/**
 * Reads an address of either family, without a zone; null for anything else. An IPv4-mapped address (`::ffff:192.0.2.1`,
 * RFC 4291 §2.5.5.2) is the IPv4 address, since sockets for both families report IPv4 clients so. Other IPv6 addresses that
 * contain an IPv4 address (`::192.0.2.1`, NAT64, 6to4, Teredo) stay IPv6: a host may have one without the IPv4 address.
 */
export function parseAddress(text: string): Address | null {
  const address = parseIpv4(text) ?? parseIpv6(text)
  return address !== null && isIpv6(address) && address.isIPv4MappedAddress()
    ? address.toIPv4Address()
    : address
}

/**
 * Reads the address that a connection to `text` would reach, with or without a zone. Differs from {@link parseAddress} for
 * `64:ff9b::/96`: a NAT64 gateway takes it to the IPv4 address in its last 32 bits (RFC 6052 §2.1).
 */
export function parseDestination(text: string): Address | null {
  const address = parseAddress(withoutZone(text))
  return address !== null && isWithin(address, nat64)
    ? new ipaddr.IPv4(address.toByteArray().slice(-4))
    : address
}

/** A URL's host without the brackets of an IPv6 literal. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1")
}

/** The host of a URL, without brackets; empty for a text that is no URL. */
export function hostIn(url: string): string {
  return URL.canParse(url) ? hostOf(new URL(url)) : ""
}

/** Whether a host, a name or an address without brackets, is this machine only (RFC 6761 §6.3). */
export function isLoopback(host: string): boolean {
  return host === "localhost" || parseDestination(host)?.range() === "loopback"
}

/** Takes the zone off an address: `fe80::1%eth0` becomes `fe80::1` (RFC 4007 §11). Other text is unchanged. */
export function withoutZone(text: string): string {
  return text.includes(":") ? text.replace(/%[\w.:-]+$/, "") : text
}

/**
 * Reads a network in CIDR form; an address alone is a network of one. The prefix length of an IPv4-mapped address counts
 * the bits of the IPv4 address.
 * @throws Error saying what is wrong with the text
 */
export function toNetwork(text: string): Network {
  const [addressText = "", digits, ...rest] = text.split("/")
  const address = parseAddress(addressText)
  const bits = address !== null && isIpv6(address) ? 128 : 32
  const prefix = digits === undefined ? bits : /^(0|[1-9]\d{0,2})$/.test(digits) ? Number(digits) : Number.NaN
  if (address === null || rest.length > 0 || !(prefix <= bits))
    throw new Error(`'${text}' is not an IP address or a network such as 192.0.2.0/24 or 2001:db8::/32`)
  return { address, prefix }
}

/** @throws what {@link toNetwork} throws */
export function toNetworks(texts: readonly string[]): readonly Network[] {
  return texts.map(toNetwork)
}

/** Whether the text is an address, as {@link parseAddress} reads it, in one of the networks. */
export function addressMatches(text: string, networks: readonly Network[]): boolean {
  const address = parseAddress(text)
  return address !== null && networks.some((network) => isWithin(address, network))
}

/** Whether an address is in a network. Never so across families. */
export function isWithin(address: Address, network: Network): boolean {
  return address.kind() === network.address.kind() && address.match(network.address, network.prefix)
}

/** Whether an address is an IPv6 address. */
export function isIpv6(address: Address): address is ipaddr.IPv6 {
  return address.kind() === "ipv6"
}

/** Whether the whole internet can be expected to reach an address (special-purpose registries, RFC 6890). */
export function isPublic(address: Address): boolean {
  if (address.range() !== "unicast") return false
  // Only this part of IPv6 is assigned as global unicast (RFC 4291 §2.4). `::/96` would hide IPv4 addresses.
  return !isIpv6(address) || isWithin(address, globalUnicast)
}

/** Whether a connection to `text` would reach an address that is public: one that a stranger may choose. */
export function isPublicDestination(text: string): boolean {
  const address = parseDestination(text)
  return address !== null && isPublic(address)
}

const globalUnicast = toNetwork("2000::/3")
const nat64 = toNetwork("64:ff9b::/96")

/** The first and the last address of a network. */
export function edgesOf({ address, prefix }: Network): readonly [first: Address, last: Address] {
  const family = isIpv6(address) ? ipaddr.IPv6 : ipaddr.IPv4
  const mask = family.subnetMaskFromPrefixLength(prefix).toByteArray()
  const bytes = address.toByteArray()
  const first = bytes.map((byte, index) => byte & (mask[index] ?? 0))
  const last = bytes.map((byte, index) => byte | (0xff & ~(mask[index] ?? 0)))
  return [ipaddr.fromByteArray(first), ipaddr.fromByteArray(last)]
}

/** The 4 or 16 bytes of an address in network order. */
export function fromBytes(bytes: Uint8Array): Address {
  return ipaddr.fromByteArray([...bytes])
}

/** A dotted quad, or the 32 hexadecimal digits of an IPv6 address with dots between. */
export function toDotted(address: Address): string {
  if (!isIpv6(address)) return address.toString()
  return [...Buffer.from(address.toByteArray()).toString("hex")].join(".")
}

/** The name of an address in `in-addr.arpa` or `ip6.arpa` (RFC 1035 §3.5, RFC 3596 §2.5). */
export function toReverseName(address: Address): string {
  const labels = toDotted(address).split(".").reverse().join(".")
  return `${labels}.${isIpv6(address) ? "ip6" : "in-addr"}.arpa`
}

/**
 * The networks whose clients count as one where few must be let through, the narrowest first: the 256 addresses around one of
 * IPv4, and the /64, /56 and /48 of IPv6, which customers of providers get (RFC 6177). Each name begins with
 * the wider network's name.
 */
export function mailNetworksOf(text: string): readonly [string, ...string[]] {
  const address = parseAddress(text)
  if (address === null) return [text]
  if (!isIpv6(address)) return [`${address.octets.slice(0, 3).join(".")}.0/24`]
  const narrow = address.parts
    .slice(0, 4)
    .map((part) => part.toString(16).padStart(4, "0"))
    .join(":")
  return [narrow, narrow.slice(0, -2), narrow.slice(0, -5)]
}
