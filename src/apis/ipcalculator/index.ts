import { Type } from "@sinclair/typebox"
import { dataDate } from "../../values/data-list.ts"
import {
  type Address,
  edgesOf,
  fromBytes,
  isIpv6,
  type Network,
  parseIpv4,
  parseIpv6,
  toReverseName,
} from "../../values/ip.ts"
import { choice, defineApi, premium, reject } from "../contract.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"
import { builtInPurposes, type SpecialNetwork, type SpecialPurposes } from "./special-purpose.ts"

const maxNetworks = 1_000
const form =
  "must be an IP address or a network, such as 192.0.2.10, 192.0.2.0/24 or 2001:db8::/32, without a zone"

/** Makes the API with registries of special purposes: the built-in ones, or newer ones of the operator. */
export function createIpcalculator(purposes: SpecialPurposes) {
  return defineApi({
    id: "ipcalculator",
    title: "IP calculator",
    category: "data",
    keywords: [
      "subnet",
      "CIDR",
      "netmask",
      "IPv4",
      "IPv6",
      "range",
      "private address",
      "supernet",
      "network",
    ],
    description:
      "Computes the range of an IPv4 or IPv6 network, splits a network, and merges networks into as few as possible. Tells the special purpose of an address (IANA).",
    method: "GET",
    credits: 1,
    lists: [{ name: "special-purpose-addresses", date: purposes.date }],
    input: Type.Object({
      address: field.text(
        "An address, or a network as address and prefix length or netmask: `192.0.2.10/24`, `192.0.2.10/255.255.255.0`.",
        { minLength: 2, maxLength: 49, "x-requirement": form },
      ),
      prefix: field.optional.integer("The prefix length, if `address` has none; all bits by default.", {
        minimum: 0,
        maximum: 128,
      }),
      range_end: field.optional.text(
        "The last address of a range that begins with `address`. The answer is about the smallest network that has both, and `range_networks` has the range itself.",
        { minLength: 2, maxLength: 45 },
      ),
      contains: field.optional.text(
        "An address or a network, to tell whether it is in the network or the range.",
        { minLength: 2, maxLength: 49 },
      ),
      split: field.optional.integer(
        "Splits the network into networks of this prefix length, at most 1,000.",
        { minimum: 0, maximum: 128 },
      ),
      aggregate: Type.Optional(
        premium(
          Type.Array(Type.String({ maxLength: 49 }), {
            maxItems: 200,
            description: "Other networks to merge with this one, into as few networks as possible.",
          }),
        ),
      ),
    }),
    output: Type.Object({
      address: field.text("The address, in the form of RFC 5952."),
      kind: choice(["ipv4", "ipv6"], { description: "The family of the address." }),
      prefix: field.integer("The prefix length."),
      network: field.text("The network: its first address and the prefix length."),
      first: field.text("The first address of the network."),
      last: field.text(
        "The last address of the network. In IPv4 it is the broadcast address, if there are more than 2.",
      ),
      netmask: field.text("The network mask, as an address."),
      wildcard: field.text("The wildcard mask: the network mask with each bit reversed."),
      address_count: field.text(
        "How many addresses the network has, up to 2^128. It is text, since numbers lose digits.",
      ),
      first_host: field.text(
        "The first address that a host can have: not the first of a network of more than 2, which is the network's own or, in IPv6, that of any router.",
      ),
      last_host: field.text("The last address that a host can have: in IPv4 not the broadcast address."),
      host_count: field.text("How many addresses hosts can have, as text."),
      reverse_name: field.text("The DNS name for the reverse lookup of the address (PTR)."),
      special: field.nullableGroup("The special purpose of the address; null for an ordinary address.", {
        name: field.text("IANA's name for the purpose."),
        network: field.text("The network that is reserved for it."),
        rfc: field.text("The RFC that defines it."),
        is_globally_reachable: field.nullableFlag(
          "Whether the whole internet can reach it; null where IANA does not say.",
        ),
      }),
      data_date: dataDate("IANA's registries of special-purpose addresses"),
      is_contained: field.nullableFlag(
        "Whether `contains` is in the network, or in the range with `range_end`; null without `contains`.",
      ),
      range_networks: field.nullableTexts(
        "The fewest networks with exactly the addresses from `address` to `range_end`; null without `range_end`.",
      ),
      networks: field.nullableTexts("The networks of `split`; null without it."),
      aggregated: premium(
        field.nullableTexts(
          "The fewest networks with exactly the addresses of all given ones; null without `aggregate`.",
        ),
      ),
    }),
    examples: storedExamples(stored, answers),
    run({ address: text, prefix: length, range_end: end, contains, split, aggregate: others }) {
      const written = readNetwork("address", text, length)
      const { address } = written
      const range = end === undefined ? null : toWritten(address, end)
      const network = networkOf(range ?? toRange(written))
      const { first, last, bits, prefix } = network
      const hosts = hostsOf(network)
      if (split !== undefined && (split < prefix || split > bits))
        reject("split", `must be from ${prefix}, the prefix length of the network, to ${bits}`)
      if (split !== undefined && 1n << BigInt(split - prefix) > maxNetworks)
        reject("split", `must be at most ${prefix + 9}: a network is split into at most 1,000`)
      const wildcard = (1n << BigInt(bits - prefix)) - 1n
      return {
        address: toAddressText(toRange({ address, prefix: bits }).first, bits),
        kind: isIpv6(address) ? ("ipv6" as const) : ("ipv4" as const),
        prefix,
        network: `${toAddressText(first, bits)}/${prefix}`,
        first: toAddressText(first, bits),
        last: toAddressText(last, bits),
        netmask: toMaskText((1n << BigInt(bits)) - 1n - wildcard, bits),
        wildcard: toMaskText(wildcard, bits),
        address_count: String(last - first + 1n),
        first_host: toAddressText(hosts.first, bits),
        last_host: toAddressText(hosts.last, bits),
        host_count: String(hosts.last - hosts.first + 1n),
        reverse_name: toReverseName(address),
        special: toSpecial(purposes.find(address)),
        data_date: purposes.date,
        is_contained:
          contains === undefined
            ? null
            : isInside(toRange(readNetwork("contains", contains)), range ?? network),
        range_networks: range && aggregate([range]),
        networks: split === undefined ? null : splitRange(network, split),
        aggregated: others
          ? aggregate([range ?? network, ...others.map((other) => toRange(readNetwork("aggregate", other)))])
          : null,
      }
    },
  })
}

/** An IPv4-mapped address stays IPv6, since its range is asked for. */
function readNetwork(parameter: string, text: string, given?: number): Network {
  const [, addressText = "", digits, mask = ""] =
    /^([^/]*)(?:\/(?:(0|[1-9]\d{0,2})|([\d.]+)))?$/.exec(text) ?? []
  const address = parseIpv4(addressText) ?? parseIpv6(addressText)
  if (address === null)
    reject(parameter, /^[^-]+-[^-]+$/.test(text) ? `${form}; give the end of a range as 'range_end'` : form)
  const bits = isIpv6(address) ? 128 : 32
  const written =
    mask === "" ? digits : isIpv6(address) ? null : parseIpv4(mask)?.prefixLengthFromSubnetMask()
  if (mask !== "" && written == null)
    reject(parameter, "must have a netmask of ones and then zeros, such as 255.255.255.0")
  if (written !== undefined && given !== undefined)
    reject("prefix", "must be left out if the address has one")
  const prefix = Number(written ?? given ?? bits)
  if (prefix > bits)
    reject(given === undefined ? parameter : "prefix", `must have a prefix length of at most ${bits}`)
  return { address, prefix }
}

/** The range from an address to another one. */
function toWritten(address: Address, end: string): Range {
  const { first, bits } = toRange({ address, prefix: isIpv6(address) ? 128 : 32 })
  const last = toRange(readNetwork("range_end", end))
  if (last.bits !== bits || last.last !== last.first || last.first < first)
    reject("range_end", "must be an address of the same family as 'address', and not before it")
  return { first, last: last.last, bits }
}

function toSpecial(found: SpecialNetwork | null) {
  if (found === null) return null
  const { name, text, rfc, isGloballyReachable } = found
  return { name, network: text, rfc, is_globally_reachable: isGloballyReachable }
}

/** The API with the built-in registries. */
export const ipcalculator = createIpcalculator(builtInPurposes)

/** The first and the last address of a network as numbers, and how many bits the addresses have. */
interface Range {
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
function toAddressText(number: bigint, bits: 32 | 128): string {
  if (bits === 128 && number >> 32n === 0xffffn) return `::ffff:${toAddressText(number & 0xffffffffn, 32)}`
  return toMaskText(number, bits)
}

/** The text of a mask, in the form of an address, none of whose bits are an IPv4 address. */
function toMaskText(number: bigint, bits: 32 | 128): string {
  return String(fromBytes(Buffer.from(number.toString(16).padStart(bits / 4, "0"), "hex")))
}

/** The smallest network that has all addresses of a range. */
function networkOf({ first, last, bits }: Range): Range & { readonly prefix: number } {
  const hostBits = first === last ? 0 : (first ^ last).toString(2).length
  const start = (first >> BigInt(hostBits)) << BigInt(hostBits)
  return { first: start, last: start + (1n << BigInt(hostBits)) - 1n, bits, prefix: bits - hostBits }
}

/**
 * The addresses that hosts can have. In a network of more than 2 they have neither the first one, which is the network's or that
 * of any router (RFC 4291 §2.6.1), nor the broadcast address of IPv4 (RFC 919 §7).
 */
function hostsOf({ first, last, bits }: Range): Range {
  if (last - first <= 1n) return { first, last, bits }
  return { first: first + 1n, last: bits === 32 ? last - 1n : last, bits }
}

/** Whether a range has all addresses of another one. */
function isInside(inner: Range, outer: Range): boolean {
  return inner.bits === outer.bits && inner.first >= outer.first && inner.last <= outer.last
}

/** The networks of the length `prefix` in a range. */
function splitRange({ first, last, bits }: Range, prefix: number): string[] {
  const size = 1n << BigInt(bits - prefix)
  const networks: string[] = []
  for (let start = first; start <= last; start += size)
    networks.push(`${toAddressText(start, bits)}/${prefix}`)
  return networks
}

/** The fewest networks that have exactly the addresses of the given ones, IPv4 first. */
function aggregate(ranges: readonly Range[]): string[] {
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
