import { expect, test } from "bun:test"
import { toNetworks } from "../../values/ip.ts"
import { clientAddress } from "./frame.ts"

const trusted = toNetworks(["10.0.0.0/8", "::1"])

test.each([
  // socket, X-Forwarded-For, client
  ["203.0.113.9", null, "203.0.113.9"],
  // This IPv6 address is not the proxy 10.0.0.1.
  ["::10.0.0.1", "198.51.100.1", "::10.0.0.1"],
  ["203.0.113.9", "198.51.100.1", "203.0.113.9"],
  ["10.0.0.1", null, "10.0.0.1"],
  ["10.0.0.1", "198.51.100.1", "198.51.100.1"],
  ["::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"],
  ["10.0.0.1", "6.6.6.6, 198.51.100.1, 10.0.0.2", "198.51.100.1"],
  ["10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
  ["::1", "198.51.100.1:4711", "198.51.100.1"],
  ["::1", "[2001:db8::7]:4711", "2001:db8::7"],
  ["::1", "2001:db8::7", "2001:db8::7"],
  // Garbage is not skipped to get at what stands further left.
  ["10.0.0.1", "198.51.100.1, unknown", "unknown"],
  ["10.0.0.1", "198.51.100.1, pk-0123456789", "unknown"],
  ["10.0.0.1", "198.51.100.1,", "unknown"],
  ["10.0.0.1", "fe80::1%pk-0123456789", "unknown"],
  ["10.0.0.1", "198.51.100.1:pk-0123456789", "unknown"],
  // One address has one form in the log.
  ["10.0.0.1", "::ffff:198.51.100.1", "198.51.100.1"],
  ["10.0.0.1", "2001:DB8:0::7", "2001:db8::7"],
  ["10.0.0.1", "::198.51.100.1", "::c633:6401"],
])("socket %p, forwarded for %p: %p", (socket, forwardedFor, expected) =>
  expect(clientAddress(socket, forwardedFor, trusted)).toBe(expected),
)
