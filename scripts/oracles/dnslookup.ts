import fc from "fast-check"
import type { DnsZone, ZoneEntry } from "../../src/apis/contract.ts"
import { dnslookup, type lookupTypes } from "../../src/apis/dnslookup/index.ts"
import { systemClock } from "../../src/ports/clock.ts"
import { createResolver } from "../../src/ports/dns/resolver.ts"
import { parseServerAddress } from "../../src/ports/dns/server-address.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { systemTimer } from "../../src/ports/timer.ts"
import { webOff } from "../../src/ports/web/fixed-web.ts"
import { parseIpv6 } from "../../src/values/ip.ts"
import { startDnsServer, type TestDnsServer } from "../../test/support/dns-server.ts"
import { ask, debianVersion, defineOracle, dig } from "./oracle.ts"

interface Case {
  readonly type: (typeof lookupTypes)[number]
  readonly entry: ZoneEntry
}
/** The data as a zone file writes them; null if the answer cannot be read. */
type Answer = string | null

const bytes = (minLength: number, maxLength: number) =>
  fc.uint8Array({ minLength, maxLength }).map((data) => Buffer.from(data))
const counted = (data: fc.Arbitrary<Buffer>) =>
  data.map((text) => Buffer.concat([Buffer.from([text.length]), text]))
const number = (size: 1 | 2 | 4) => bytes(size, size)
const bytesOf = (...texts: readonly string[]) => fc.constantFrom(...texts).map((text) => Buffer.from(text))
const name = fc
  .array(counted(fc.oneof(bytesOf("a", "Mail", "_tcp"), bytes(1, 12))), { maxLength: 4 })
  .map((labels) => Buffer.concat([...labels, Buffer.of(0)]))
const known = [1, 2, 5, 6, 15, 16, 28, 33, 43, 46, 47, 48, 52, 65, 99, 257, 1_234, 61_000]
const bitmap = fc.uniqueArray(fc.constantFrom(...known), { maxLength: 8 }).map((types) => {
  const blocks = [...Map.groupBy(types, (type) => type >> 8)].toSorted(([one], [other]) => one - other)
  return Buffer.concat(
    blocks.map(([window, members]) => {
      const bits = Buffer.alloc((Math.max(...members) & 255) / 8 + 1)
      for (const type of members)
        bits[(type & 255) >> 3] = (bits[(type & 255) >> 3] ?? 0) | (0x80 >> (type & 7))
      return Buffer.concat([Buffer.from([window, bits.length]), bits])
    }),
  )
})
const parameter = (key: number, value: fc.Arbitrary<Buffer>) =>
  fc.option(
    value.map((data) => Buffer.concat([Buffer.from([key >> 8, key & 255, 0, data.length]), data])),
    { nil: Buffer.alloc(0) },
  )
const several = (data: fc.Arbitrary<Buffer>) =>
  fc.array(data, { minLength: 1, maxLength: 3 }).map((all) => Buffer.concat(all))
const service = [
  number(2),
  name,
  parameter(1, several(counted(fc.oneof(bytesOf("h2", "h3", "a,b\\"), bytes(1, 5))))),
  parameter(3, number(2)),
  parameter(4, several(bytes(4, 4))),
  parameter(5, bytes(1, 20)),
  parameter(6, several(bytes(16, 16))),
  parameter(667, bytes(0, 9)),
]

/** The fields of a type's data, in their order. */
const fields = {
  CAA: [number(1), counted(bytesOf("issue", "IODEF", "x1")), bytes(0, 30)],
  DNAME: [name],
  DNSKEY: [number(2), fc.constant(Buffer.of(3)), number(1), bytes(1, 70)],
  DS: [number(2), number(1), fc.constant(Buffer.of(2)), bytes(32, 32)],
  HTTPS: service,
  NAPTR: [
    number(4),
    counted(bytesOf("", "s", "U")),
    counted(bytes(0, 9)),
    counted(fc.constant(Buffer.of())),
    name,
  ],
  NS: [name],
  NSEC: [name, bitmap],
  NSEC3PARAM: [number(4), counted(bytes(0, 8))],
  SOA: [name, name, number(4), number(4), number(4), number(4), number(4)],
  SRV: [number(2), number(2), number(2), name],
  SSHFP: [number(1), fc.constant(Buffer.of(2)), bytes(32, 32)],
  SVCB: service,
  TLSA: [number(1), number(1), fc.constant(Buffer.of(1)), bytes(32, 32)],
} as const

const plainName = fc.constantFrom("a", "Mail.example", "_x.y.example")
const wireCases = Object.entries(fields).map(([type, parts]) =>
  fc.tuple(...parts).map((data): Case => {
    const wire = Buffer.concat(data)
    return { type, entry: { [type]: `\\# ${wire.length} ${wire.toString("hex")}` } } as unknown as Case
  }),
)
const anyCase: fc.Arbitrary<Case> = fc.oneof(
  ...wireCases,
  fc.ipV4().map((A): Case => ({ type: "A", entry: { A } })),
  fc.ipV6().map((AAAA): Case => ({ type: "AAAA", entry: { AAAA } })),
  plainName.map((CNAME): Case => ({ type: "CNAME", entry: { CNAME } })),
  plainName.map((PTR): Case => ({ type: "PTR", entry: { PTR } })),
  fc.tuple(fc.nat(65_535), plainName).map((MX): Case => ({ type: "MX", entry: { MX } })),
  fc
    .array(fc.string({ unit: fc.nat(255).map((code) => String.fromCharCode(code)), maxLength: 40 }), {
      minLength: 1,
      maxLength: 4,
    })
    .map((TXT): Case => ({ type: "TXT", entry: { TXT } })),
)

async function withServer<T>(zone: DnsZone, work: (server: TestDnsServer) => Promise<T>): Promise<T> {
  const server = await startDnsServer(zone)
  try {
    return await work(server)
  } finally {
    await server.stop()
  }
}

export const oracle = defineOracle<Case, Answer>({
  api: "dnslookup",
  against: "dig",
  cases: 4_000,
  generate: anyCase,
  version: () => debianVersion("bind9-dnsutils"),
  ours: ({ type, entry }) =>
    withServer({ "case.test": [entry] }, async ({ address }) => {
      const parts = { clock: systemClock, random: systemRandom, timer: systemTimer }
      const dns = createResolver({ ...parts, servers: [parseServerAddress(address)] })
      const answer = await ask(dnslookup, { name: "case.test", type }, { ...parts, dns, web: webOff }).catch(
        () => null,
      )
      return answer?.records[0]?.value ?? null
    }),
  async theirs(tests) {
    const zone = Object.fromEntries(tests.map(({ entry }, index) => [`case${index}.test`, [entry]]))
    return withServer(zone, async ({ port }) => {
      const questions = tests.map(({ type }, index) => `case${index}.test ${type}`)
      const found = new Map<string, string>()
      for (const line of await dig(port, questions, "+nosplit")) {
        const [, index, value] = /^case(\d+)\.test\.\s+\d+\s+IN\s+\S+\s+(.*)$/.exec(line) ?? []
        if (index !== undefined && value !== undefined && !found.has(index)) found.set(index, value)
      }
      return tests.map((_, index) => found.get(String(index)) ?? null)
    })
  },
  known: [
    {
      reason:
        "dig writes a space in a protocol id as \\032; inside quotation marks both mean the same (RFC 9460 appendix A)",
      fits: ({ type }, ours, theirs) =>
        (type === "HTTPS" || type === "SVCB") &&
        theirs?.replaceAll("\\032", " ") === ours?.replaceAll("\\032", " "),
    },
    {
      reason:
        "dig writes the end of ::/96 as an IPv4 address; RFC 5952 §5 allows that only for known prefixes",
      fits: ({ type }, ours, theirs) =>
        type === "AAAA" && parseIpv6(theirs ?? "")?.toString() === parseIpv6(ours ?? "")?.toString(),
    },
    {
      reason:
        "dig refuses keys of the private algorithms 253 and 254 that do not begin with a name or an identifier (RFC 4034 appendix A.1.1); a look-up shows them",
      fits: ({ type }, ours, theirs) => type === "DNSKEY" && theirs === null && / 25[34] /.test(ours ?? ""),
    },
    {
      reason: "dig refuses NSEC that list no types; they break RFC 4034 §4.1.2, but a look-up shows them",
      fits: ({ type }, ours, theirs) => type === "NSEC" && theirs === null && /^\S+$/.test(ours ?? ""),
    },
  ],
})
