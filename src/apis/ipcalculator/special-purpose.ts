import { type Address, isIpv6, isWithin, type Network, parseIpv4, parseIpv6 } from "../../values/ip.ts"

/**
 * The special-purpose address registries of IANA (RFC 6890) and multicast, as of the date below: network, name, RFC, and whether
 * the whole internet reaches it (`+` yes, `-` no, `?` the registry does not say).
 */
const registry = `
0.0.0.0/8 - 791 "This network"
0.0.0.0/32 - 1122 "This host on this network"
10.0.0.0/8 - 1918 Private-Use
100.64.0.0/10 - 6598 Shared Address Space
127.0.0.0/8 - 1122 Loopback
169.254.0.0/16 - 3927 Link Local
172.16.0.0/12 - 1918 Private-Use
192.0.0.0/24 - 6890 IETF Protocol Assignments
192.0.0.0/29 - 7335 IPv4 Service Continuity Prefix
192.0.0.8/32 - 7600 IPv4 dummy address
192.0.0.9/32 + 7723 Port Control Protocol Anycast
192.0.0.10/32 + 8155 Traversal Using Relays around NAT Anycast
192.0.0.170/31 - 8880 NAT64/DNS64 Discovery
192.0.2.0/24 - 5737 Documentation (TEST-NET-1)
192.31.196.0/24 + 7535 AS112-v4
192.52.193.0/24 + 7450 AMT
192.88.99.0/24 ? 7526 Deprecated (6to4 Relay Anycast)
192.88.99.2/32 - 6751 6a44-relay anycast address
192.168.0.0/16 - 1918 Private-Use
192.175.48.0/24 + 7534 Direct Delegation AS112 Service
198.18.0.0/15 - 2544 Benchmarking
198.51.100.0/24 - 5737 Documentation (TEST-NET-2)
203.0.113.0/24 - 5737 Documentation (TEST-NET-3)
224.0.0.0/4 ? 5771 Multicast
240.0.0.0/4 - 1112 Reserved
255.255.255.255/32 - 8190 Limited Broadcast
::/128 - 4291 Unspecified Address
::1/128 - 4291 Loopback Address
::ffff:0:0/96 - 4291 IPv4-mapped Address
64:ff9b::/96 + 6052 IPv4-IPv6 Translat.
64:ff9b:1::/48 - 8215 IPv4-IPv6 Translat.
100::/64 - 6666 Discard-Only Address Block
100:0:0:1::/64 - 9780 Dummy IPv6 Prefix
2001::/23 - 2928 IETF Protocol Assignments
2001::/32 ? 4380 TEREDO
2001:1::1/128 + 7723 Port Control Protocol Anycast
2001:1::2/128 + 8155 Traversal Using Relays around NAT Anycast
2001:1::3/128 + 9665 DNS-SD Service Registration Protocol Anycast
2001:2::/48 - 5180 Benchmarking
2001:3::/32 + 7450 AMT
2001:4:112::/48 + 7535 AS112-v6
2001:10::/28 ? 4843 Deprecated (previously ORCHID)
2001:20::/28 + 7343 ORCHIDv2
2001:30::/28 + 9374 Drone Remote ID Protocol Entity Tags
2001:db8::/32 - 3849 Documentation
2002::/16 ? 3056 6to4
2620:4f:8000::/48 + 7534 Direct Delegation AS112 Service
3fff::/20 - 9637 Documentation
5f00::/16 - 9602 Segment Routing (SRv6) SIDs
fc00::/7 - 4193 Unique-Local
fe80::/10 - 4291 Link-Local Unicast
ff00::/8 ? 4291 Multicast
`

/** A network with a special purpose. */
export interface SpecialNetwork extends Network {
  readonly name: string
  /** Address and prefix length. */
  readonly text: string
  readonly rfc: string
  /** Null where IANA does not say. */
  readonly isGloballyReachable: boolean | null
}

/** The networks with special purposes of one day. */
export interface SpecialPurposes {
  /** The month of the newest network, `YYYY-MM`; null when it is not known. */
  readonly date: string | null
  /** The network with the longest prefix that an address is in; null if it has no special purpose. */
  find(address: Address): SpecialNetwork | null
}

const builtInNetworks = registry
  .trim()
  .split("\n")
  .map((line) => {
    const [text = "", global = "", rfc = "", ...name] = line.split(" ")
    const isGloballyReachable = global === "?" ? null : global === "+"
    return { ...parseNetwork(text), name: name.join(" "), text, rfc: `RFC ${rfc}`, isGloballyReachable }
  })

/** The registries have no multicast, which has a registry of its own. */
export const multicast = builtInNetworks.filter(({ name }) => name === "Multicast")

/**
 * Reads a network such as `192.0.2.0/24`.
 * @throws Error when it is none
 */
export function parseNetwork(text: string): Network {
  const [, addressText = "", digits] = /^([^/]*)\/(\d{1,3})$/.exec(text) ?? []
  const address = parseIpv4(addressText) ?? parseIpv6(addressText)
  const prefix = Number(digits)
  if (address === null || prefix > (isIpv6(address) ? 128 : 32))
    throw new Error(`'${text.slice(0, 50)}' is not a network such as 192.0.2.0/24`)
  return { address, prefix }
}

export function createSpecialPurposes(
  date: string | null,
  networks: readonly SpecialNetwork[],
): SpecialPurposes {
  const longestFirst = networks.toSorted((a, b) => b.prefix - a.prefix)
  return { date, find: (address) => longestFirst.find((network) => isWithin(address, network)) ?? null }
}

/** The built-in table. RFC 9780, the newest of its entries, is of May 2025. */
export const builtInPurposes = createSpecialPurposes("2025-05", builtInNetworks)
