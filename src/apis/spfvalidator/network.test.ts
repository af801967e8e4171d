import { describe, expect, test } from "bun:test"
import { isIPv4, isIPv6 } from "node:net"
import fc from "fast-check"
import {
  edgesOf,
  isWithin,
  type Network,
  parseClientAddress,
  parseIp4,
  parseIp6,
  specialUseOf,
  toDotted,
  toReverseName,
  toText,
} from "./network.ts"

function network(text: string): Network {
  const [address = "", prefix] = text.split("/")
  const parsed = parseIp4(address) ?? parseIp6(address)
  if (parsed === null) throw new Error(`${text} is no network`)
  return { address: parsed, prefix: Number(prefix), text }
}

test("addresses are read as strictly as the platform reads them", () => {
  const piece = fc.constantFrom(
    ":",
    "::",
    ".",
    "0",
    "1",
    "ff",
    "fff0",
    "12345",
    "255",
    "256",
    "01",
    "%",
    "/",
    "g",
  )
  const near = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""))
  fc.assert(
    fc.property(fc.oneof(near, fc.ipV4(), fc.ipV6(), fc.ipV4Extended(), fc.string()), (text) => {
      expect(parseIp4(text) !== null).toBe(isIPv4(text))
      expect(parseIp6(text) !== null).toBe(isIPv6(text) && !text.includes("%"))
    }),
    { seed: 20250101, numRuns: 3000 },
  )
})

describe("client addresses", () => {
  test.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::FFFF:c000:201", "192.0.2.1"],
    ["::192.0.2.1", "::c000:201"],
    ["CAFE:BABE::192.168.218.40", "cafe:babe::c0a8:da28"],
    ["2001:db8:0:0:0:0:0:1", "2001:db8::1"],
  ])("%s is %s", (text, shown) => {
    const address = parseClientAddress(text)
    expect(address && toText(address)).toBe(shown)
  })

  test.each([
    "",
    "192.0.2",
    "192.0.2.1/32",
    "fe80::1%eth0",
    "[::1]",
    " 192.0.2.1",
    "0x7f.1",
    "192.0.2.01",
    "::1/128",
    "localhost",
  ])("%j is none", (text) => expect(parseClientAddress(text)).toBeNull())
})

test("matching goes by the leading bits, never across families", () => {
  const within = (address: string, net: string) => {
    const { address: base, prefix } = network(net)
    const parsed = parseIp4(address) ?? parseIp6(address)
    return parsed !== null && isWithin(parsed, base, prefix)
  }
  expect(within("192.0.2.200", "192.0.2.1/24")).toBe(true)
  expect(within("192.0.3.1", "192.0.2.1/24")).toBe(false)
  expect(within("203.0.113.1", "192.0.2.1/0")).toBe(true)
  expect(within("2001:db8:8000::", "2001:db8::/33")).toBe(false)
  expect(within("2001:db8:7fff::", "2001:db8::/33")).toBe(true)
  expect(within("192.0.2.1", "::/0")).toBe(false)
  expect(within("::ffff:192.0.2.1", "0.0.0.0/0")).toBe(false)
})

test("the i macro and the reverse names", () => {
  const four = network("192.0.2.3/32").address
  const six = network("2001:db8::cb01/128").address
  expect(toDotted(four)).toBe("192.0.2.3")
  expect(toDotted(six)).toBe("2.0.0.1.0.D.B.8.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.C.B.0.1")
  expect(toReverseName(four)).toBe("3.2.0.192.in-addr.arpa")
  expect(toReverseName(six)).toBe("1.0.b.c.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa")
})

test("the first and last address of a network", () => {
  const edges = (text: string) => edgesOf(network(text)).map(toText)
  expect(edges("192.0.2.77/24")).toEqual(["192.0.2.0", "192.0.2.255"])
  expect(edges("192.0.2.77/31")).toEqual(["192.0.2.76", "192.0.2.77"])
  expect(edges("10.1.2.3/0")).toEqual(["0.0.0.0", "255.255.255.255"])
  expect(edges("2001:db8::1/33")).toEqual(["2001:db8::", "2001:db8:7fff:ffff:ffff:ffff:ffff:ffff"])
})

test("special-purpose networks, whole and not in part", () => {
  for (const text of [
    "0.0.0.0/32",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.1/32",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.2.0/24",
    "192.168.1.1/32",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.7/32",
    "224.0.0.0/4",
    "255.255.255.255/32",
    "::/128",
    "::1/128",
    "::ffff:192.0.2.1/128",
    "2001:db8::/32",
    "fc00::/7",
    "fe80::/10",
    "ff02::1/128",
  ]) {
    expect([text, specialUseOf(edgesOf(network(text)))]).toEqual([text, expect.any(String)])
  }
  for (const text of [
    "8.8.8.8/32",
    "93.184.216.0/24",
    "9.0.0.0/7",
    "0.0.0.0/0",
    "::/0",
    "2606:2800::/32",
    "192.0.0.0/8",
  ]) {
    expect([text, specialUseOf(edgesOf(network(text)))]).toEqual([text, null])
  }
})
