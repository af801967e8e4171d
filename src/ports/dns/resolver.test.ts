import { expect, test } from "bun:test"
import { type DnsServerOptions, forgedAddress, startDnsServer } from "../../../test/support/dns-server.ts"
import { openFiles } from "../../../test/support/open-files.ts"
import { resolverFor, throughSilence, useDns, waitInVain } from "../../../test/support/resolver.ts"
import { createManualTimer } from "../../../test/support/timer.ts"
import { until } from "../../../test/support/until.ts"
import type { DnsAnswer, DnsType, DnsZone } from "../../apis/contract.ts"
import { retryMs } from "./resolver.ts"
import { parseServerAddress } from "./server-address.ts"

const zone: DnsZone = {
  "a.example": [{ A: "192.0.2.1" }, { A: "192.0.2.2" }, { TXT: ["x".repeat(255), "y".repeat(255), "\xffz"] }],
  "big.example": [{ TXT: "b".repeat(3_000) }],
  "www.example": [{ CNAME: "A.example" }],
  "loop.example": [{ CNAME: "pool.example" }],
  "pool.example": [{ CNAME: "loop.example" }],
  "dead.example": [{ CNAME: "no.example" }],
  "bare.example": [{ CNAME: "www.example" }],
  "empty.example": [],
  "slow.example": ["TIMEOUT"],
  "broken.example": ["SERVFAIL"],
  "closed.example": ["REFUSED"],
}
const addresses = { kind: "records", records: ["192.0.2.1", "192.0.2.2"] }
const failure = (reason: string) => ({ kind: "failure", reason }) as DnsAnswer

const { serve } = useDns(zone)

test.each<[string, DnsType, object]>([
  ["a.example", "A", addresses],
  ["A.EXAMPLE.", "A", addresses],
  ["www.example", "A", addresses],
  ["a.example", "TXT", { kind: "records", records: [`${"x".repeat(255)}${"y".repeat(255)}\xffz`] }],
  ["big.example", "TXT", { kind: "records", records: ["b".repeat(3_000)] }],
  ["a.example", "MX", { kind: "nodata" }],
  ["empty.example", "A", { kind: "nodata" }],
  ["example", "A", { kind: "nodata" }],
  ["loop.example", "A", { kind: "nodata" }],
  ["no.example", "A", { kind: "nxdomain" }],
  ["dead.example", "A", { kind: "nxdomain" }],
  ["broken.example", "A", failure("servfail")],
  ["closed.example", "A", failure("refused")],
])("answers: %s %s", async (name, type, expected) => {
  const { ask } = resolverFor([await serve()])
  expect(await ask(name, type)).toMatchObject(expected)
})

test.each(["", ".", "a..example", `${"a".repeat(64)}.example`, `${"a.".repeat(127)}a`, "ž.example"])(
  "answers: %j is no name and is not asked for",
  async (name) => {
    const server = await serve()
    const { ask, stats } = resolverFor([server])
    expect(await ask(name, "A")).toEqual({ kind: "nxdomain" })
    expect(server.queries).toEqual([])
    expect(stats()).toMatchObject({ queries: 0, failures: 0 })
  },
)

test("answers: the server that answered is known, but not of a failure or of an answer from the cache", async () => {
  const [refusing, answering] = [
    await serve({}, { "a.example": ["REFUSED"], "closed.example": ["REFUSED"] }),
    await serve(),
  ]
  const { ask, serverOf } = resolverFor([refusing, answering])
  const [first, joined] = await Promise.all([ask("a.example", "A"), ask("a.example", "A")])
  const address = parseServerAddress(answering.address)
  expect([first, joined].map((answer) => serverOf?.(answer))).toEqual([address, address])
  const cached = await ask("a.example", "A")
  expect(cached).toEqual(first)
  expect(serverOf?.(cached)).toBeNull()
  const failed = await ask("closed.example", "A")
  expect([failed.kind, serverOf?.(failed)]).toEqual(["failure", null])
})

test("answers: the size of the message is given, over UDP and TCP", async () => {
  const sizes = await Promise.all(
    [{}, { truncate: true }].map(async (options) => {
      const answer = await resolverFor([await serve(options)]).ask("a.example", "A")
      return answer.kind === "records" ? answer.messageBytes : null
    }),
  )
  // Header, question, two records with the name written out, OPT.
  expect(sizes).toEqual([12 + 15 + 2 * 25 + 11, 12 + 15 + 2 * 25 + 11])
})

test("silence and closed ports: a name that is never answered is a timeout, after two attempts over UDP and one over TCP", async () => {
  const server = await serve()
  const { ask, stats, timer } = resolverFor([server])
  const answer = ask("slow.example", "A")
  await waitInVain(timer, server, 3)
  expect(server.queries.map(({ transport }) => transport)).toEqual(["udp", "udp", "tcp"])
  timer.advance(2_000 - 3 * retryMs - 1)
  expect(stats()).toMatchObject({ queries: 3, tcpQueries: 1, retries: 2 })
  expect(stats()).toMatchObject({ cacheHits: 0, cacheMisses: 1, failures: 0 })
  timer.advance(1)
  expect(await answer).toEqual(failure("timeout"))
  expect(stats().failures).toBe(1)
  expect(timer.waiting).toEqual([])
})

test("silence and closed ports: a closed port is a network failure, without a wait", async () => {
  const server = await startDnsServer(zone)
  await server.stop()
  const { ask, timer } = resolverFor([server])
  expect(await ask("a.example", "A")).toEqual(failure("network"))
  expect(timer.waiting).toEqual([])
})

test("silence and closed ports: a server that answers over TCP only is asked there, without a wait when UDP is closed", async () => {
  const { ask } = resolverFor([await serve({ transports: "tcp" })])
  expect(await ask("a.example", "A")).toMatchObject(addresses)
})

test("silence and closed ports: a server whose UDP gets lost is asked over TCP in the end", async () => {
  const server = await serve({ rewrite: () => [] })
  const { ask, stats, timer } = resolverFor([server])
  const answer = ask("a.example", "A")
  await waitInVain(timer, server, 2)
  expect(await answer).toMatchObject(addresses)
  expect(stats()).toMatchObject({ queries: 3, tcpQueries: 1 })
})

test("silence and closed ports: a lost query is sent again, from the same port", async () => {
  const server = await serve({ dropFirst: true })
  const { ask, stats, timer } = resolverFor([server])
  const answer = ask("a.example", "A")
  await waitInVain(timer, server, 1)
  expect(await answer).toMatchObject(addresses)
  expect(stats()).toMatchObject({ retries: 1, tcpQueries: 0, failures: 0 })
  // Two sockets that wait for the same answer would give a forger two chances.
  expect(server.clientPorts.size).toBe(1)
})

test("silence and closed ports: an answer that comes after the next attempt still counts", async () => {
  const held: (() => void)[] = []
  const server = await serve({ delay: (send) => held.push(send), transports: "udp" })
  const { ask, stats, timer } = resolverFor([server])
  const answer = ask("a.example", "A")
  await waitInVain(timer, server, 1)
  held[0]?.()
  expect(await answer).toMatchObject(addresses)
  expect(stats().retries).toBe(1)
})

test.each<[string, DnsServerOptions, DnsZone]>([
  ["is silent", {}, { "a.example": ["TIMEOUT"] }],
  ["refuses", {}, { "a.example": ["REFUSED"] }],
  ["fails", {}, { "a.example": ["SERVFAIL"] }],
  ["sends garbage", { rewrite: () => [Buffer.from("garbage")], tcp: "silent" }, zone],
  ["cannot be read", { rewrite: (reply) => [reply.subarray(0, -20)], tcp: "silent" }, zone],
])("several servers: the second is asked when the first %s", async (_, options, served) => {
  const [first, second] = await Promise.all([serve(options, served), serve()])
  const { ask, timer } = resolverFor([first, second])
  const answer = ask("a.example", "A")
  await waitInVain(timer, first, 1)
  expect(await answer).toMatchObject(addresses)
})

test("several servers: the second is not asked when the first knows, a no included", async () => {
  const [first, second] = await Promise.all([serve(), serve({}, { "no.example": [{ A: "192.0.2.9" }] })])
  const { ask } = resolverFor([first, second])
  expect(await ask("no.example", "A")).toEqual({ kind: "nxdomain" })
  expect(second.queries).toEqual([])
})

test("several servers: one that has failed is not asked again, and the most telling reason is given", async () => {
  const [silent, failing] = await Promise.all([
    serve({}, { "a.example": ["TIMEOUT"] }),
    serve({}, { "a.example": ["SERVFAIL"] }),
  ])
  const { ask, timer } = resolverFor([silent, failing])
  expect(await throughSilence(ask("a.example", "A"), timer)).toEqual(failure("servfail"))
  expect(failing.queries).toHaveLength(1)
  expect(silent.queries.length).toBeGreaterThan(1)
})

test("several servers: a late answer of the first counts when the second has failed meanwhile", async () => {
  const held: (() => void)[] = []
  const [late, failing] = await Promise.all([
    serve({ delay: (send) => held.push(send) }),
    serve({}, { "a.example": ["SERVFAIL"] }),
  ])
  const { ask, timer } = resolverFor([late, failing])
  const answer = ask("a.example", "A")
  await waitInVain(timer, late, 1)
  await until(() => failing.queries.length === 1 && late.queries.length === 2)
  held[0]?.()
  expect(await answer).toMatchObject(addresses)
})

test("several servers: one that fails over TCP is not waited for over UDP", async () => {
  const server = await serve({ rewrite: () => [] })
  const { ask, timer } = resolverFor([server])
  const answer = ask("broken.example", "A")
  await waitInVain(timer, server, 2)
  expect(await answer).toEqual(failure("servfail"))
})

test.each<[string, DnsZone[string], number]>([
  ["UDP", ["TIMEOUT"], 1],
  ["TCP", [{ A: "192.0.2.1" }], 2],
])("several servers: no socket is left open when %s is silent", async (_, entries, queriesEach) => {
  const names = Array.from({ length: 30 }, (_, index) => `n${index}.example`)
  const silent = Object.fromEntries(names.map((name) => [name, entries]))
  const server = await serve({ truncate: true, tcp: "silent" }, silent)
  const { ask, timer } = resolverFor([server])
  const before = openFiles()
  const opened = () => openFiles().difference(before).size
  const answers = names.map((name) => ask(name, "A"))
  await until(() => server.queries.length >= names.length * queriesEach)
  expect(opened()).toBeGreaterThanOrEqual(names.length)
  timer.advance(2_000)
  expect(await Promise.all(answers)).toEqual(names.map(() => failure("timeout")))
  await server.stop()
  expect(opened()).toBeLessThan(20)
})

test("several servers: a resolver without any is refused", () =>
  expect(() => resolverFor([])).toThrow(RangeError))

const timer = createManualTimer()
test.each<DnsServerOptions>([
  { spoof: "id" },
  { spoof: "question" },
  { spoof: "source" },
  { garbageFirst: true },
  { spoof: "id", garbageFirst: true, dropFirst: true, delay: (send) => timer.after(20, send) },
])("forgers: %j: the true answer is awaited", async (options) => {
  const { ask, stats } = resolverFor([await serve(options)], { timer, queryTimeoutMs: 60_000 })
  const answer = await throughSilence(ask("a.example", "A"), timer)
  expect(answer).toMatchObject(addresses)
  expect(JSON.stringify(answer)).not.toContain(forgedAddress)
  expect(await throughSilence(ask("no.example", "A"), timer)).toEqual({ kind: "nxdomain" })
  expect(stats().failures).toBe(0)
})

test.each(["id", "question", "source"] as const)("forgers: a forged %s alone is silence", async (spoof) => {
  const server = await serve({ spoof, rewrite: () => [], tcp: "silent" })
  const { ask, timer } = resolverFor([server])
  expect(await throughSilence(ask("a.example", "A"), timer)).toEqual(failure("timeout"))
  expect(server.queries).toHaveLength(3)
})

test("forgers: garbage alone is malformed, not a timeout", async () => {
  const { ask, timer } = resolverFor([await serve({ garbageFirst: true, rewrite: () => [], tcp: "silent" })])
  expect(await throughSilence(ask("a.example", "A"), timer)).toEqual(failure("malformed"))
})

test("forgers: ids and ports are not the same twice in a row", async () => {
  const ids = new Set<number>()
  const server = await serve({
    ttlSeconds: 0,
    rewrite: (reply, query) => {
      ids.add(query.id)
      return [reply]
    },
  })
  const { ask } = resolverFor([server])
  for (let turn = 0; turn < 20; turn++) await ask("a.example", "A")
  expect(ids.size).toBeGreaterThan(15)
  expect(server.clientPorts.size).toBeGreaterThan(15)
})

test("truncation: a part of an answer is never the answer: TCP is asked", async () => {
  const server = await serve({ truncate: true })
  const { ask, stats } = resolverFor([server])
  expect(await ask("a.example", "A")).toMatchObject(addresses)
  expect(server.queries.map(({ transport }) => transport)).toEqual(["udp", "tcp"])
  expect(stats()).toMatchObject({ queries: 2, tcpQueries: 1, retries: 0 })
})

test("truncation: an answer that comes byte by byte is put together", async () => {
  const { ask } = resolverFor([await serve({ truncate: true, tcp: "byte by byte" })])
  expect(await ask("a.example", "A")).toMatchObject(addresses)
})

test.each<DnsServerOptions>([{ tcp: "close at once" }, { tcp: "close early" }, { transports: "udp" }])(
  "truncation without an answer over TCP (%j) the question fails, without a wait",
  async (options) => {
    const { ask } = resolverFor([await serve({ truncate: true, ...options })])
    expect(await ask("a.example", "A")).toEqual(failure("network"))
  },
)

test("truncation: while TCP is silent it is not asked twice", async () => {
  const server = await serve({ truncate: true, tcp: "silent" })
  const { ask, timer } = resolverFor([server])
  const answer = ask("a.example", "A")
  await until(() => server.queries.length === 2)
  expect(await throughSilence(answer, timer)).toEqual(failure("timeout"))
  expect(server.queries.map(({ transport }) => transport)).toEqual(["udp", "tcp"])
})

test("truncation: the second server is asked when the first is cut off", async () => {
  const [first, second] = await Promise.all([serve({ truncate: true, tcp: "close early" }), serve()])
  const { ask } = resolverFor([first, second])
  expect(await ask("a.example", "A")).toMatchObject(addresses)
})

test("old and authoritative servers: one that does not know EDNS is asked without", async () => {
  const { ask, stats } = resolverFor([await serve({ refuseEdns: true })])
  expect(await ask("a.example", "A")).toMatchObject(addresses)
  // 766 bytes do not fit into the 512 that are allowed without EDNS.
  expect(await ask("a.example", "TXT")).toMatchObject({ kind: "records" })
  expect(stats()).toMatchObject({ retries: 0, failures: 0 })
})

test("old and authoritative servers: the target of an alias is asked for when the server gives the alias alone", async () => {
  const server = await serve({ aliasOnly: true })
  const { ask } = resolverFor([server])
  expect(await ask("bare.example", "A")).toMatchObject(addresses)
  expect(server.queries.map(({ name }) => name)).toEqual(["bare.example", "www.example", "a.example"])
  expect(await ask("loop.example", "A")).toEqual({ kind: "nodata" })
  expect(await ask("dead.example", "A")).toEqual({ kind: "nxdomain" })
})

test("old and authoritative servers: such a chain ends after ten, too", async () => {
  const chain: Record<string, DnsZone[string]> = { "n0.test": [{ A: "192.0.2.1" }] }
  for (let index = 1; index <= 11; index++) chain[`n${index}.test`] = [{ CNAME: `n${index - 1}.test` }]
  const { ask } = resolverFor([await serve({ aliasOnly: true }, chain)])
  expect(await ask("n10.test", "A")).toMatchObject({ kind: "records" })
  expect(await ask("n11.test", "A")).toEqual(failure("servfail"))
})

test("old and authoritative servers: a referral to other servers is no answer", async () => {
  const server = await serve({
    tcp: "silent",
    rewrite: (reply) => {
      reply.writeUInt16BE(0x8000, 2)
      const soa = reply.indexOf(Buffer.from([0, 0, 6, 0, 1]))
      if (soa >= 0) reply.writeUInt8(2, soa + 2)
      return [reply]
    },
  })
  const { ask } = resolverFor([server])
  expect(await ask("no.example", "A")).toEqual(failure("servfail"))
})
