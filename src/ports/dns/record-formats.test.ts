import { expect, test } from "bun:test"
import fc from "fast-check"
import type { DnsData, DnsType } from "../../apis/contract.ts"
import { formatOf, parseData, readData } from "./record-formats.ts"
import { typeNameOf, typeNumberOf, typeNumbers } from "./record-types.ts"

const types = [...(Object.keys(typeNumbers) as (keyof typeof typeNumbers)[]), "TYPE61", "TYPE65279"] as const
const hexOf = (...parts: (string | number)[]) =>
  parts.map((part) => (typeof part === "number" ? part.toString(16).padStart(2, "0") : part)).join("")
/** A name in wire format. */
const n = (name: string) =>
  `${name
    .split(".")
    .filter((label) => label !== "")
    .map((label) => hexOf(label.length, Buffer.from(label).toString("hex")))
    .join("")}00`

test.each<[DnsType, string, string, DnsData[DnsType]]>([
  ["A", "c0000201", "192.0.2.1", "192.0.2.1"],
  ["AAAA", "20010db8000000000000000000000001", "2001:db8::1", "2001:db8::1"],
  ["NS", n("ns.Example"), "ns.Example.", "ns.Example"],
  ["CNAME", n(""), ".", ""],
  ["PTR", `03612e62${n("c")}`, "a\\.b.c.", "a\\.b.c"],
  ["TXT", "0161000162", '"a" "" "b"', "ab"],
  ["TXT", "05225c00ff20", '"\\"\\\\\\000\\255 "', '"\\\x00\xff '],
  ["MX", `000a${n("mail.example")}`, "10 mail.example.", { preference: 10, exchange: "mail.example" }],
  [
    "SOA",
    `${n("ns.a")}${n("host.a")}7fffffff00000001000000020000000300000004`,
    "ns.a. host.a. 2147483647 1 2 3 4",
    {
      primaryServer: "ns.a",
      mailbox: "host.a",
      serial: 2_147_483_647,
      refresh: 1,
      retry: 2,
      expire: 3,
      minimum: 4,
    },
  ],
  [
    "SRV",
    `0001000213c4${n("sip.example")}`,
    "1 2 5060 sip.example.",
    { priority: 1, weight: 2, port: 5060, target: "sip.example" },
  ],
  // RFC 3403 §6.2
  [
    "NAPTR",
    `00640032016109${Buffer.from("z3950+N2L").toString("hex")}00${n("cidserver.example.com")}`,
    '100 50 "a" "z3950+N2L" "" cidserver.example.com.',
    {
      order: 100,
      preference: 50,
      flags: "a",
      services: "z3950+N2L",
      regexp: "",
      replacement: "cidserver.example.com",
    },
  ],
  // RFC 8659 §4.1.1
  [
    "CAA",
    `8005${Buffer.from("issueca.example; a=b").toString("hex")}`,
    '128 issue "ca.example; a=b"',
    { flags: 128, tag: "issue", value: "ca.example; a=b" },
  ],
  ["TLSA", "030101abcd", "3 1 1 ABCD", { usage: 3, selector: 1, matchingType: 1, data: "abcd" }],
  ["SSHFP", "0402abcd", "4 2 ABCD", { algorithm: 4, fingerprintType: 2, fingerprint: "abcd" }],
  // RFC 4034 §5.4
  [
    "DS",
    "ec450501" + "2bb183af5f22588179a53b0a98631fad1a292118",
    "60485 5 1 2BB183AF5F22588179A53B0A98631FAD1A292118",
    { keyTag: 60_485, algorithm: 5, digestType: 1, digest: "2bb183af5f22588179a53b0a98631fad1a292118" },
  ],
  [
    "DNSKEY",
    "0100030dabcdef",
    "256 3 13 q83v",
    { flags: 256, protocol: 3, algorithm: 13, publicKey: "q83v" },
  ],
  // RFC 4034 §3.3, with a short signature
  [
    "RRSIG",
    `00010503000151803e7c9dd73e5510d70a52${n("example.com")}abcdef`,
    "A 5 3 86400 20030322173103 20030220173103 2642 example.com. q83v",
    {
      typeCovered: "A",
      algorithm: 5,
      labels: 3,
      originalTtl: 86_400,
      expiration: 0x3e7c9dd7,
      inception: 0x3e5510d7,
      keyTag: 2642,
      signer: "example.com",
      signature: "q83v",
    },
  ],
  // RFC 4034 §4.3
  [
    "NSEC",
    `${n("host.example.com")}0006400100000003041b${"00".repeat(26)}20`,
    "host.example.com. A MX RRSIG NSEC TYPE1234",
    { nextName: "host.example.com", types: ["A", "MX", "RRSIG", "NSEC", "TYPE1234"] },
  ],
  // RFC 5155 appendix A, the hash of "example" and its successor
  [
    "NSEC3",
    "0101000c04aabbccdd14174eb2409fe28bcb4887a1836f957f0a8425e27b000722010000000290",
    "1 1 12 AABBCCDD 2T7B4G4VSA5SMI47K61MV5BV1A22BOJR NS SOA MX RRSIG DNSKEY NSEC3PARAM",
    {
      hashAlgorithm: 1,
      flags: 1,
      iterations: 12,
      salt: "aabbccdd",
      nextHash: "2t7b4g4vsa5smi47k61mv5bv1a22bojr",
      types: ["NS", "SOA", "MX", "RRSIG", "DNSKEY", "NSEC3PARAM"],
    },
  ],
  ["NSEC3PARAM", "0100000000", "1 0 0 -", { hashAlgorithm: 1, flags: 0, iterations: 0, salt: "" }],
  ["TYPE731", "abcdef012345", "\\# 6 ABCDEF012345", "abcdef012345"],
  ["TYPE731", "", "\\# 0", ""],
])("data, as sent, as text and as values: %s %s is %s", (type, hex, text, data) => {
  const wire = Buffer.from(hex, "hex")
  expect(readData(type, wire)).toEqual({ data, text })
  expect(parseData(type, text).toString("hex")).toBe(hex)
  expect(parseData(type, `\\# ${wire.length} ${hex}`).toString("hex")).toBe(hex)
})

/** RFC 9460 appendix D.1 and D.2. */
test.each([
  ["0 foo.example.com.", `0000${n("foo.example.com")}`, []],
  ["1 .", "000100", []],
  ["16 foo.example.com. port=53", `0010${n("foo.example.com")}000300020035`, [["port", "53"]]],
  ["1 foo.example.com. key667=hello", `0001${n("foo.example.com")}029b000568656c6c6f`, [["key667", "hello"]]],
  [
    '1 foo.example.com. key667="hello\\210qoo"',
    `0001${n("foo.example.com")}029b000968656c6c6fd2716f6f`,
    [["key667", "hello\xd2qoo"]],
  ],
  [
    '1 foo.example.com. ipv6hint="2001:db8::1,2001:db8::53:1"',
    `0001${n("foo.example.com")}0006002020010db800000000000000000000000120010db8000000000000000000530001`,
    [["ipv6hint", "2001:db8::1", "2001:db8::53:1"]],
  ],
  [
    '1 example.com. ipv6hint="2001:db8:122:344::192.0.2.33"',
    `0001${n("example.com")}0006001020010db80122034400000000c0000221`,
    [["ipv6hint", "2001:db8:122:344::c000:221"]],
  ],
  [
    "16 foo.example.org. alpn=h2,h3-19 mandatory=ipv4hint,alpn ipv4hint=192.0.2.1",
    `0010${n("foo.example.org")}0000000400010004000100090268320568332d313900040004c0000201`,
    [
      ["mandatory", "alpn", "ipv4hint"],
      ["alpn", "h2", "h3-19"],
      ["ipv4hint", "192.0.2.1"],
    ],
  ],
  [
    '16 foo.example.org. alpn="f\\\\\\\\oo\\\\,bar,h2"',
    `0010${n("foo.example.org")}0001000c08665c6f6f2c626172026832`,
    [["alpn", "f\\oo,bar", "h2"]],
  ],
])("data, as sent, as text and as values: HTTPS and SVCB %s", (text, hex, parameters) => {
  for (const type of ["HTTPS", "SVCB"] as const) {
    expect(parseData(type, text).toString("hex")).toBe(hex)
    const { data, text: printed } = readData(type, Buffer.from(hex, "hex"))
    expect(data.parameters).toEqual(parameters.map(([key = "", ...values]) => ({ key, values })))
    expect(parseData(type, printed).toString("hex")).toBe(hex)
  }
})

/** RFC 9460 appendix D.3, and other wrong values. */
test.each([
  ..."key123=abc key123=def|mandatory=key123|mandatory=mandatory|mandatory=key123,key123 key123=abc".split(
    "|",
  ),
  ..."mandatory|alpn|port|port=65536|ipv4hint|ipv6hint=192.0.2.1|ech|no-default-alpn|key65536=a|Alpn=h2".split(
    "|",
  ),
])("data, as sent, as text and as values: HTTPS with %s is refused", (parameters) =>
  expect(() => parseData("HTTPS", `1 foo.example.com. ${parameters}`)).toThrow(),
)

test.each([
  // Keys out of order, a value cut off, a value of no-default-alpn, an empty protocol id.
  "0001000003000200350001000302683200",
  "00010000030004",
  "0001000001000302683200020001aa",
  "000100000100020000",
  // A compressed target.
  "0001c000",
])("data, as sent, as text and as values: HTTPS data %s cannot be read", (hex) =>
  expect(() => readData("HTTPS", Buffer.from(hex, "hex"))).toThrow(RangeError),
)

test.each<[DnsType, string]>([
  ["A", "c00002"],
  ["SOA", `${n("a")}${n("b")}00000001`],
  ["SRV", "000100020003"],
  ["CAA", "00"],
  ["CAA", "000061"],
  ["CAA", "000a61"],
  ["TLSA", "0301"],
  ["DS", "000105"],
  ["RRSIG", "0001050300015180"],
  // A bitmap without bytes, with 33, in descending order, and cut off.
  ["NSEC", `${n("a")}0000`],
  ["NSEC", `${n("a")}0021${"ff".repeat(33)}`],
  ["NSEC", `${n("a")}010140000140`],
  ["NSEC", `${n("a")}000640`],
  // 65,536 types in 8,704 bytes.
  ["NSEC", n("a") + Array.from({ length: 256 }, (_, at) => hexOf(at, 32, "ff".repeat(32))).join("")],
  ["NSEC3", "0100000000"],
  ["NSEC3", "010000000000"],
  ["NSEC3PARAM", "010000000100ff"],
  ["DNAME", "c000"],
])("%s data %s cannot be read", (type, hex) =>
  expect(() => readData(type, Buffer.from(hex, "hex"))).toThrow(RangeError),
)

const nameBytes = fc
  .array(fc.uint8Array({ minLength: 1, maxLength: 8 }), { maxLength: 4 })
  .map((labels) =>
    Buffer.concat([...labels.map((label) => Buffer.from([label.length, ...label])), Buffer.of(0)]),
  )
const piece = fc.oneof(
  fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
  nameBytes,
  fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from([bytes.length, ...bytes])),
  fc.constantFrom(Buffer.of(0, 1), Buffer.of(0, 1, 0, 3, 2, 0x68, 0x32), Buffer.of(0, 4, 0, 4, 192, 0, 2, 1)),
)
const data = fc.array(piece, { maxLength: 6 }).map((pieces) => Buffer.concat(pieces))

test("any data can be read, printed and parsed to the same data again, or are refused by RangeError", () => {
  const seen = new Map<string, number>()
  fc.assert(
    fc.property(fc.constantFrom(...types), data, (type, wire) => {
      let read: ReturnType<typeof readData>
      try {
        read = readData(type, wire)
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(RangeError)
        return
      }
      seen.set(type, (seen.get(type) ?? 0) + 1)
      const again = parseData(type, read.text)
      expect(readData(type, again)).toEqual(read)
      // A bitmap may end in zeros, which say nothing.
      if (!type.startsWith("NSEC")) expect(again.toString("hex")).toBe(wire.toString("hex"))
    }),
    { numRuns: 20_000, seed: 27 },
  )
  expect(types.filter((type) => !seen.has(type))).toEqual([])
})

test("any data of random bytes, and text of random words, are read or refused", () => {
  const word = fc.oneof(
    fc.constantFrom("1", "65536", ".", "a.example.", "-", "\\#", '"', "\\", "alpn=h2", "port=1", "A", "abcd"),
    fc.string({ maxLength: 6 }),
  )
  fc.assert(
    fc.property(fc.constantFrom(...types), fc.array(word, { maxLength: 9 }), (type, words) => {
      try {
        expect(formatOf(type)).toBeDefined()
        readData(type, parseData(type, words.join(" ")))
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(Error)
        expect(thrown).not.toBeInstanceOf(TypeError)
      }
    }),
    { numRuns: 20_000, seed: 28 },
  )
})

test("types have their numbers, and those that are no data have none", () => {
  for (const [name, number] of Object.entries(typeNumbers)) expect<string>(typeNameOf(number)).toBe(name)
  expect(typeNameOf(41)).toBe("TYPE41")
  expect(["CAA", "TYPE257", "TYPE65279"].map(typeNumberOf)).toEqual([257, 257, 65_279])
  for (const type of ["TYPE0", "TYPE41", "TYPE128", "TYPE252", "TYPE255", "TYPE65280", "TYPE01", "TYPE99999"])
    expect(typeNumberOf(type)).toBeNull()
  for (const type of ["", "a", "ANY", "AXFR", "toString", "TYPE", "TYPE1e3", " A"])
    expect(typeNumberOf(type)).toBeNull()
})
