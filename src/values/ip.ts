import ipaddr from "ipaddr.js"

export type Network = readonly [address: ipaddr.IPv4 | ipaddr.IPv6, prefixLength: number]

/**
 * Reads an IP network in CIDR form (RFC 4632, RFC 4291 §2.3); an address alone is a network of one.
 * @throws Error saying what is wrong with the text
 */
export function toNetwork(text: string): Network {
  const [address = "", prefix, ...rest] = text.split("/")
  const parsed = parseAddress(address)
  const bits = parsed?.kind() === "ipv4" ? 32 : 128
  const length = prefix === undefined ? bits : /^(0|[1-9]\d{0,2})$/.test(prefix) ? Number(prefix) : Number.NaN
  if (!parsed || rest.length > 0 || !(length <= bits)) {
    throw new Error(`'${text}' is not an IP address or a network such as 192.0.2.0/24 or 2001:db8::/32`)
  }
  return [parsed, length]
}

export function toNetworks(texts: readonly string[]): readonly Network[] {
  return texts.map(toNetwork)
}

/** Whether an address lies in one of the networks. IPv4-mapped IPv6 counts as IPv4; text that is no address never matches. */
export function addressMatches(address: string, networks: readonly Network[]): boolean {
  const parsed = parseAddress(address)
  if (!parsed) return false
  return networks.some(
    ([network, length]) => network.kind() === parsed.kind() && parsed.match(network, length),
  )
}

/** Only the four-part decimal form of IPv4: `127.1` or `0x7f.1` in an allow-list would be a trap. */
function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  if (!ipaddr.IPv6.isValid(text) || text.includes("%")) return null
  const address = ipaddr.IPv6.parse(text)
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}
