import { expect, test } from "bun:test"
import { BlockList, isIPv4, isIPv6 } from "node:net"
import fc from "fast-check"
import {
  type Address,
  addressMatches,
  edgesOf,
  fromBytes,
  isPublic,
  isWithin,
  type Network,
  parseAddress,
  parseDestination,
  parseIpv4,
  parseIpv6,
  toDotted,
  toNetwork,
  toNetworks,
  toReverseName,
  withoutZone,
} from "./ip.ts"

const bytes4 = fc.uint8Array({ minLength: 4, maxLength: 4 })
const bytes6 = fc.uint8Array({ minLength: 16, maxLength: 16 })
const address4 = bytes4.map((bytes) => fromBytes(bytes).toString())
const address6 = bytes6.map((bytes) => fromBytes(bytes).toString())

test("reading an address agrees with the platform on what is an address", () => {
  const piece = fc.constantFrom(...": :: . 0 1 ff fff0 12345 255 256 01 % / g".split(" "))
  const near = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""))
  fc.assert(
    fc.property(fc.oneof(near, fc.ipV4(), fc.ipV6(), fc.ipV4Extended(), fc.string()), (text) => {
      expect(parseIpv4(text) !== null).toBe(isIPv4(text))
      expect(parseIpv6(text) !== null).toBe(isIPv6(text) && !text.includes("%"))
    }),
    { numRuns: 3000 },
  )
})

test("reading an address gives the bytes that were written, in hexadecimal groups or with a dotted end", () =>
  fc.assert(
    fc.property(bytes6, (bytes) => {
      const digits = Buffer.from(bytes).toString("hex")
      const groups = digits.match(/.{4}/g) ?? []
      const dotted = `${groups.slice(0, 6).join(":")}:${bytes.slice(-4).join(".")}`
      for (const text of [groups.join(":"), dotted.toUpperCase()])
        expect(parseIpv6(text)?.toByteArray()).toEqual([...bytes])
    }),
  ))

test("reading an address of its own text gives the same address", () =>
  fc.assert(
    fc.property(fc.oneof(bytes4, bytes6), (bytes) => {
      const text = fromBytes(bytes).toString()
      const read = bytes.length === 4 ? parseIpv4(text) : parseIpv6(text)
      expect(read?.toByteArray()).toEqual([...bytes])
      expect(read?.toString()).toBe(text)
    }),
  ))

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["::FFFF:c000:201", "192.0.2.1"],
  ["0:0:0:0:0:ffff:192.0.2.1", "192.0.2.1"],
  ["::192.0.2.1", "::c000:201"],
  ["::ffff:0:192.0.2.1", "::ffff:0:c000:201"],
  ["64:ff9b::192.0.2.1", "64:ff9b::c000:201"],
  ["2002:c000:201::", "2002:c000:201::"],
  ["CAFE:BABE::192.168.218.40", "cafe:babe::c0a8:da28"],
  ["2001:db8:0:0:0:0:0:1", "2001:db8::1"],
])("reading an address: %s is %s", (text, shown) => expect(parseAddress(text)?.toString()).toBe(shown))

test.each([
  "",
  ..."192.0.2 127.1 192.0.2.1/32 fe80::1%eth0 [::1]".split(" "),
  " 192.0.2.1",
  ..."0x7f.0.0.1 192.0.2.01 ::ffff:192.0.2.01 ::1/128 localhost".split(" "),
])("reading an address: %j is refused", (text) => expect(parseAddress(text)).toBeNull())

test("reading an address: a zone is cut from IPv6 alone", () =>
  expect(["fe80::1%eth0", "fe80::1%25", "fe80::1", "192.0.2.1%1", "::1%"].map(withoutZone)).toEqual(
    "fe80::1 fe80::1 fe80::1 192.0.2.1%1 ::1%".split(" "),
  ))

test("a connection through NAT64 reaches the IPv4 address inside, and no other form does", () => {
  fc.assert(
    fc.property(address4, (address) => {
      for (const text of [address, `::ffff:${address}`, `64:ff9b::${address}`])
        expect(parseDestination(text)?.toString()).toBe(address)
      for (const text of [`::${address}`, `64:ff9b:1::${address}`, `64:ff9b::1:${address}`])
        expect(parseDestination(text)?.kind()).toBe("ipv6")
    }),
  )
  expect(parseDestination("fe80::1%eth0")?.toString()).toBe("fe80::1")
  expect(parseDestination("localhost")).toBeNull()
})

test.each([
  ["192.0.2.77", "192.0.2.0/24", true],
  ["192.0.3.77", "192.0.2.0/24", false],
  ["192.0.2.77", "192.0.2.77", true],
  ["192.0.2.78", "192.0.2.77", false],
  ["10.1.2.3", "0.0.0.0/0", true],
  ["2001:db8::1", "2001:db8::/32", true],
  ["2001:db9::1", "2001:db8::/32", false],
  ["2001:db8:8000::", "2001:db8::/33", false],
  ["::ffff:192.0.2.77", "192.0.2.0/24", true],
  ["192.0.2.77", "::ffff:192.0.2.0/24", true],
  ["192.0.3.77", "::ffff:192.0.2.0/24", false],
  // Read as IPv6, this network would contain it.
  ["2001:db8::1", "::ffff:192.0.2.0/0", false],
  ["::192.0.2.77", "::ffff:192.0.2.0/24", false],
  ["::192.0.2.77", "192.0.2.0/24", false],
  ["192.0.2.77", "::192.0.2.0/120", false],
  ["::192.0.2.77", "::192.0.2.0/120", true],
  ["192.0.2.77", "::/0", false],
  ["2001:db8::1", "0.0.0.0/0", false],
  ["fe80::1%eth0", "fe80::/10", false],
  ["no address", "0.0.0.0/0", false],
  ["", "0.0.0.0/0", false],
])("networks: %p in %p is %p", (address, network, expected) =>
  expect(addressMatches(address, toNetworks([network]))).toBe(expected),
)

test("networks: one of an IPv4 address holds that address and its mapped form, and no other form", () =>
  fc.assert(
    fc.property(address4, (address) => {
      const networks = toNetworks([address])
      expect(addressMatches(address, networks)).toBe(true)
      expect(addressMatches(`::ffff:${address}`, networks)).toBe(true)
      for (const form of ["::", "::ffff:0:", "64:ff9b::", "2002:"].map((start) => `${start}${address}`))
        expect(addressMatches(form, networks)).toBe(false)
      // And the other way round.
      expect(addressMatches(address, toNetworks([`::${address}`]))).toBe(false)
      expect(addressMatches(`::${address}`, toNetworks([`::${address}`]))).toBe(true)
    }),
  ))

test("networks hold the addresses that the platform's block list holds", () => {
  const cases = fc.oneof(
    fc.tuple(address4, address4, fc.nat(32), fc.constant("ipv4" as const)),
    fc.tuple(address6, address6, fc.nat(128), fc.constant("ipv6" as const)),
  )
  fc.assert(
    fc.property(cases, fc.boolean(), ([one, other, prefix, family], isNear) => {
      const list = new BlockList()
      list.addSubnet(one, prefix, family)
      const network = read(`${one}/${prefix}`)
      // Two random addresses are hardly ever in one network, so half of the time an edge of it is taken.
      const asked = isNear ? edgesOf(network)[1].toString() : other
      expect(isWithin(read(asked).address, network)).toBe(list.check(asked, family))
    }),
    { numRuns: 500 },
  )
})

test.each([
  "",
  ..."192.0.2 127.1 0x7f.0.0.1 192.0.2.0/33 ::ffff:192.0.2.0/33 ::ffff:192.0.2.0/120".split(" "),
  ..."192.0.2.0/ 192.0.2.0/08 ::/129 ::1/64/64 fe80::1%1 a.example".split(" "),
])("networks: %p is refused", (text) =>
  expect(() => toNetwork(text)).toThrow(`'${text}' is not an IP address or a network`),
)

test("networks: the first and last address", () => {
  const edges = (text: string) => edgesOf(read(text)).map(String)
  expect(edges("192.0.2.77/24")).toEqual(["192.0.2.0", "192.0.2.255"])
  expect(edges("192.0.2.77/31")).toEqual(["192.0.2.76", "192.0.2.77"])
  expect(edges("192.0.2.77/32")).toEqual(["192.0.2.77", "192.0.2.77"])
  expect(edges("10.1.2.3/0")).toEqual(["0.0.0.0", "255.255.255.255"])
  expect(edges("2001:db8::1/33")).toEqual(["2001:db8::", "2001:db8:7fff:ffff:ffff:ffff:ffff:ffff"])
})

test("reverse names", () => {
  const six = read("2001:db8::cb01").address
  expect(toDotted(read("192.0.2.3").address)).toBe("192.0.2.3")
  expect(toDotted(six)).toBe("2.0.0.1.0.d.b.8.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.c.b.0.1")
  expect(toReverseName(read("192.0.2.3").address)).toBe("3.2.0.192.in-addr.arpa")
  expect(toReverseName(six)).toBe("1.0.b.c.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa")
})

test("addresses that only look like public ones are not public", () => {
  const isShown = (text: string) => isPublic(parseAddress(text) as Address)
  expect(["8.8.8.8", "2606:4700::1111"].map(isShown)).toEqual([true, true])
  const others = ["10.0.0.1", "::8.8.8.8", "2002:808:808::", "64:ff9b::8.8.8.8", "4000::1"]
  expect(others.filter(isShown)).toEqual([])
})

/** Like {@link toNetwork}, but IPv4-mapped addresses stay IPv6. */
function read(text: string): Network {
  const [address = "", prefix] = text.split("/")
  const six = parseIpv6(address)
  return six === null ? toNetwork(text) : { address: six, prefix: Number(prefix ?? 128) }
}
