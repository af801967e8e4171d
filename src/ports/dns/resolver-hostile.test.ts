import { expect, test } from "bun:test"
import fc from "fast-check"
import { resolverFor, throughSilence, useDns } from "../../../test/support/resolver.ts"
import { createManualTimer } from "../../../test/support/timer.ts"
import { until } from "../../../test/support/until.ts"
import type { DnsAnswer, DnsType, DnsZone, ZoneEntry } from "../../apis/contract.ts"
import { createZoneDns } from "./zone.ts"

const { serve } = useDns({})
const types = ["A", "AAAA", "TXT", "SPF", "MX", "PTR"] as const

test("the true answer is used, whatever datagrams come before it", async () => {
  const forged = { datagrams: [] as readonly Buffer[] }
  const server = await serve(
    { ttlSeconds: 0, rewrite: (reply) => [...forged.datagrams, reply] },
    { "a.example": [{ A: "192.0.2.1" }] },
  )
  const dns = resolverFor([server])
  const datagram = fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes))
  await fc.assert(
    fc.asyncProperty(fc.array(datagram, { maxLength: 4 }), async (datagrams) => {
      forged.datagrams = datagrams
      expect(await dns.resolve("a.example", "A")).toMatchObject({ kind: "records", records: ["192.0.2.1"] })
    }),
    { numRuns: 200 },
  )
})

test("after 20 datagrams that answer something else, the question is asked by TCP", async () => {
  const forged = (count: number) => Array.from({ length: count }, () => Buffer.alloc(12, 0xff))
  for (const [count, transports] of [
    [19, ["udp"]],
    [20, ["udp", "tcp"]],
  ] as const) {
    const server = await serve(
      { rewrite: (reply) => [...forged(count), ...(count < 20 ? [reply] : [])] },
      { "a.example": [{ A: "192.0.2.1" }] },
    )
    expect(await resolverFor([server]).resolve("a.example", "A")).toMatchObject({ records: ["192.0.2.1"] })
    expect(server.queries.map(({ transport }) => transport)).toEqual([...transports])
  }
})

test("an answer that came in time counts, also when it is read to its end after that", async () => {
  const held: (() => void)[] = []
  const manual = createManualTimer()
  const isByTcp = () => server.queries.some(({ transport }) => transport === "tcp")
  const turn = () => (isByTcp() ? new Promise<void>((resolve) => held.push(resolve)) : manual.turn())
  const server = await serve({}, { "big.example": [{ TXT: "b".repeat(10_000) }] })
  const answer = resolverFor([server], { timer: { ...manual, turn } }).resolve("big.example", "TXT")
  await until(() => held.length > 0)
  manual.advance(60_000)
  expect(manual.waiting).toEqual([])
  held[0]?.()
  expect(await answer).toMatchObject({ kind: "records", records: ["b".repeat(10_000)] })
})

test("a damaged answer fails or is read, and never throws", async () => {
  const damage = { at: 0, value: 0, cut: 0 }
  const server = await serve(
    {
      ttlSeconds: 0,
      transports: "udp",
      rewrite: (reply) => {
        const body = reply.subarray(27, reply.length - damage.cut)
        body[damage.at % body.length] = damage.value
        return [reply.subarray(0, reply.length - damage.cut)]
      },
    },
    {
      "a.example": [{ CNAME: "b.example" }],
      "b.example": [{ MX: [10, "mail.example"] }, { MX: [20, "b.example"] }],
    },
  )
  const dns = resolverFor([server])
  const kinds = new Set<string>()
  await fc.assert(
    fc.asyncProperty(fc.nat(120), fc.nat(255), fc.constantFrom(0, 0, 0, 1, 20), async (at, value, cut) => {
      Object.assign(damage, { at, value, cut })
      const answer = await throughSilence(dns.resolve("a.example", "MX"), dns.timer)
      kinds.add(answer.kind === "failure" ? answer.reason : answer.kind)
    }),
    { numRuns: 300 },
  )
  expect([...kinds]).toEqual(expect.arrayContaining(["malformed", "nodata", "records"]))
  // A damaged target is asked for, and does not exist.
  const known = ["malformed", "nodata", "records", "nxdomain"]
  expect([...kinds].filter((kind) => !known.includes(kind))).toEqual([])
})

test("a fixture and a server of the same zone give the same answers", async () => {
  const name = fc.constantFrom("a", "b.a", "c.b.a", "d", "e.d", "F.d")
  const entry: fc.Arbitrary<ZoneEntry> = fc.oneof(
    fc.ipV4().map((A) => ({ A })),
    fc.ipV6().map((AAAA) => ({ AAAA })),
    fc
      .array(fc.string({ unit: fc.nat(255).map((code) => String.fromCharCode(code)) }))
      .map((TXT) => ({ TXT })),
    fc.constantFrom({ SPF: "s".repeat(700) }, { SPF: "" }),
    fc.tuple(fc.nat(65_535), fc.constantFrom("a", "m.d.", "")).map((MX) => ({ MX })),
    name.map((PTR) => ({ PTR })),
    name.map((CNAME) => ({ CNAME })),
    fc.constantFrom<ZoneEntry>("SERVFAIL", "REFUSED"),
  )
  const zones: fc.Arbitrary<DnsZone> = fc.dictionary(name, fc.array(entry, { maxLength: 3 }), { maxKeys: 5 })
  const server = await serve({ ttlSeconds: 0, negativeTtlSeconds: 0 })
  const live = resolverFor([server])
  await fc.assert(
    fc.asyncProperty(
      zones,
      fc.array(fc.tuple(name, fc.constantFrom<DnsType>(...types)), { minLength: 8 }),
      async (zone, questions) => {
        server.setZone(zone)
        const fixture = createZoneDns(zone)
        for (const [asked, type] of questions) {
          const [one, other] = await Promise.all([fixture.resolve(asked, type), live.resolve(asked, type)])
          expect(withoutSize(other)).toEqual(withoutSize(one))
        }
      },
    ),
    { numRuns: 60 },
  )
})

const withoutSize = (answer: DnsAnswer): DnsAnswer =>
  answer.kind === "records" ? { ...answer, messageBytes: 0 } : answer
