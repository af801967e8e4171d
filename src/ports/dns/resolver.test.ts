import { afterEach, describe, expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { createManualClock } from "../../../test/support/clock.ts"
import {
  type DnsServerOptions,
  forgedAddress,
  startDnsServer,
  type TestDnsServer,
} from "../../../test/support/dns-server.ts"
import type { DnsAnswer, DnsType, DnsZone } from "../../apis/contract.ts"
import { systemRandom } from "../random.ts"
import { createResolver, type Resolver, type ResolverOptions } from "./resolver.ts"
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

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()))
})

async function serve(options: DnsServerOptions = {}, served: DnsZone = zone): Promise<TestDnsServer> {
  const server = await startDnsServer(served, options)
  stops.push(server.stop)
  return server
}

function resolverFor(
  servers: readonly { readonly address: string }[],
  options: Partial<ResolverOptions> = {},
): Resolver & { ask(name: string, type: DnsType): Promise<DnsAnswer> } {
  const resolver = createResolver({
    servers: servers.map(({ address }) => parseServerAddress(address)),
    clock: createManualClock(),
    random: systemRandom,
    ...options,
  })
  return { ...resolver, ask: (name, type) => resolver.resolve(name, type) }
}

/** For tests in which nothing is answered: time enough that every try is made on a busy machine, too. */
const impatient = { queryTimeoutMs: 500, retryMs: 20 }
/** For tests in which nothing must be tried again because of the time it takes. */
const patient = { queryTimeoutMs: 60_000, retryMs: 60_000 }

describe("answers", () => {
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
    ["broken.example", "A", { kind: "failure", reason: "servfail" }],
    ["closed.example", "A", { kind: "failure", reason: "refused" }],
  ])("%s %s", async (name, type, expected) => {
    const { ask } = resolverFor([await serve()])
    expect(await ask(name, type)).toMatchObject(expected)
  })

  test.each(["", ".", "a..example", `${"a".repeat(64)}.example`, `${"a.".repeat(127)}a`, "ž.example"])(
    "%j is no name and is not asked for",
    async (name) => {
      const server = await serve()
      const { ask, stats } = resolverFor([server])
      expect(await ask(name, "A")).toEqual({ kind: "nxdomain" })
      expect(server.queries).toEqual([])
      expect(stats()).toMatchObject({ queries: 0, failures: 0 })
    },
  )

  test("the size of the message is told, over UDP and TCP", async () => {
    const sizes = await Promise.all(
      [{}, { truncate: true }].map(async (options) => {
        const answer = await resolverFor([await serve(options)]).ask("a.example", "A")
        return answer.kind === "records" ? answer.messageBytes : null
      }),
    )
    // Header, question, two records with the name written out, OPT.
    expect(sizes).toEqual([12 + 15 + 2 * 25 + 11, 12 + 15 + 2 * 25 + 11])
  })
})

describe("silence and closed doors", () => {
  test("a name that is never answered is a timeout, after UDP was tried again and TCP at last", async () => {
    const server = await serve()
    // Long enough for the last connection to be made on a busy machine.
    const { ask, stats } = resolverFor([server], { queryTimeoutMs: 3_000, retryMs: 20 })
    expect(await ask("slow.example", "A")).toEqual({ kind: "failure", reason: "timeout" })
    expect(server.queries.map(({ transport }) => transport)).toEqual(["udp", "udp", "tcp"])
    expect(stats()).toEqual({
      queries: 3,
      tcpQueries: 1,
      retries: 2,
      cacheHits: 0,
      cacheMisses: 1,
      failures: 1,
    })
  })

  test("a port where nobody listens is a network failure, at once", async () => {
    const server = await startDnsServer(zone)
    await server.stop()
    const { ask } = resolverFor([server], patient)
    expect(await ask("a.example", "A")).toEqual({ kind: "failure", reason: "network" })
  })

  test("a server that answers over TCP only is asked there, at once when UDP is closed", async () => {
    const { ask } = resolverFor([await serve({ transports: "tcp" })], patient)
    expect(await ask("a.example", "A")).toMatchObject(addresses)
  })

  test("a server whose UDP gets lost is asked over TCP at last", async () => {
    const { ask, stats } = resolverFor([await serve({ rewrite: () => [] })], {
      queryTimeoutMs: 60_000,
      retryMs: 10,
    })
    expect(await ask("a.example", "A")).toMatchObject(addresses)
    expect(stats()).toMatchObject({ queries: 3, tcpQueries: 1 })
  })

  test("a lost query is sent again, from the same port", async () => {
    const server = await serve({ dropFirst: true })
    const { ask, stats } = resolverFor([server], { queryTimeoutMs: 60_000, retryMs: 1_000 })
    expect(await ask("a.example", "A")).toMatchObject(addresses)
    expect(stats()).toMatchObject({ retries: 1, tcpQueries: 0, failures: 0 })
    // Two queries in the air for one question would give a forger two goes.
    expect(server.clientPorts.size).toBe(1)
  })

  test("an answer that is late for its try still counts", async () => {
    const server = await serve({ latencyMs: 60, transports: "udp" })
    const { ask, stats } = resolverFor([server], { queryTimeoutMs: 60_000, retryMs: 5 })
    expect(await ask("a.example", "A")).toMatchObject(addresses)
    expect(stats().retries).toBeGreaterThan(0)
  })
})

describe("several servers", () => {
  test.each<[string, DnsServerOptions, DnsZone]>([
    ["is silent", {}, { "a.example": ["TIMEOUT"] }],
    ["refuses", {}, { "a.example": ["REFUSED"] }],
    ["fails", {}, { "a.example": ["SERVFAIL"] }],
    ["sends garbage", { rewrite: () => [Buffer.from("garbage")], tcp: "silent" }, zone],
    ["cannot be read", { rewrite: (reply) => [reply.subarray(0, -20)], tcp: "silent" }, zone],
  ])("the second is asked when the first %s", async (_, options, served) => {
    const [first, second] = await Promise.all([serve(options, served), serve()])
    const { ask } = resolverFor([first, second], { queryTimeoutMs: 60_000, retryMs: 10 })
    expect(await ask("a.example", "A")).toMatchObject(addresses)
    expect(first.queries.length).toBeGreaterThan(0)
  })

  test("the second is left alone when the first knows, a no included", async () => {
    const [first, second] = await Promise.all([serve(), serve({}, { "no.example": [{ A: "192.0.2.9" }] })])
    const { ask } = resolverFor([first, second], patient)
    expect(await ask("no.example", "A")).toEqual({ kind: "nxdomain" })
    expect(second.queries).toEqual([])
  })

  test("one that has said its last word is not asked again, and the most telling reason is given", async () => {
    const [silent, failing] = await Promise.all([
      serve({}, { "a.example": ["TIMEOUT"] }),
      serve({}, { "a.example": ["SERVFAIL"] }),
    ])
    const { ask } = resolverFor([silent, failing], { queryTimeoutMs: 2_000, retryMs: 20 })
    expect(await ask("a.example", "A")).toEqual({ kind: "failure", reason: "servfail" })
    expect(failing.queries).toHaveLength(1)
    expect(silent.queries.length).toBeGreaterThan(1)
  })

  test("a late answer of the first counts when the second has failed meanwhile", async () => {
    const copies = { seen: 0 }
    const onlyFirst: DnsServerOptions = {
      latencyMs: 60,
      tcp: "silent",
      rewrite: (reply) => (copies.seen++ === 0 ? [reply] : []),
    }
    const [late, failing] = await Promise.all([serve(onlyFirst), serve({}, { "a.example": ["SERVFAIL"] })])
    const { ask } = resolverFor([late, failing], { queryTimeoutMs: 60_000, retryMs: 10 })
    expect(await ask("a.example", "A")).toMatchObject(addresses)
  })

  test("nothing is awaited any more over UDP of one that has said its last word over TCP", async () => {
    const { ask } = resolverFor([await serve({ rewrite: () => [] })], { queryTimeoutMs: 60_000, retryMs: 10 })
    expect(await ask("broken.example", "A")).toEqual({ kind: "failure", reason: "servfail" })
  })

  test.each<[string, DnsZone[string]]>([
    ["UDP", ["TIMEOUT"]],
    ["TCP", [{ A: "192.0.2.1" }]],
  ])("no socket is left behind when %s is silent", async (_, entries) => {
    const names = Array.from({ length: 30 }, (_, index) => `n${index}.example`)
    const silent = Object.fromEntries(names.map((name) => [name, entries]))
    const server = await serve({ truncate: true, tcp: "silent" }, silent)
    const { ask } = resolverFor([server], impatient)
    const openFiles = () => readdirSync("/dev/fd").length
    const before = openFiles()
    const answers = await Promise.all(names.map((name) => ask(name, "A")))
    expect(answers).toEqual(names.map(() => ({ kind: "failure", reason: "timeout" })))
    await server.stop()
    expect(openFiles() - before).toBeLessThan(20)
  })

  test("a resolver without any is refused", () => {
    expect(() => resolverFor([])).toThrow(RangeError)
  })
})

describe("forgers", () => {
  test.each<DnsServerOptions>([
    { spoof: "id" },
    { spoof: "question" },
    { spoof: "source" },
    { garbageFirst: true },
    { spoof: "id", garbageFirst: true, dropFirst: true, latencyMs: 20 },
  ])("%j: the true answer is awaited", async (options) => {
    const { ask, stats } = resolverFor([await serve(options)], { queryTimeoutMs: 60_000, retryMs: 200 })
    const answer = await ask("a.example", "A")
    expect(answer).toMatchObject(addresses)
    expect(JSON.stringify(answer)).not.toContain(forgedAddress)
    expect(await ask("no.example", "A")).toEqual({ kind: "nxdomain" })
    expect(stats().failures).toBe(0)
  })

  test.each(["id", "question", "source"] as const)("a forged %s alone is silence", async (spoof) => {
    const server = await serve({ spoof, rewrite: () => [], tcp: "silent" })
    const { ask } = resolverFor([server], impatient)
    expect(await ask("a.example", "A")).toEqual({ kind: "failure", reason: "timeout" })
  })

  test("garbage alone is told from silence", async () => {
    const server = await serve({ garbageFirst: true, rewrite: () => [], tcp: "silent" })
    const { ask } = resolverFor([server], impatient)
    expect(await ask("a.example", "A")).toEqual({ kind: "failure", reason: "malformed" })
  })

  test("ids and ports are not the same twice in a row", async () => {
    const ids = new Set<number>()
    const server = await serve({
      ttlSeconds: 0,
      rewrite: (reply, query) => {
        ids.add(query.id)
        return [reply]
      },
    })
    const { ask } = resolverFor([server], patient)
    for (let turn = 0; turn < 20; turn++) await ask("a.example", "A")
    expect(ids.size).toBeGreaterThan(15)
    expect(server.clientPorts.size).toBeGreaterThan(5)
  })
})

describe("truncation", () => {
  test("a part of an answer is never the answer: TCP is asked", async () => {
    const server = await serve({ truncate: true })
    const { ask, stats } = resolverFor([server], patient)
    expect(await ask("a.example", "A")).toMatchObject(addresses)
    expect(server.queries.map(({ transport }) => transport)).toEqual(["udp", "tcp"])
    expect(stats()).toMatchObject({ queries: 2, tcpQueries: 1, retries: 0 })
  })

  test("an answer that comes octet by octet is put together", async () => {
    const { ask } = resolverFor([await serve({ truncate: true, tcp: "octet by octet" })], patient)
    expect(await ask("a.example", "A")).toMatchObject(addresses)
  })

  test.each<[DnsServerOptions, string]>([
    [{ tcp: "close at once" }, "network"],
    [{ tcp: "close early" }, "network"],
    [{ transports: "udp" }, "network"],
    [{ tcp: "silent" }, "timeout"],
  ])("without an answer over TCP (%j) there is none", async (options, reason) => {
    const times = reason === "timeout" ? impatient : patient
    const { ask } = resolverFor([await serve({ truncate: true, ...options })], times)
    expect(await ask("a.example", "A")).toEqual({ kind: "failure", reason } as DnsAnswer)
  })

  test("while TCP is slow it is not asked twice", async () => {
    const server = await serve({ truncate: true, tcp: "silent" })
    // UDP is answered long before its retry is due, and TCP waits past it, on a busy machine too.
    const { ask } = resolverFor([server], { queryTimeoutMs: 2_500, retryMs: 1_000 })
    expect(await ask("a.example", "A")).toMatchObject({ reason: "timeout" })
    expect(server.queries.map(({ transport }) => transport)).toEqual(["udp", "tcp"])
  })

  test("the second server is asked when the first is cut off", async () => {
    const [first, second] = await Promise.all([serve({ truncate: true, tcp: "close early" }), serve()])
    const { ask } = resolverFor([first, second], patient)
    expect(await ask("a.example", "A")).toMatchObject(addresses)
  })
})

describe("old and authoritative servers", () => {
  test("one that does not know EDNS is asked without", async () => {
    const server = await serve({ refuseEdns: true })
    const { ask, stats } = resolverFor([server], patient)
    expect(await ask("a.example", "A")).toMatchObject(addresses)
    // 766 octets do not fit into the 512 that go without EDNS.
    expect(await ask("a.example", "TXT")).toMatchObject({ kind: "records" })
    expect(stats()).toMatchObject({ retries: 0, failures: 0 })
  })

  test("the target of an alias is asked for where the server gives the alias alone", async () => {
    const server = await serve({ aliasOnly: true })
    const { ask } = resolverFor([server], patient)
    expect(await ask("bare.example", "A")).toMatchObject(addresses)
    expect(server.queries.map(({ name }) => name)).toEqual(["bare.example", "www.example", "a.example"])
    expect(await ask("loop.example", "A")).toEqual({ kind: "nodata" })
    expect(await ask("dead.example", "A")).toEqual({ kind: "nxdomain" })
  })

  test("such a chain ends after ten, too", async () => {
    const chain: Record<string, DnsZone[string]> = { "n0.test": [{ A: "192.0.2.1" }] }
    for (let index = 1; index <= 11; index++) chain[`n${index}.test`] = [{ CNAME: `n${index - 1}.test` }]
    const { ask } = resolverFor([await serve({ aliasOnly: true }, chain)], patient)
    expect(await ask("n10.test", "A")).toMatchObject({ kind: "records" })
    expect(await ask("n11.test", "A")).toEqual({ kind: "failure", reason: "servfail" })
  })

  test("a pointer to other servers is no answer", async () => {
    const server = await serve({
      tcp: "silent",
      rewrite: (reply) => {
        reply.writeUInt16BE(0x8000, 2)
        const soa = reply.indexOf(Buffer.from([0, 0, 6, 0, 1]))
        if (soa >= 0) reply.writeUInt8(2, soa + 2)
        return [reply]
      },
    })
    const { ask } = resolverFor([server], impatient)
    expect(await ask("no.example", "A")).toEqual({ kind: "failure", reason: "servfail" })
  })
})
