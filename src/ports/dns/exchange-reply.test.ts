import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { encodeReply, toRecord } from "../../../test/support/dns-reply.ts"
import { resolverFor, throughSilence, useDns } from "../../../test/support/resolver.ts"
import type { DnsZone } from "../../apis/contract.ts"
import { readReply } from "./answer.ts"
import { encodeQuery, readResponse } from "./message.ts"
import { parseData } from "./record-formats.ts"
import { typeNumbers } from "./record-types.ts"
import { runSteps } from "./turn-reader.ts"
import { createZoneDns } from "./zone.ts"

const zone = {
  "example.com": [
    { SOA: "ns.example.com. root.example.com. 7 1 2 3 60" },
    { NS: "ns.example.com." },
    { CAA: '0 issue "ca.example"' },
    { HTTPS: "1 . alpn=h2,h3 ipv4hint=192.0.2.1" },
    { TYPE731: "\\# 2 ABCD" },
    { MX: [10, "Mail.example.com"] },
  ],
  "www.example.com": [{ CNAME: "example.com" }],
  "slow.example.com": ["TIMEOUT"],
  "broken.example.com": ["SERVFAIL"],
} satisfies DnsZone
const { serve } = useDns(zone)

const soa = {
  owner: "example.com",
  type: "SOA",
  ttlSeconds: 300,
  text: "ns.example.com. root.example.com. 7 1 2 3 60",
  data: { primaryServer: "ns.example.com", mailbox: "root.example.com", serial: 7 },
}

describe.each(["a fixture", "a server"])("from %s", (source) => {
  async function dnsOf() {
    return source === "a fixture" ? createZoneDns(zone) : resolverFor([await serve({ ttlSeconds: 300 })])
  }

  test("a reply has owner, type, TTL, values, text and bytes of each record", async () => {
    const dns = await dnsOf()
    expect(await dns.exchange("Example.com", "MX")).toMatchObject({
      kind: "reply",
      rcode: "NOERROR",
      authenticated: false,
      answer: [
        {
          owner: "example.com",
          type: "MX",
          ttlSeconds: 300,
          data: { preference: 10, exchange: "Mail.example.com" },
          text: "10 Mail.example.com.",
          wire: "000a044d61696c076578616d706c6503636f6d00",
        },
      ],
      authority: [],
    })
    expect(await dns.exchange("example.com", "TYPE731")).toMatchObject({
      answer: [{ type: "TYPE731", data: "abcd", text: "\\# 2 ABCD", wire: "abcd" }],
    })
    // CAA is TYPE257: asked by number, its data are bytes, but records of replies have their names.
    expect(await dns.resolve("example.com", "CAA")).toMatchObject({
      records: [{ flags: 0, tag: "issue", value: "ca.example" }],
    })
  })

  test("an alias comes before what it leads to, and is not followed when it is asked for", async () => {
    const dns = await dnsOf()
    const types = async (type: "HTTPS" | "CNAME") => {
      const reply = await dns.exchange("www.example.com", type)
      return reply.kind === "reply" && reply.answer.map(({ owner, type }) => `${owner} ${type}`)
    }
    expect(await types("HTTPS")).toEqual(["www.example.com CNAME", "example.com HTTPS"])
    expect(await types("CNAME")).toEqual(["www.example.com CNAME"])
    expect(await dns.resolve("www.example.com", "CNAME")).toMatchObject({ records: ["example.com"] })
    expect(await dns.resolve("example.com", "CNAME")).toEqual({ kind: "nodata" })
  })

  test("failures are those of resolve, and a name that cannot be asked for does not exist", async () => {
    const dns = await dnsOf()
    expect(await dns.exchange("broken.example.com", "A")).toEqual({ kind: "failure", reason: "servfail" })
    expect(await dns.exchange("a..b", "A")).toMatchObject({ rcode: "NXDOMAIN", answer: [], authority: [] })
    const answer = await dns.exchange("a.example", "A", {}, AbortSignal.abort())
    expect(answer).toEqual({ kind: "failure", reason: "aborted" })
  })
})

test("a fixture gives the SOA of the zone with what does not exist", async () => {
  const dns = createZoneDns(zone)
  expect(await dns.exchange("no.example.com", "A")).toMatchObject({ rcode: "NXDOMAIN", authority: [soa] })
  const reply = await dns.exchange("example.com", "A")
  expect(reply).toMatchObject({ rcode: "NOERROR", answer: [], authority: [soa] })
})

test("the root can be exchanged, but not resolved", async () => {
  const root = { ".": [{ NS: "a.root." }] } satisfies DnsZone
  const server = await serve({}, root)
  for (const dns of [createZoneDns(root), resolverFor([server])]) {
    expect(await dns.resolve(".", "NS")).toEqual({ kind: "nxdomain" })
    const reply = await dns.exchange(".", "NS")
    expect(reply).toMatchObject({ answer: [{ owner: "", type: "NS", text: "a.root." }] })
  }
})

test.each([
  [{ dnssec: true }, { do: true, cd: true, ad: false }],
  [{ dnssec: false }, { do: false, cd: false, ad: true }],
  [undefined, { do: false, cd: false, ad: true }],
])("flags of an exchange with %j are %j, and resolve sets none", async (options, flags) => {
  const seen: object[] = []
  const server = await serve({
    rewrite: (reply, query) => {
      seen.push(query.flags)
      return [reply]
    },
  })
  const dns = resolverFor([server])
  await dns.exchange("example.com", "MX", options)
  await dns.resolve("example.com", "MX")
  expect(seen).toEqual([flags, { do: false, cd: false, ad: false }])
})

test("flags: the server's AD is `authenticated`", async () => {
  const server = await serve({
    rewrite: (reply) => {
      reply[3] = (reply[3] ?? 0) | 0x20
      return [reply]
    },
  })
  expect(await resolverFor([server]).exchange("example.com", "MX")).toMatchObject({ authenticated: true })
})

test("the cache gives what is left of the TTLs, and keeps the operations apart", async () => {
  const server = await serve({ ttlSeconds: 100 })
  const dns = resolverFor([server])
  await dns.exchange("example.com", "MX")
  dns.clock.advance(40_500)
  expect(await dns.exchange("example.com", "MX")).toMatchObject({ answer: [{ ttlSeconds: 60 }] })
  expect(server.queries).toHaveLength(1)
  await dns.exchange("example.com", "MX", { dnssec: true })
  await dns.resolve("example.com", "MX")
  expect(server.queries).toHaveLength(3)
  dns.clock.advance(59_500)
  expect(await dns.exchange("example.com", "MX")).toMatchObject({ answer: [{ ttlSeconds: 100 }] })
  expect(server.queries).toHaveLength(4)
})

test("the cache cannot be changed by callers", async () => {
  const dns = resolverFor([await serve()])
  await dns.exchange("example.com", "MX")
  const reply = await dns.exchange("example.com", "MX")
  expect(reply.kind === "reply" && reply.answer.every((record) => Object.isFrozen(record.data))).toBe(true)
})

test("the cache has no negative reply without an SOA", async () => {
  const server = await serve({ negativeTtlSeconds: null })
  const dns = resolverFor([server])
  for (let time = 1; time <= 2; time++) await dns.exchange("no.example", "MX")
  expect(server.queries).toHaveLength(2)
})

describe("a recorded reply", () => {
  const question = encodeQuery({ name: "\x01a\x07example\0", type: "TXT" }, 9, false).subarray(12)
  const data = "TXT 13 2 60 20360101000000 20260101000000 7 example. q83v"
  const signature = Buffer.from(parseData("RRSIG", data))
  const reply = encodeReply(
    {
      ...{ id: 9, question, rcode: 0, truncated: false, authority: [] },
      answers: [
        toRecord(Buffer.from([0xc0, 12]), 16, 60, Buffer.from([0, 2, 1, 0x62])),
        toRecord(
          Buffer.from([0xc0, 12]),
          46,
          60,
          Buffer.concat([Buffer.from([0, signature.length]), signature]),
        ),
      ],
    },
    true,
  )
  reply[3] = (reply[3] ?? 0) | 0x20
  const message = reply.toString("base64")
  const dns = createZoneDns({
    "a.example": [{ ANSWER: { type: "TXT", message } }, { TXT: "other" }, { A: "192.0.2.1" }],
    "b.example": [{ CNAME: "a.example" }],
  })

  test("is given again, with its TTLs, signatures and AD, and only for its type", async () => {
    expect(await dns.exchange("b.example", "TXT", { dnssec: true })).toMatchObject({
      authenticated: true,
      messageBytes: reply.length,
      answer: [
        { owner: "b.example", type: "CNAME" },
        { owner: "a.example", type: "TXT", ttlSeconds: 60, data: "b" },
        { owner: "a.example", type: "RRSIG", data: { typeCovered: "TXT", signer: "example", keyTag: 7 } },
      ],
    })
    expect(await dns.resolve("b.example", "TXT")).toEqual({
      ...{ kind: "records", records: ["b"], messageBytes: reply.length },
    })
    expect(await dns.exchange("a.example", "A")).toMatchObject({ authenticated: false, messageBytes: 0 })
  })

  test.each([
    ["another name", "c.example", "TXT", message],
    ["another type", "a.example", "MX", message],
    ["a part", "a.example", "TXT", reply.subarray(0, -20).toString("base64")],
    ["nothing", "a.example", "TXT", ""],
  ] as const)("of %s is refused", (_, name, type, message) =>
    expect(() => createZoneDns({ [name]: [{ ANSWER: { type, message } }] })).toThrow(
      `entry 1 of '${name}' must have a DNS message`,
    ),
  )
})

test("a silent server is a timeout", async () => {
  const dns = resolverFor([await serve()])
  const reply = await throughSilence(dns.exchange("slow.example.com", "CAA"), dns.timer)
  expect(reply).toEqual({ kind: "failure", reason: "timeout" })
})

test("a type that cannot be asked for is an error", async () => {
  const dns = resolverFor([await serve()])
  for (const type of ["TYPE255", "TYPE41", "TYPE0"] as const)
    await expect(dns.exchange("example.com", type)).rejects.toThrow(RangeError)
})

const question = { name: "\x01a\x07example\0", type: "MX" } as const
const header = (answers: number, authority: number) =>
  Buffer.from([0, 1, 0x85, 0x80, 0, 1, answers >> 8, answers & 255, authority >> 8, authority & 255, 0, 0])
const asked = encodeQuery(question, 1, false).subarray(12)
const read = (message: Buffer) => {
  const response = readResponse(message, question, 1)
  if (typeof response === "string") return response
  try {
    return runSteps(readReply(response, question)).reply
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(RangeError)
    return "malformed"
  }
}
const record = (owner: Buffer, type: number, data: Buffer) =>
  Buffer.concat([
    owner,
    Buffer.from([type >> 8, type & 255, 0, 1, 0, 0, 0, 60]),
    Buffer.from([data.length >> 8, data.length & 255]),
    data,
  ])
const mx = Buffer.from([0, 10, 0])

test("hostile replies: records of other names are left out of the answer", () => {
  const other = record(Buffer.from("\x06victim\x07example\0", "latin1"), 15, mx)
  const own = record(Buffer.from([0xc0, 12]), 15, mx)
  const reply = read(Buffer.concat([header(3, 0), asked, other, own, other]))
  expect(reply).toMatchObject({ answer: [{ owner: "a.example", type: "MX" }] })
  expect(reply).toHaveProperty("answer.length", 1)
})

test("hostile replies: more records than are there are malformed, and as many as fit are read", () => {
  const own = record(Buffer.from([0xc0, 12]), 15, mx)
  expect(read(Buffer.concat([header(10_000, 0), asked, own]))).toBe("malformed")
  const most = Math.floor((65_535 - 12 - asked.length) / own.length)
  const reply = read(Buffer.concat([header(most, 0), asked, ...Array<Buffer>(most).fill(own)]))
  expect(reply).toHaveProperty("answer.length", most)
})

test("hostile replies: names that point at each other in long chains are malformed, since they would take long to read", () => {
  // Each label points to the one before it, so that the last name has 127 labels with 126 pointers.
  const chain = [Buffer.from([1, 0x61, 0])]
  let at = 12 + asked.length + 12
  let before = at
  for (let link = 1; link < 120; link++) {
    at += link === 1 ? 3 : 4
    chain.push(Buffer.from([1, 0x61, 0xc0 | (before >> 8), before & 255]))
    before = at
  }
  const hidden = Buffer.concat(chain)
  const first = record(Buffer.from([0xc0, 12]), 731, hidden)
  const own = record(Buffer.from([0xc0 | (before >> 8), before & 255]), 731, Buffer.alloc(0))
  const count = Math.floor((65_535 - 12 - asked.length - first.length) / own.length)
  const message = Buffer.concat([header(1, count), asked, first, ...Array<Buffer>(count).fill(own)])
  expect(read(message)).toBe("malformed")
  // A few of them are read.
  expect(read(Buffer.concat([header(1, 1), asked, first, own]))).toHaveProperty(
    "authority.0.owner",
    Array<string>(120).fill("a").join("."),
  )
})

test("hostile replies: any message is read or malformed", () => {
  const numbers = [...Object.values(typeNumbers), 731]
  const owner = fc.constantFrom(Buffer.from([0xc0, 12]), Buffer.of(0), Buffer.from("\x01b\0", "latin1"))
  const data = fc.oneof(
    fc.uint8Array({ maxLength: 24 }),
    fc.constantFrom(Uint8Array.of(0xc0, 12), Uint8Array.of(0, 10, 0xc0, 12), Uint8Array.of(1, 0x62, 0)),
  )
  const any = fc
    .tuple(owner, fc.constantFrom(...numbers), data)
    .map(([name, type, bytes]) => record(name, type, Buffer.from(bytes)))
  const changes = fc.array(fc.tuple(fc.nat(200), fc.nat(255)), { maxLength: 3 })
  const kinds = new Set<string>()
  fc.assert(
    fc.property(
      fc.array(any, { maxLength: 4 }),
      fc.array(any, { maxLength: 3 }),
      changes,
      (one, two, changed) => {
        const message = Buffer.concat([header(one.length, two.length), asked, ...one, ...two])
        for (const [at, value] of changed) if (at > 3 && at < message.length) message[at] = value
        const reply = read(message)
        kinds.add(typeof reply === "string" ? reply : reply.kind)
      },
    ),
    { numRuns: 20_000, seed: 27 },
  )
  expect([...kinds]).toEqual(expect.arrayContaining(["malformed", "reply"]))
})
