import { expect, test } from "bun:test"
import { addressMatches, toNetwork, toNetworks } from "./ip.ts"

test.each([
  ["192.0.2.77", "192.0.2.0/24", true],
  ["192.0.3.77", "192.0.2.0/24", false],
  ["192.0.2.77", "192.0.2.77", true],
  ["192.0.2.78", "192.0.2.77", false],
  ["10.1.2.3", "0.0.0.0/0", true],
  ["2001:db8::1", "2001:db8::/32", true],
  ["2001:db9::1", "2001:db8::/32", false],
  ["::ffff:192.0.2.77", "192.0.2.0/24", true],
  ["192.0.2.77", "::/0", false],
  ["2001:db8::1", "0.0.0.0/0", false],
  ["fe80::1%eth0", "fe80::/10", false],
  ["no address", "0.0.0.0/0", false],
  ["", "0.0.0.0/0", false],
])("%p in %p is %p", (address, network, expected) => {
  expect(addressMatches(address, toNetworks([network]))).toBe(expected)
})

test.each([
  "",
  "192.0.2",
  "127.1",
  "0x7f.0.0.1",
  "192.0.2.0/33",
  "192.0.2.0/",
  "192.0.2.0/08",
  "::/129",
  "::1/64/64",
  "fe80::1%1",
  "a.example",
])("%p is no network", (text) => {
  expect(() => toNetwork(text)).toThrow(`'${text}' is not an IP address or a network`)
})
