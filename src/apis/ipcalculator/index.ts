import { Type } from "@sinclair/typebox"
import { dataDate } from "../../values/data-list.ts"
import { type Address, isIpv6, type Network, parseIpv4, parseIpv6, toReverseName } from "../../values/ip.ts"
import { choice, defineApi, premium, reject } from "../contract.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"
import {
  aggregate,
  hostsOf,
  isInside,
  networkOf,
  type Range,
  splitRange,
  toAddressText,
  toMaskText,
  toRange,
} from "./ranges.ts"
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
