import { expect, test } from "bun:test"
import { askApi } from "../../../test/support/run-api.ts"
import { createZoneDns } from "../../ports/dns/zone.ts"
import { parseAddress } from "../../values/ip.ts"
import type { Dns, DnsZone } from "../contract.ts"
import { isGeneric, reversedns } from "./index.ts"

const lookUp = (zone: DnsZone, ip: string, dns: Dns = createZoneDns(zone)) =>
  askApi(reversedns, { ip }, { dns })
const reverse = "7.2.0.192.in-addr.arpa"

test("IPv4-mapped addresses are the IPv4 address, and IPv6 is looked up by AAAA", async () => {
  const zone: DnsZone = {
    [reverse]: [{ PTR: "Mail.A.example" }],
    "mail.a.example": [{ A: "192.0.2.7" }, { AAAA: "2001:db8::7" }],
    "7.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa": [{ PTR: "mail.a.example" }],
  }
  for (const ip of ["192.0.2.7", "::ffff:192.0.2.7", "2001:DB8:0::7"])
    expect(await lookUp(zone, ip)).toMatchObject({
      is_confirmed: true,
      names: [
        {
          name: "mail.a.example",
          is_confirmed: true,
          ips: [ip.includes("DB8") ? "2001:db8::7" : "192.0.2.7"],
        },
      ],
      codes: [],
    })
})

test("one of several names is enough, and the answer lists each", async () => {
  const zone: DnsZone = {
    [reverse]: [
      { PTR: "a.example" },
      { PTR: "b.example" },
      { PTR: "slow.example" },
      { PTR: "*.a.example" },
      { PTR: "A.example" },
    ],
    "a.example": [{ A: "192.0.2.8" }],
    "b.example": [{ A: "192.0.2.8" }, { A: "192.0.2.7" }],
    "slow.example": ["TIMEOUT"],
  }
  const { is_confirmed, names, codes } = await lookUp(zone, "192.0.2.7")
  expect(is_confirmed).toBe(true)
  expect(names.map((one) => [one.name, one.is_confirmed])).toEqual([
    ["a.example", false],
    ["b.example", true],
    ["slow.example", null],
    ["*.a.example", false],
  ])
  expect(codes).toEqual(["not_confirmed", "no_answer", "not_a_host", "several_names"])
})

test("whether an address is confirmed is not known while a name was left out that may have it", async () => {
  const names = Array.from({ length: 11 }, (_, index) => ({ PTR: `n${index}.example` }))
  const { is_confirmed, codes } = await lookUp({ [reverse]: names }, "192.0.2.7")
  expect([is_confirmed, codes.includes("names_left_out")]).toEqual([null, true])
  expect((await lookUp({ [reverse]: names.slice(0, 10) }, "192.0.2.7")).is_confirmed).toBe(false)
})

test("whether an address is confirmed is not known while the name that may have it gets no answer", async () => {
  const other = { "a.example": [{ A: "192.0.2.8" }] } as const
  const names = [{ PTR: "a.example" }, { PTR: "slow.example" }]
  const zone = { [reverse]: names, ...other, "slow.example": ["TIMEOUT"] } as const
  expect((await lookUp(zone, "192.0.2.7")).is_confirmed).toBe(null)
  expect((await lookUp({ [reverse]: names.slice(0, 1), ...other }, "192.0.2.7")).is_confirmed).toBe(false)
})

test("of thousands of names ten are looked up", async () => {
  const asked: string[] = []
  const entries = Array.from({ length: 5_000 }, (_, n) => ({ PTR: `n${n}.example` }))
  const zone = createZoneDns({ [reverse]: entries })
  const dns: Dns = {
    ...zone,
    resolve(name, type) {
      asked.push(name)
      return zone.resolve(name, type)
    },
  }
  const { names, codes } = await lookUp({}, "192.0.2.7", dns)
  expect([names.length, asked.length]).toEqual([10, 11])
  const each = Array<"not_confirmed">(10).fill("not_confirmed")
  expect(codes).toEqual([...each, "several_names", "names_left_out"])
})

// RFC 952 and RFC 1123 §2.1. Such names are looked up nevertheless, since DNS has no such rule (RFC 2181 §11).
test.each([
  ["mail_1.a.example", "mail_1", true],
  ["mail-.a.example", "mail-", true],
  ["-mail.a.example", "-mail", true],
  ["m.a_b.example", "a_b", true],
  ["*.a.example", "*", false],
])("%s is not the name of a host because of %s", async (name, label, isLookedUp) => {
  const answer = await lookUp({ [reverse]: [{ PTR: name }], [name]: [{ A: "192.0.2.7" }] }, "192.0.2.7")
  expect(answer).toMatchObject({ is_confirmed: isLookedUp, codes: ["not_a_host"] })
  expect(answer.problems[0]?.message).toContain(`'${label}'`)
})

test.each(["a.example", "1.example", "xn--bcher-kva.example", "a--b.example", "3com.a1.example"])(
  "%s can be a host",
  async (name) => {
    const answer = await lookUp({ [reverse]: [{ PTR: name }], [name]: [{ A: "192.0.2.7" }] }, "192.0.2.7")
    expect(answer).toMatchObject({ is_confirmed: true, codes: [] })
  },
)

test("an alias for a part of a network is followed (RFC 2317)", async () => {
  const zone: DnsZone = {
    [reverse]: [{ CNAME: "7.0-15.2.0.192.in-addr.arpa" }],
    "7.0-15.2.0.192.in-addr.arpa": [{ PTR: "a.example" }],
    "a.example": [{ A: "192.0.2.7" }],
  }
  expect(await lookUp(zone, "192.0.2.7")).toMatchObject({ is_confirmed: true, codes: [] })
})

test.each(["192.0.2", "192.0.2.1/24", "fe80::1%eth0", "a.example", "0x7f.1"])(
  "refused: %s is no address",
  (ip) => expect(lookUp({}, ip)).rejects.toThrow("The 'ip' parameter must be an IPv4 or IPv6 address"),
)

test("refused: a server that fails", () =>
  expect(lookUp({ [reverse]: ["SERVFAIL"] }, "192.0.2.7")).rejects.toThrow(
    `no answer for ${reverse} (servfail)`,
  ))

test.each([
  ["192.0.2.17", "192-0-2-17.a.example", true],
  ["192.0.2.17", "dsl.17.2.0.192.a.example", true],
  ["192.0.2.17", "ip192-000-002-017.a.example", true],
  ["192.0.2.17", "host192000002017.a.example", true],
  ["192.0.2.17", "C0000211.a.example", true],
  ["192.0.2.17", "110200c0.a.example", true],
  ["192.0.2.17", "mail.a.example", false],
  ["192.0.2.17", "192-0-2-170.a.example", false],
  ["192.0.2.17", "1192-0-2-17.a.example", false],
  ["192.0.2.17", "mail17.a.example", false],
  ["192.0.2.17", "17.2.0.a.example", false],
  ["2001:db8::cb07:14", "host-cb07-14.a.example", true],
  ["2001:db8::cb07:14", "2001db800000000000000000cb070014.a.example", true],
  ["2001:db8::cb07:14", "4.1.0.0.7.0.b.c.0.0.a.example", true],
  ["2001:db8::cb07:14", "mail14.a.example", false],
])("%s, %s is generic: %s", (ip, name, expected) => {
  const address = parseAddress(ip)
  expect(address && isGeneric(name, address)).toBe(expected)
})
