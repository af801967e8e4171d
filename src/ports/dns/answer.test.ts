import { expect, test } from "bun:test"
import { a, cname, mx, ptr, soa, txt } from "dns-packet"
import { encodeReply, toRecord, toWire } from "../../../test/support/dns-reply.ts"
import type { DnsType } from "../../apis/contract.ts"
import { type Alias, maxAliases, readAnswer, type TimedAnswer } from "./answer.ts"
import { encodeQuery, readResponse } from "./message.ts"
import { toWireName } from "./name.ts"
import { runSteps } from "./turn-reader.ts"

const address = (owner: string, data: string, ttl = 300) => toRecord(toWire(owner), 1, ttl, a.encode(data))
const alias = (owner: string, target: string, ttl = 300) =>
  toRecord(toWire(owner), 5, ttl, cname.encode(target))
const start = (zone: string, ttl: number, minimum: number) =>
  toRecord(
    toWire(zone),
    6,
    ttl,
    soa.encode({ mname: "ns", rname: "root", serial: 1, refresh: 1, retry: 1, expire: 1, minimum }),
  )
/** Data after their length. */
const raw = (...bytes: number[]) => Buffer.from([bytes.length >> 8, bytes.length & 0xff, ...bytes])

interface Sections {
  readonly name?: string
  readonly type?: DnsType
  readonly rcode?: number
  readonly answers?: Buffer[]
  readonly authority?: Buffer[]
  readonly passed?: string[]
}

function answerTo({ name = "a.example", type = "A", ...sections }: Sections): TimedAnswer | Alias {
  const question = { name: toWireName(name) ?? "", type }
  const message = encodeReply(
    {
      id: 1,
      question: encodeQuery(question, 1, false).subarray(12),
      rcode: sections.rcode ?? 0,
      truncated: false,
      answers: sections.answers ?? [],
      authority: sections.authority ?? [],
    },
    true,
  )
  const response = readResponse(message, question, 1)
  if (typeof response === "string") throw new Error(response)
  const passed = (sections.passed ?? []).map((name) => toWireName(name) ?? "")
  return runSteps(readAnswer(response, question, passed))
}

function recordsOf(sections: Sections): readonly unknown[] {
  const found = answerTo(sections)
  if (found.kind !== "answer" || found.answer.kind !== "records") throw new Error(JSON.stringify(found))
  return found.answer.records
}

test("records of the name and type that were asked, with the least TTL and the size of the message", () => {
  const answers = [address("A.EXAMPLE", "192.0.2.1", 60), address("a.example", "192.0.2.2", 30)]
  const found = answerTo({ answers })
  expect(found).toEqual({
    kind: "answer",
    answer: { kind: "records", records: ["192.0.2.1", "192.0.2.2"], messageBytes: 12 + 15 + 25 + 25 + 11 },
    ttlSeconds: 30,
  })
})

test("records of any other owner, type or class are ignored", () => {
  const chaos = address("a.example", "192.0.2.66")
  chaos.writeUInt16BE(3, chaos.length - 12)
  const answers = [
    address("victim.example", "192.0.2.66"),
    address("example", "192.0.2.66"),
    address("x.a.example", "192.0.2.66"),
    toRecord(toWire("a.example"), 28, 300, raw(...Array<number>(16).fill(6))),
    chaos,
  ]
  expect(recordsOf({ answers: [...answers, address("a.example", "192.0.2.1")] })).toEqual(["192.0.2.1"])
  expect(answerTo({ answers })).toMatchObject({ answer: { kind: "nodata" } })
})

test("records: IPv6 in RFC 5952 text", () => {
  const record = (...bytes: number[]) => toRecord(toWire("a.example"), 28, 1, raw(...bytes))
  const zeros = Array<number>(10).fill(0)
  expect(
    recordsOf({
      type: "AAAA",
      answers: [
        record(0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1),
        record(...zeros, 0, 0, 0, 0, 0, 1),
        record(0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xab, 0xcd),
      ],
    }),
  ).toEqual(["2001:db8::1:0:0:1", "::1", "0:1::1:abcd"])
})

test("records: text as bytes; the strings of a record are joined, records are not", () => {
  const record = (...strings: string[]) =>
    toRecord(toWire("a.example"), 16, 1, txt.encode(strings.map((string) => Buffer.from(string, "latin1"))))
  const answers = [
    record("x".repeat(255), "y".repeat(255), "z"),
    record("\xc3\xa9 \xff"),
    record(""),
    toRecord(toWire("a.example"), 16, 1, raw()),
  ]
  const long = `${"x".repeat(255)}${"y".repeat(255)}z`
  expect(recordsOf({ type: "TXT", answers })).toEqual([long, "\xc3\xa9 \xff", "", ""])
  // Record type 99 has the same form.
  const [first] = answers
  first?.writeUInt16BE(99, 11)
  expect(recordsOf({ type: "SPF", answers: first ? [first] : [] })[0]).toHaveLength(511)
})

test("records: names without a trailing dot, in their own spelling, with dots inside labels escaped", () => {
  const label = [3, 0x61, 0x2e, 0x62, 2, 0xff, 0x43, 0]
  expect(recordsOf({ type: "PTR", answers: [toRecord(toWire("a.example"), 12, 1, raw(...label))] })).toEqual([
    "a\\.b.\xffC",
  ])
  expect(
    recordsOf({
      type: "MX",
      answers: [
        toRecord(toWire("a.example"), 15, 1, mx.encode({ preference: 10, exchange: "Mail.example" })),
        toRecord(toWire("a.example"), 15, 1, raw(0, 0, 0)),
        toRecord(toWire("a.example"), 15, 1, raw(1, 0, ...label)),
      ],
    }),
  ).toEqual([
    { preference: 10, exchange: "Mail.example" },
    { preference: 0, exchange: "" },
    { preference: 256, exchange: "a\\.b.\xffC" },
  ])
})

test.each<[DnsType, number, Buffer]>([
  ["A", 1, raw(1, 2, 3)],
  ["A", 1, raw(1, 2, 3, 4, 5)],
  ["AAAA", 28, raw(1, 2, 3, 4)],
  ["AAAA", 28, raw(...Array<number>(17).fill(1))],
  ["TXT", 16, raw(5, 0x61)],
  ["MX", 15, raw(0)],
  ["MX", 15, raw(0, 1, 1, 0x61, 0, 9)],
  ["PTR", 12, raw(1, 0x61)],
  ["PTR", 12, raw()],
  ["TXT", 5, raw(1, 0x61, 0, 0)],
])("records: %s of the wrong form (type %d) cannot be read", (type, number, data) =>
  expect(() => answerTo({ type, answers: [toRecord(toWire("a.example"), number, 1, data)] })).toThrow(),
)

const chain = [alias("a.example", "B.example", 50), alias("b.example", "c.test", 20)]

test("aliases are followed in any order of the records, and shorten the TTL", () => {
  const answers = [address("C.test", "192.0.2.1", 90), ...chain.toReversed()]
  expect(answerTo({ answers })).toMatchObject({ answer: { records: ["192.0.2.1"] }, ttlSeconds: 20 })
})

test("aliases that do not begin at the name asked are ignored", () => {
  const answers = [alias("other.example", "c.test"), address("c.test", "192.0.2.66")]
  expect(answerTo({ answers })).toMatchObject({ answer: { kind: "nodata" }, ttlSeconds: 0 })
})

test("aliases without an end name the target to ask for", () =>
  expect(answerTo({ answers: chain })).toEqual({
    kind: "alias",
    target: "\x01c\x04test\0",
    ttlSeconds: 20,
    passed: ["\x01a\x07example\0", "\x01b\x07example\0"],
  }))

test("aliases whose end the server has looked up are complete", () => {
  expect(answerTo({ answers: chain, authority: [start("test", 600, 10)] })).toEqual({
    kind: "answer",
    answer: { kind: "nodata" },
    ttlSeconds: 10,
  })
  expect(answerTo({ answers: chain, rcode: 3, authority: [start("test", 600, 30)] })).toEqual({
    kind: "answer",
    answer: { kind: "nxdomain" },
    ttlSeconds: 20,
  })
})

test("aliases in a loop are an answer without data, which is not cached", () => {
  const answers = [...chain, alias("c.test", "A.example")]
  const nothing = { kind: "answer", answer: { kind: "nodata" }, ttlSeconds: 0 } as const
  expect(answerTo({ answers })).toEqual(nothing)
  expect(answerTo({ answers: [alias("a.example", "a.example")] })).toEqual(nothing)
  // Also when the loop spans several questions.
  expect(answerTo({ answers: [alias("a.example", "x.test")], passed: ["x.test"] })).toEqual(nothing)
})

test("aliases are followed ten times and no further", () => {
  const names = Array.from({ length: maxAliases + 2 }, (_, index) =>
    index === 0 ? "a.example" : `n${index}.test`,
  )
  const links = names.slice(1).map((target, index) => alias(names[index] ?? "", target))
  const data = names.map((name) => address(name, "192.0.2.1")).slice(maxAliases)
  expect(recordsOf({ answers: [...links.slice(0, maxAliases), ...data] })).toEqual(["192.0.2.1"])
  expect(answerTo({ answers: [...links, ...data.slice(1)] })).toMatchObject({
    answer: { kind: "failure", reason: "servfail" },
    ttlSeconds: 0,
  })
})

test("aliases are ignored when the name has data", () =>
  expect(recordsOf({ answers: [...chain, address("a.example", "192.0.2.1")] })).toEqual(["192.0.2.1"]))

test.each([0, 3])(
  "negative answers with code %d are cached for the lesser of the SOA's TTL and minimum (RFC 2308 §5)",
  (rcode) => {
    const kind = rcode === 3 ? "nxdomain" : "nodata"
    for (const [ttl, minimum] of [
      [100, 40],
      [40, 100],
    ] as const) {
      const found = answerTo({ rcode, authority: [start("example", ttl, minimum)] })
      expect(found).toEqual({ kind: "answer", answer: { kind }, ttlSeconds: 40 })
    }
  },
)

test.each([0, 3])("negative answers with code %d without the SOA of a zone above are not cached", (rcode) => {
  const authority = [start("other.example", 100, 100)]
  expect(answerTo({ rcode, authority })).toMatchObject({ ttlSeconds: 0 })
  const below = [start("a.example.com", 100, 100)]
  expect(answerTo({ rcode, authority: below })).toMatchObject({ ttlSeconds: 0 })
  expect(answerTo({ rcode })).toMatchObject({ kind: "answer", ttlSeconds: 0 })
})

test("negative answers count more than records that come with them", () =>
  expect(answerTo({ rcode: 3, answers: [address("a.example", "192.0.2.66")] })).toMatchObject({
    answer: { kind: "nxdomain" },
  }))

test("the codec of pointers is that of names", () =>
  expect(
    recordsOf({ type: "PTR", answers: [toRecord(toWire("a.example"), 12, 1, ptr.encode("h.Example."))] }),
  ).toEqual(["h.Example"]))
