import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { runApi } from "../../../test/support/run-api.ts"
import { ipcalculator } from "./index.ts"

const calculate = (address: string, more: object = {}) => runApi(ipcalculator, { address, ...more })

describe("special purposes", () => {
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
  ])("%s: %s", (address, name, globally_reachable) => {
    expect(calculate(address).special).toMatchObject({ name, globally_reachable })
  })

  test("ordinary addresses have none", () => {
    for (const address of ["8.8.8.8", "2606:4700::1111", "172.32.0.0"])
      expect(calculate(address).special).toBeNull()
  })
})

describe("what cannot be read names what to change", () => {
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
  ])("%s %p", (address, more, parameter) => {
    expect(() => calculate(address, more)).toThrow(`The '${parameter}' parameter must `)
  })
})

const ipv4Network = fc
  .tuple(fc.ipV4(), fc.integer({ min: 8, max: 32 }))
  .map(([address, prefix]) => `${address}/${prefix}`)
const ipv6Network = fc
  .tuple(fc.ipV6(), fc.integer({ min: 0, max: 128 }))
  .map(([address, prefix]) => `${address}/${prefix}`)

test("the first and the last address are in the network, and their network is the same", () => {
  fc.assert(
    fc.property(fc.oneof(ipv4Network, ipv6Network), (text) => {
      const { network, first, last, prefix, address_count } = calculate(text)
      for (const edge of [first, last])
        expect(calculate(`${edge}/${prefix}`)).toMatchObject({ network, address_count })
    }),
    { numRuns: 200 },
  )
})

test("the parts of a network join to the network, in any order and with parts of parts", () => {
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
  )
})

test("the largest inputs: 512 parts, and 200 networks that do not join", () => {
  expect(calculate("2001:db8::/32", { split: 41 }).networks).toHaveLength(512)
  const odd = Array.from({ length: 200 }, (_, index) => `2001:db8:${(2 * index).toString(16)}::1/128`)
  expect(calculate("::/0", { aggregate: odd }).aggregated).toEqual(["::/0"])
  expect(calculate("::", { aggregate: odd }).aggregated).toHaveLength(201)
  // From 1 to the last but one: the most networks that one range can need.
  expect(calculate("0.0.0.0/1", { aggregate: ["128.0.0.0/2", "192.0.0.0/32"] }).aggregated).toHaveLength(3)
})
