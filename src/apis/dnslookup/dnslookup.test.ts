import { expect, test } from "bun:test"
import { portsFor } from "../../../test/support/zone-ports.ts"
import { createZoneDns } from "../../ports/dns/zone.ts"
import type { Dns, DnsReply, DnsZone, RecordOf } from "../contract.ts"
import { dnslookup, lookupTypes } from "./index.ts"

type Input = Parameters<typeof dnslookup.run>[0]
const lookUp = async (input: Input, zone: DnsZone, dns: Dns = createZoneDns(zone), premium = true) =>
  dnslookup.run(input, { ports: { ...portsFor({}), dns }, giveWay() {}, premium })

const rich: DnsZone = {
  "a.example": [
    { A: "192.0.2.1" },
    { NS: "ns.a.example." },
    { SOA: "ns.a.example. root.a.example. 1 2 3 4 5" },
    { TXT: ["v=spf1 ", '"quoted" \\ \xfc'] },
    { SRV: "1 2 443 b.example." },
    { HTTPS: '1 . alpn="h2,h3" port=8443' },
    { TLSA: "3 1 1 ABCD" },
  ],
  "w.example": [{ CNAME: "a.example" }],
  "half.example": [{ MX: [0, ""] }, "TIMEOUT"],
  "dead.example": ["SERVFAIL"],
  ".": [{ NS: "a.root." }],
}

test("all types give the records of each, and an alias once", async () => {
  const { records, unanswered, signatures } = await lookUp({ name: "W.example.", type: "ALL" }, rich)
  expect(records.map(({ name, type, value }) => `${name} ${type} ${value}`)).toEqual([
    "w.example CNAME a.example.",
    "a.example A 192.0.2.1",
    'a.example HTTPS 1 . alpn="h2,h3" port=8443',
    "a.example NS ns.a.example.",
    "a.example SOA ns.a.example. root.a.example. 1 2 3 4 5",
    "a.example SRV 1 2 443 b.example.",
    "a.example TLSA 3 1 1 ABCD",
    'a.example TXT "v=spf1 " "\\"quoted\\" \\\\ \\252"',
  ])
  expect([unanswered, signatures]).toEqual([[], null])
})

test("types without an answer are named; without any, the call is refused", async () => {
  const { records, unanswered } = await lookUp({ name: "half.example", type: "ALL" }, rich)
  expect(records).toEqual([{ name: "half.example", type: "MX", ttl: 300, value: "0 ." }])
  expect(unanswered).toHaveLength(lookupTypes.length - 1)
  expect(unanswered[0]).toEqual({ type: "A", reason: "timeout" })
  for (const type of ["ALL", "A"] as const)
    await expect(lookUp({ name: "dead.example", type }, rich)).rejects.toThrow(
      "The DNS gave no answer for dead.example (servfail). Try again later.",
    )
})

// RFC 4592 §2.1: the star is a label that can be asked for like any other; elsewhere than first it is no wildcard.
test("a wildcard can be asked for", async () => {
  const zone: DnsZone = { "*.a.example": [{ A: "192.0.2.9" }] }
  expect(await lookUp({ name: "*.A.example." }, zone)).toMatchObject({
    name: "*.a.example",
    records: [{ name: "*.a.example", type: "A", value: "192.0.2.9" }],
  })
  for (const name of ["a.*.example", "*a.example", "*.", "*.*.example"])
    await expect(lookUp({ name }, zone)).rejects.toThrow("The 'name' parameter must")
  await expect(lookUp({ name: `*.${"a.".repeat(125)}aa` }, zone)).rejects.toThrow("at most 253 bytes")
})

test("the root has records, and TLSA of a port and a top-level domain can be asked for", async () => {
  expect(await lookUp({ name: ".", type: "NS" }, rich)).toMatchObject({
    name: ".",
    records: [{ name: ".", value: "a.root." }],
  })
  expect(await lookUp({ name: "_25._tcp.MÜNCHEN.example", type: "TLSA" }, rich)).toMatchObject({
    name: "_25._tcp.xn--mnchen-3ya.example",
    is_in_dns: false,
  })
  expect(await lookUp({ name: "example" }, rich)).toMatchObject({ is_in_dns: true, records: [] })
})

test.each([
  ["a..b", "must not have empty labels"],
  ["https://a.example", "not a URL"],
  ["192.0.2.1", "not an IP address"],
  ["a b", "without spaces"],
  ["..", "must not have empty labels"],
  [`${"a".repeat(64)}.example`, "a label of more than 63 bytes"],
  [`${"a.".repeat(127)}example`, "at most 253 bytes"],
  ["a\0b.example", "letters, digits and hyphens"],
])("the name %j is refused", (name, words) =>
  expect(lookUp({ name }, {})).rejects.toThrow(new RegExp(`^The 'name' parameter .*${words}`)),
)

test("signatures are asked for with premium fields alone; the checked answer is that without them", async () => {
  const asked: unknown[] = []
  const record = { owner: "a.example", ttlSeconds: 60, wire: "" }
  const address: RecordOf<"A"> = { ...record, type: "A", data: "192.0.2.1", text: "192.0.2.1" }
  const signature: RecordOf<"RRSIG"> = {
    ...{ ...record, type: "RRSIG", text: "A 13 2 60 …" },
    data: {
      ...{ typeCovered: "A", algorithm: 13, labels: 2, originalTtl: 60, expiration: 1_767_225_600 },
      ...{ inception: 0, keyTag: 7, signer: "A.example", signature: "q83v" },
    },
  }
  const dns: Dns = {
    ...createZoneDns({}),
    async exchange(_name, type, options): Promise<DnsReply> {
      asked.push([type, options])
      const common = { kind: "reply", rcode: "NOERROR", authority: [], messageBytes: 0 } as const
      return options?.dnssec
        ? { ...common, authenticated: false, answer: [address, signature] }
        : { ...common, authenticated: true, answer: [address] }
    },
  }
  const answer = await lookUp({ name: "a.example" }, {}, dns)
  expect(answer).toMatchObject({
    is_authenticated: true,
    records: [{ name: "a.example", type: "A", ttl: 60, value: "192.0.2.1" }],
    signatures: [
      {
        ...{ name: "a.example", type: "A", algorithm: 13, signer: "a.example", key_tag: 7 },
        ...{ valid_from: "1970-01-01T00:00:00.000Z", valid_until: "2026-01-01T00:00:00.000Z" },
      },
    ],
  })
  expect(asked).toEqual([
    ["A", {}],
    ["A", { dnssec: true }],
  ])
  asked.length = 0
  await lookUp({ name: "a.example" }, {}, dns, false)
  expect(asked).toEqual([["A", {}]])
  asked.length = 0
  await lookUp({ name: "a.example", type: "ALL" }, {}, dns)
  expect(asked).toHaveLength(20)
})

test("of thousands of records 500 are answered", async () => {
  const many: DnsZone = { "a.example": Array.from({ length: 5_000 }, (_, n) => ({ TXT: `${n}` })) }
  expect((await lookUp({ name: "a.example", type: "TXT" }, many)).records).toHaveLength(500)
})
