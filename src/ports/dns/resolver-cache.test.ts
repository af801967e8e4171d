import { expect, test } from "bun:test"
import type { DnsServerOptions } from "../../../test/support/dns-server.ts"
import { resolverFor, useDns } from "../../../test/support/resolver.ts"
import { until } from "../../../test/support/until.ts"
import type { ResolverOptions } from "./resolver.ts"

const { serve } = useDns({
  "a.example": [{ A: "192.0.2.1" }],
  "www.example": [{ CNAME: "a.example" }],
  "broken.example": ["SERVFAIL"],
})

async function start(options: DnsServerOptions = {}, resolverOptions: Partial<ResolverOptions> = {}) {
  const server = await serve(options)
  const dns = resolverFor([server], resolverOptions)
  return { server, clock: dns.clock, dns }
}

test("the cache answers until the TTL has passed by the given clock, in any spelling", async () => {
  const { server, clock, dns } = await start({ ttlSeconds: 60 })
  const first = await dns.resolve("a.example", "A")
  clock.advance(59_999)
  expect(await dns.resolve("A.Example.", "A")).toEqual(first)
  expect(server.queries).toHaveLength(1)
  server.setZone({ "a.example": [{ A: "192.0.2.9" }] })
  clock.advance(1)
  expect(await dns.resolve("a.example", "A")).toMatchObject({ records: ["192.0.2.9"] })
  expect(dns.stats()).toMatchObject({ queries: 2, cacheHits: 1, cacheMisses: 2 })
})

test("the cache keeps types apart", async () => {
  const { server, dns } = await start()
  await dns.resolve("a.example", "A")
  expect(await dns.resolve("a.example", "AAAA")).toEqual({ kind: "nodata" })
  expect(server.queries).toHaveLength(2)
})

test.each([
  ["no.example", "nxdomain"],
  ["example", "nodata"],
] as const)("the cache keeps that %s is answered %s for as long as the SOA says", async (name, kind) => {
  const { server, clock, dns } = await start({ negativeTtlSeconds: 30 })
  for (const advance of [0, 29_999, 1]) {
    clock.advance(advance)
    expect(await dns.resolve(name, "A")).toEqual({ kind })
  }
  expect(server.queries).toHaveLength(2)
})

test.each<[string, DnsServerOptions]>([
  ["a.example", { ttlSeconds: 0 }],
  ["no.example", { negativeTtlSeconds: null }],
  ["broken.example", {}],
])("the cache does not keep failures and answers without a TTL: %s %j", async (name, options) => {
  const { server, dns } = await start(options)
  await dns.resolve(name, "A")
  await dns.resolve(name, "A")
  expect(server.queries).toHaveLength(2)
  expect(dns.stats().cacheHits).toBe(0)
})

test("the cache: a record of another name in an answer is not cached for that name", async () => {
  const { server, dns } = await start()
  await dns.resolve("www.example", "A")
  await dns.resolve("a.example", "A")
  expect(server.queries.map(({ name }) => name)).toEqual(["www.example", "a.example"])
})

test("the cache keeps an answer that took two questions only as long as the alias", async () => {
  const { server, clock, dns } = await start({
    aliasOnly: true,
    ttlSeconds: 60,
    rewrite(reply, { name, question }) {
      // The TTL of the first record: after the header, the question, and the record's owner, type and class.
      if (name === "www.example") reply.writeUInt32BE(10, 12 + 2 * question.length)
      return [reply]
    },
  })
  await dns.resolve("www.example", "A")
  clock.advance(10_000)
  await dns.resolve("www.example", "A")
  expect(server.queries).toHaveLength(4)
})

test("the cache has the given size", async () => {
  const { server, dns } = await start({}, { cache: { maxEntries: 1 } })
  for (const name of ["a.example", "www.example", "a.example"]) await dns.resolve(name, "A")
  expect(server.queries).toHaveLength(3)
})

test("one query at a time for a question: all who ask get its answer", async () => {
  const { server, dns } = await start()
  const names = ["a.example", "A.EXAMPLE", "a.example."]
  const answers = await Promise.all(names.map((name) => dns.resolve(name, "A")))
  expect(answers).toMatchObject(Array(3).fill({ kind: "records", records: ["192.0.2.1"] }))
  expect(server.queries).toHaveLength(1)
})

test("one query at a time for a question: a caller who gives up is answered at once, and the others still get the answer", async () => {
  const held: (() => void)[] = []
  const { server, dns } = await start({ delay: (send) => held.push(send) })
  const leaving = new AbortController()
  const left = dns.resolve("a.example", "A", leaving.signal)
  const stayed = dns.resolve("a.example", "A", new AbortController().signal)
  leaving.abort()
  expect(await left).toEqual({ kind: "failure", reason: "aborted" })
  await until(() => held.length === 1)
  held[0]?.()
  expect(await stayed).toMatchObject({ kind: "records" })
  expect(server.queries).toHaveLength(1)
})

test("one query at a time for a question: a caller who has given up before asks nothing", async () => {
  const { server, dns } = await start()
  const answer = await dns.resolve("a.example", "A", AbortSignal.abort())
  expect(answer).toEqual({ kind: "failure", reason: "aborted" })
  expect(server.queries).toEqual([])
})

test("one query at a time for a question: more questions than may be in flight at a time are all answered", async () => {
  const { server, dns } = await start({}, { maxInFlight: 3 })
  const names = Array.from({ length: 40 }, (_, index) => `n${index}.example`)
  const answers = await Promise.all(names.map((name) => dns.resolve(name, "A")))
  expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(["nxdomain"]))
  expect(server.queries).toHaveLength(40)
})
