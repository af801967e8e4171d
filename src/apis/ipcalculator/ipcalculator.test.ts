import { expect, test } from "bun:test"
import fc from "fast-check"
import { runApi } from "../../../test/support/run-api.ts"
import { parseIpv4, parseIpv6 } from "../../values/ip.ts"
import { ipcalculator, toRange } from "./index.ts"
import { readRegistries } from "./read-registries.ts"

const calculate = (address: string, more: object = {}) => runApi(ipcalculator, { address, ...more })

test.each([
  ["10.1.2.3", "Private-Use", false],
  ["192.0.0.9", "Port Control Protocol Anycast", true],
  ["192.0.0.11", "IETF Protocol Assignments", false],
  ["192.88.99.1", "Deprecated (6to4 Relay Anycast)", null],
  ["255.255.255.255", "Limited Broadcast", false],
  ["::1", "Loopback Address", false],
  ["::ffff:192.0.2.1", "IPv4-mapped Address", false],
  ["64:ff9b::8.8.8.8", "IPv4-IPv6 Translat.", true],
  ["2001:db8::1", "Documentation", false],
  ["2001:0:1::", "TEREDO", null],
])("special purposes: %s: %s", (address, name, is_globally_reachable) =>
  expect(calculate(address).special).toMatchObject({ name, is_globally_reachable }),
)

test("special purposes: ordinary addresses have none", () => {
  for (const address of ["8.8.8.8", "2606:4700::1111", "172.32.0.0"])
    expect(calculate(address).special).toBeNull()
})

const header =
  "Address Block,Name,RFC,Allocation Date,Termination Date,Source,Destination,Forwardable,Globally Reachable,Reserved-by-Protocol"
const ipv4 = `${header}
0.0.0.0/8,"""This network""","[RFC791], Section 3.2",1981-09,N/A,True,False,False,False,True
192.0.0.0/24 [2],IETF Protocol Assignments,"[RFC6890], Section 2.1",2010-01,N/A,False,False,False,False,False
192.0.0.9/32,Port Control Protocol Anycast,[RFC7723],2015-10,N/A,True,True,True,True,False
"192.0.0.170/32, 192.0.0.171/32",NAT64/DNS64 Discovery,"[RFC8880][RFC7050], Section 2.2",2013-02,N/A,False,False,False,False,True
192.88.99.0/24,Deprecated (6to4 Relay Anycast),[RFC7526],2001-06,2015-03,,,,,
`
const ipv6 = `${header}
2001::/23,IETF Protocol Assignments,[RFC2928],2000-09,N/A,False [1],False [1],False [1],False [1],False
2001::/32,TEREDO,"[RFC4380]
        [RFC8190]",2006-01,N/A,True,True,True,N/A [2],False
4000::/16,A newer purpose,[IESG_2027],2027-03,N/A,True,True,True,True,False
`
const read = (address: string, text = ipv4 + ipv6) => {
  const found = readRegistries(text).find(parseIpv4(address) ?? parseIpv6(address) ?? expect.unreachable())
  return found && [found.text, found.name, found.rfc, found.isGloballyReachable]
}

test.each([
  ["0.1.2.3", ["0.0.0.0/8", '"This network"', "RFC 791", false]],
  ["192.0.0.1", ["192.0.0.0/24", "IETF Protocol Assignments", "RFC 6890", false]],
  ["192.0.0.9", ["192.0.0.9/32", "Port Control Protocol Anycast", "RFC 7723", true]],
  ["192.0.0.171", ["192.0.0.171/32", "NAT64/DNS64 Discovery", "RFC 8880", false]],
  ["192.88.99.1", ["192.88.99.0/24", "Deprecated (6to4 Relay Anycast)", "RFC 7526", null]],
  ["2001:1ff::", ["2001::/23", "IETF Protocol Assignments", "RFC 2928", false]],
  ["2001::1", ["2001::/32", "TEREDO", "RFC 4380", null]],
  ["4000::1", ["4000::/16", "A newer purpose", "[IESG_2027]", true]],
  ["224.0.0.1", ["224.0.0.0/4", "Multicast", "RFC 5771", null]],
  ["ff02::1", ["ff00::/8", "Multicast", "RFC 4291", null]],
  ["10.1.2.3", null],
])("newer registries of special purposes: %s: %j", (address, expected) =>
  expect(read(address)).toEqual(expected),
)

test("newer registries of special purposes are as of their newest network, whatever ends their lines and whichever comes first", () => {
  expect(readRegistries(ipv4 + ipv6).date).toBe("2027-03")
  const other = `\ufeff${ipv6}${ipv4}`.replaceAll("\n", "\r\n")
  expect(readRegistries(other).date).toBe("2027-03")
  expect(read("2001::1", other)).toEqual(read("2001::1"))
})

test.each([
  ["", "expected the CSV of IANA, with the column Address Block, Name, RFC"],
  ["[]", "expected the CSV of IANA, with the column"],
  [header, "expected networks of IPv4 and of IPv6: put both files of IANA into this one"],
  [ipv4, "expected networks of IPv4 and of IPv6"],
  [ipv6, "expected networks of IPv4 and of IPv6"],
  [`${ipv4}1.0.0.0/8,x,y,2027-01`, "row 7: expected 10 fields, as in the first row, not 4"],
  [`${ipv4}1.0.0.0/33,x,y,2027-01,N/A,,,,,`, "row 7: '1.0.0.0/33' is not a network such as 192.0.2.0/24"],
  [`${ipv4}1.0.0.0,x,y,2027-01,N/A,,,,,`, "row 7: '1.0.0.0' is not a network"],
  [`${ipv4}"1.0.0.0/8, x",x,y,2027-01,N/A,,,,,`, "row 7: 'x' is not a network"],
  [`${ipv4}1.0.0.0/8,,y,2027-01,N/A,,,,,`, "row 7: expected a name of at most 200 characters"],
  [`${ipv4}1.0.0.0/8,x,y,2027-13,N/A,,,,,`, "row 7: '2027-13' is not a month such as 2027-03"],
  [
    `${ipv4}1.0.0.0/8,x,y,2027-01,N/A,,,,Yes,`,
    "row 7: 'Globally Reachable' is 'Yes', not True, False or N/A",
  ],
  [`${ipv4}1.0.0.0/8,"x,y,2027-01,N/A,,,,,`, "row 7: a quote does not end before a comma or the line"],
])("newer registries of special purposes: %j is refused: %s", (text, problem) =>
  expect(() => readRegistries(text)).toThrow(problem),
)

test.each([
  ["192.0.2", {}, "address"],
  ["192.0.2.1/33", {}, "address"],
  ["192.0.2.1/024", {}, "address"],
  ["0x7f.1", {}, "address"],
  ["fe80::1%eth0", {}, "address"],
  ["١٢.0.2.1", {}, "address"],
  ["192.0.2.1/24", { prefix: 24 }, "prefix"],
  ["192.0.2.1", { prefix: 64 }, "prefix"],
  ["192.0.2.0/24", { split: 23 }, "split"],
  ["192.0.2.0/24", { split: 33 }, "split"],
  ["::/0", { split: 10 }, "split"],
  ["192.0.2.0/24", { aggregate: ["x"] }, "aggregate"],
  ["192.0.2.0/255.0.255.0", {}, "address"],
  ["192.0.2.0/256.0.0.0", {}, "address"],
  ["::/255.0.0.0", {}, "address"],
  ["192.0.2.1", { range_end: "192.0.2.0" }, "range_end"],
  ["192.0.2.1", { range_end: "::1" }, "range_end"],
  ["192.0.2.1", { range_end: "192.0.3.0/24" }, "range_end"],
  ["192.0.2.0/24", { contains: "x" }, "contains"],
])("what cannot be read names what to change: %s %p", (address, more, parameter) =>
  expect(() => calculate(address, more)).toThrow(`The '${parameter}' parameter must `),
)

test("a range in the place of an address names the parameter for its end", () =>
  expect(() => calculate("192.0.2.1-192.0.2.9")).toThrow("give the end of a range as 'range_end'"))

// RFC 5952 §5: mixed notation for what is known to end with an IPv4 address; RFC 4291 §2.5.5.2: ::ffff:0:0/96.
test.each([
  ["::ffff:192.0.2.1", "::ffff:192.0.2.1", "::ffff:192.0.2.1/128"],
  ["::FFFF:C000:201/120", "::ffff:192.0.2.1", "::ffff:192.0.2.0/120"],
  ["::ffff:0:0/96", "::ffff:0.0.0.0", "::ffff:0.0.0.0/96"],
  ["::ffff:0:0/95", "::ffff:0.0.0.0", "::fffe:0:0/95"],
  ["::192.0.2.1", "::c000:201", "::c000:201/128"],
  ["64:ff9b::192.0.2.1", "64:ff9b::c000:201", "64:ff9b::c000:201/128"],
])("%s is %s in %s", (text, address, network) =>
  expect(calculate(text)).toMatchObject({ address, network, kind: "ipv6" }),
)

test.each([
  ["192.0.2.10/24", "192.0.2.1", "192.0.2.254", "254", "0.0.0.255"],
  // RFC 3021: both addresses of a link with two ends.
  ["192.0.2.10/31", "192.0.2.10", "192.0.2.11", "2", "0.0.0.1"],
  ["192.0.2.10", "192.0.2.10", "192.0.2.10", "1", "0.0.0.0"],
  ["0.0.0.0/0", "0.0.0.1", "255.255.255.254", "4294967294", "255.255.255.255"],
  // RFC 4291 §2.6.1: the first address is that of any router; RFC 6164: not on links with two ends.
  ["2001:db8::/126", "2001:db8::1", "2001:db8::3", "3", "::3"],
  ["2001:db8::/127", "2001:db8::", "2001:db8::1", "2", "::1"],
  ["2001:db8::/80", "2001:db8::1", "2001:db8::ffff:ffff:ffff", "281474976710655", "::ffff:ffff:ffff"],
])("hosts of %s: %s to %s", (text, first_host, last_host, host_count, wildcard) =>
  expect(calculate(text)).toMatchObject({ first_host, last_host, host_count, wildcard }),
)

test.each([
  ["192.0.2.0/24", "192.0.2.255", true],
  ["192.0.2.0/24", "192.0.3.0", false],
  ["192.0.2.0/24", "192.0.2.128/25", true],
  ["192.0.2.0/24", "192.0.2.0/23", false],
  ["::ffff:0:0/96", "192.0.2.1", false],
  ["::/0", "2001:db8::/32", true],
])("%s contains %s: %p", (text, contains, is_contained) =>
  expect(calculate(text, { contains }).is_contained).toBe(is_contained),
)

test("a netmask is a prefix length", () => {
  for (let prefix = 0; prefix <= 32; prefix++) {
    const { netmask } = calculate(`0.0.0.0/${prefix}`)
    expect(calculate(`192.0.2.1/${netmask}`)).toEqual(calculate(`192.0.2.1/${prefix}`))
  }
  const both = () => calculate("192.0.2.0/255.255.255.0", { prefix: 24 })
  expect(both).toThrow("The 'prefix' parameter must be left out")
})

test("the networks of a range have its edges, join to no others, and lie in the network of both", () => {
  const edges = fc.oneof(fc.tuple(fc.ipV4(), fc.ipV4()), fc.tuple(fc.ipV6(), fc.ipV6()))
  fc.assert(
    fc.property(edges, ([one, other]) => {
      const ordered = toRange(whole(one)).first <= toRange(whole(other)).first
      const [address, range_end] = ordered ? [one, other] : [other, one]
      const { range_networks: found, network } = calculate(address, { range_end })
      const [first = "", ...others] = found ?? []
      expect(calculate(first).first).toBe(calculate(address).address)
      expect(calculate(found?.at(-1) ?? "").last).toBe(calculate(range_end).address)
      for (const part of found ?? []) expect(calculate(network, { contains: part }).is_contained).toBe(true)
      expect(calculate(first, { aggregate: others }).aggregated).toEqual(found ?? [])
      for (const contains of [address, range_end])
        expect(calculate(address, { range_end, contains }).is_contained).toBe(true)
    }),
    { numRuns: 200 },
  )
  function whole(text: string) {
    const address = parseIpv4(text) ?? parseIpv6(text) ?? expect.unreachable()
    return { address, prefix: address.kind() === "ipv6" ? 128 : 32 }
  }
})

const ipv4Network = fc
  .tuple(fc.ipV4(), fc.integer({ min: 8, max: 32 }))
  .map(([address, prefix]) => `${address}/${prefix}`)
const ipv6Network = fc
  .tuple(fc.ipV6(), fc.integer({ min: 0, max: 128 }))
  .map(([address, prefix]) => `${address}/${prefix}`)

test("the first and the last address are in the network, and their network is the same", () =>
  fc.assert(
    fc.property(fc.oneof(ipv4Network, ipv6Network), (text) => {
      const { network, first, last, prefix, address_count } = calculate(text)
      for (const edge of [first, last])
        expect(calculate(`${edge}/${prefix}`)).toMatchObject({ network, address_count })
    }),
    { numRuns: 200 },
  ))

test("the parts of a network join to the network, in any order and with parts of parts", () =>
  fc.assert(
    fc.property(
      fc.oneof(ipv4Network, ipv6Network),
      fc.integer({ min: 1, max: 6 }),
      fc.nat(),
      (text, deeper, turn) => {
        const { network, prefix, kind } = calculate(text)
        const split = Math.min(prefix + deeper, kind === "ipv4" ? 32 : 128)
        const parts = calculate(network, { split }).networks ?? []
        expect(parts).toHaveLength(2 ** (split - prefix))
        const turned = [...parts.slice(turn % parts.length), ...parts, ...parts.slice(0, turn % parts.length)]
        const [one = network, ...others] = turned
        expect(calculate(one, { aggregate: others }).aggregated).toEqual([network])
      },
    ),
    { numRuns: 100 },
  ))

test("the largest inputs: 512 parts, and 200 networks that do not join", () => {
  expect(calculate("2001:db8::/32", { split: 41 }).networks).toHaveLength(512)
  const odd = Array.from({ length: 200 }, (_, index) => `2001:db8:${(2 * index).toString(16)}::1/128`)
  expect(calculate("::/0", { aggregate: odd }).aggregated).toEqual(["::/0"])
  expect(calculate("::", { aggregate: odd }).aggregated).toHaveLength(201)
  // From 1 to the last but one: the most networks that one range can need.
  expect(calculate("0.0.0.0/1", { aggregate: ["128.0.0.0/2", "192.0.0.0/32"] }).aggregated).toHaveLength(3)
})
