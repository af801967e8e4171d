import { type Address, edgesOf, fromBytes, isIpv6, type Network } from "../../values/ip.ts"

/** The first and the last address of a network as numbers, and how many bits the addresses have. */
export interface Range {
  readonly first: bigint
  readonly last: bigint
  readonly bits: 32 | 128
}

export function toRange(network: Network): Range {
  const [first, last] = edgesOf(network)
  return { first: toNumber(first), last: toNumber(last), bits: isIpv6(first) ? 128 : 32 }
}

function toNumber(address: Address): bigint {
  return BigInt(`0x${Buffer.from(address.toByteArray()).toString("hex")}`)
}

/**
 * The text of an address: a dotted quad, or IPv6 as RFC 5952 writes it. The end of an IPv4-mapped address is its IPv4 address:
 * `::ffff:192.0.2.1` (§5).
 */
export function toAddressText(number: bigint, bits: 32 | 128): string {
  if (bits === 128 && number >> 32n === 0xffffn) return `::ffff:${toAddressText(number & 0xffffffffn, 32)}`
  return toMaskText(number, bits)
}

/** The text of a mask, in the form of an address, none of whose bits are an IPv4 address. */
export function toMaskText(number: bigint, bits: 32 | 128): string {
  return String(fromBytes(Buffer.from(number.toString(16).padStart(bits / 4, "0"), "hex")))
}

/** The smallest network that has all addresses of a range. */
export function networkOf({ first, last, bits }: Range): Range & { readonly prefix: number } {
  const hostBits = first === last ? 0 : (first ^ last).toString(2).length
  const start = (first >> BigInt(hostBits)) << BigInt(hostBits)
  return { first: start, last: start + (1n << BigInt(hostBits)) - 1n, bits, prefix: bits - hostBits }
}

/**
 * The addresses that hosts can have. In a network of more than 2 they have neither the first one, which is the network's or that
 * of any router (RFC 4291 §2.6.1), nor the broadcast address of IPv4 (RFC 919 §7).
 */
export function hostsOf({ first, last, bits }: Range): Range {
  if (last - first <= 1n) return { first, last, bits }
  return { first: first + 1n, last: bits === 32 ? last - 1n : last, bits }
}

/** Whether a range has all addresses of another one. */
export function isInside(inner: Range, outer: Range): boolean {
  return inner.bits === outer.bits && inner.first >= outer.first && inner.last <= outer.last
}

/** The networks of the length `prefix` in a range. */
export function splitRange({ first, last, bits }: Range, prefix: number): string[] {
  const size = 1n << BigInt(bits - prefix)
  const networks: string[] = []
  for (let start = first; start <= last; start += size)
    networks.push(`${toAddressText(start, bits)}/${prefix}`)
  return networks
}

/** The fewest networks that have exactly the addresses of the given ones, IPv4 first. */
export function aggregate(ranges: readonly Range[]): string[] {
  const sorted = ranges.toSorted(
    (a, b) => a.bits - b.bits || (a.first < b.first ? -1 : a.first > b.first ? 1 : 0),
  )
  const joined: Range[] = []
  for (const range of sorted) {
    const before = joined.at(-1)
    if (before?.bits === range.bits && range.first <= before.last + 1n) {
      if (range.last > before.last) joined[joined.length - 1] = { ...before, last: range.last }
    } else joined.push(range)
  }
  return joined.flatMap(toNetworks)
}

/** Takes from the start of a range the largest network that begins there and fits, again and again. */
function toNetworks({ first, last, bits }: Range): string[] {
  const networks: string[] = []
  for (let start = first; start <= last; ) {
    let hostBits = 0
    while (
      hostBits < bits &&
      (start >> BigInt(hostBits)) % 2n === 0n &&
      start + (2n << BigInt(hostBits)) - 1n <= last
    )
      hostBits++
    networks.push(`${toAddressText(start, bits)}/${bits - hostBits}`)
    start += 1n << BigInt(hostBits)
  }
  return networks
}
