import { expect, test } from "bun:test"
import fc from "fast-check"
import { expectWithinProcessorMs } from "../../../test/support/processor-time.ts"
import { createZoneDns } from "../../ports/dns/zone.ts"
import type { DnsZone } from "../contract.ts"
import { causesOf, explainNearly, findMisplaced, isRecordOf, type TextRecordKind } from "./text-records.ts"

/** RFC 9989 §4.7, RFC 8461 §3.1, RFC 8460 §3, the draft of BIMI §4.3, RFC 7208 §4.5: how a record must begin. */
const versions: Readonly<Record<TextRecordKind, string>> = {
  dmarc: "v=DMARC1;",
  mtaSts: "v=STSv1;",
  tlsrpt: "v=TLSRPTv1;",
  bimi: "v=BIMI1;",
  spf: "v=spf1",
  dkim: "v=DKIM1;",
}
const kinds = Object.keys(versions) as TextRecordKind[]

test.each([
  ["dmarc", " v=DMARC1; p=none", "it begins with a blank"],
  ["dmarc", "\xc2\xa0v=DMARC1; p=none", "it begins with a blank"],
  ["dmarc", '"v=DMARC1; p=none"', "it begins with a quotation mark"],
  ["dmarc", '" v=DMARC1; p=none"', "it begins with a quotation mark, and it begins with a blank"],
  ["dmarc", "\xe2\x80\x9cv=DMARC1; p=none\xe2\x80\x9d", "it begins with a quotation mark"],
  ["dmarc", "v=DMARC1\\; p=none", "the backslash is a part of it"],
  ["dmarc", "v\\=DMARC1; p=none", "the backslash is a part of it"],
  ["dmarc", "v:DMARC1; p=none", "an equals sign must follow v"],
  ["dmarc", "v=dmarc1; p=none", "its case must be as in v=DMARC1"],
  ["dmarc", "v=DMARC1 p=none", "a semicolon must follow v=DMARC1"],
  ["dmarc", "v=DMARC1, p=none", "a semicolon must follow v=DMARC1"],
  ["dmarc", "v=dmarc1 p=none", "its case must be as in v=DMARC1, and a semicolon must follow v=DMARC1"],
  ["dmarc", "v=DMARC; p=none", "it must begin with v=DMARC1;"],
  ["dmarc", "v=DMARC2; p=none", "it must begin with v=DMARC1;"],
  ["dmarc", "p=none; v=DMARC1", "it must begin with v=DMARC1;"],
  ["dmarc", "p=none; rua=mailto:d@a.example", "it must begin with v=DMARC1;"],
  ["mtaSts", "v=STSv1", "a semicolon must follow v=STSv1"],
  ["mtaSts", "v=STSv1 id=1", "a semicolon must follow v=STSv1"],
  ["mtaSts", "v = STSv1; id=1", "there is a blank beside the equals sign"],
  ["mtaSts", "v=STSV1; id=1", "its case must be as in v=STSv1"],
  ["mtaSts", "id=1", "it must begin with v=STSv1;"],
  ["tlsrpt", "v=TLSRPTv1 ;rua=mailto:d@a.example", "a semicolon must follow v=TLSRPTv1"],
  ["tlsrpt", "v=TLS-RPTv1;rua=mailto:d@a.example", "it must begin with v=TLSRPTv1;"],
  ["bimi", "v=BIMI1 l=https://a.example/l.svg", "a semicolon must follow v=BIMI1"],
  ["spf", "v=spf1; -all", "a blank must follow v=spf1"],
  ["spf", "v = spf1 -all", "there is a blank beside the equals sign"],
  ["spf", "v=spf -all", "it must begin with v=spf1"],
  ["dmarc", "DMARC1; p=none", "v= is missing before DMARC1"],
  [
    "dmarc",
    '"dmarc1 p=none',
    "it begins with a quotation mark, and v= is missing before DMARC1, and a semicolon must follow v=DMARC1",
  ],
  ["spf", "spf1 -all", "v= is missing before spf1"],
  ["spf", "SPF1 include:a.example", "v= is missing before spf1"],
  ["tlsrpt", "TLSRPTv1;rua=mailto:d@a.example", "v= is missing before TLSRPTv1"],
  ["spf", "spf10 is a text", null],
  ["spf", "spf1-check=abc", null],
  ["dmarc", "google-site-verification=x", null],
  ["dmarc", "v=spf1 -all", null],
  ["dmarc", "v=DMARC1; p=none", null],
  ["spf", "include:a.example", null],
] as const)("causesOf of a text for %s: %s: %s", (kind, text, causes) =>
  expect(causesOf(kind, text)).toBe(causes),
)

test("causesOf names one or more mistakes in front of a record, and none for a record", () => {
  const mistakes: readonly ((text: string) => string)[] = [
    (text) => text.replace(/[a-z]+/gi, (word) => (word === "v" ? word : word.toLowerCase())),
    (text) => text.replace("=", ":"),
    (text) => text.replace(";", "\\;"),
    (text) => `"${text}"`,
    (text) => ` ${text}`,
  ]
  fc.assert(
    fc.property(fc.constantFrom(...kinds), fc.subarray([...mistakes]), fc.string(), (kind, some, rest) => {
      const record = `${versions[kind]} ${rest}`
      expect(causesOf(kind, record)).toBeNull()
      const text = some.reduce((before, spoil) => spoil(before), record)
      expect(causesOf(kind, text) === null).toBe(isRecordOf(kind, text))
    }),
    { numRuns: 2_000 },
  )
})

test("causesOf takes time in proportion to the text", async () => {
  for (const piece of [" ", '"', "\\", "v=", "v =", "; ", "=", "p=none "])
    for (const kind of kinds) {
      const text = piece.repeat(60_000 / piece.length)
      await expectWithinProcessorMs(100, () => causesOf(kind, text))
    }
})

test("a text that almost is a record is quoted, with control characters escaped; five at most", () => {
  const [first] = explainNearly("dmarc", "_dmarc.a.example", ["x", "v=DMARC1\\; p=none\x07"])
  const said = "is no DMARC record: the backslash is a part of it."
  expect(first).toBe(`'v=DMARC1\\; p=none\\007' of _dmarc.a.example ${said}`)
  const nine = Array.from({ length: 9 }, () => "v=DMARC")
  expect(explainNearly("dmarc", "_dmarc.a.example", nine)).toHaveLength(5)
})

const find = async (kind: TextRecordKind, place: string, zone: DnsZone) => {
  const dns = createZoneDns(zone)
  const own = await dns.resolve(place, "TXT")
  const found = await findMisplaced(
    kind,
    "a.example",
    place,
    own.kind === "records" ? own.records : [],
    (name) => dns.resolve(name, "TXT"),
  )
  return found.map(({ message }) => message)
}
test.each([
  [
    "dmarc",
    "_dmarc.a.example",
    "v=DMARC1; p=none",
    ["a.example", "dmarc.a.example", "_dmarc.a.example.a.example"],
  ],
  [
    "mtaSts",
    "_mta-sts.a.example",
    "v=STSv1; id=1",
    ["a.example", "mta-sts.a.example", "_mta_sts.a.example", "_mta-sts.a.example.a.example"],
  ],
  [
    "tlsrpt",
    "_smtp._tls.a.example",
    "v=TLSRPTv1; rua=mailto:d@a.example",
    ["a.example", "_tls.a.example", "smtp._tls.a.example", "_smtp_tls.a.example"],
  ],
  ["bimi", "default._bimi.a.example", "v=BIMI1; l=", ["a.example", "_bimi.a.example"]],
  [
    "dkim",
    "s1._domainkey.a.example",
    "k=rsa; p=AAAA",
    [
      ...["a.example", "_domainkey.a.example", "s1.a.example", "s1.domainkey.a.example"],
      "s1._domainkey.a.example.a.example",
    ],
  ],
  ["spf", "a.example", "v=spf1 -all", ["_dmarc.a.example", "a.example.a.example"]],
] as const)("findMisplaced: %s, which belongs to %s", async (kind, place, TXT, wrong) => {
  for (const name of wrong) {
    const found = await find(kind, place, { [name]: [{ TXT: "other" }, { TXT }] })
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(new RegExp(`^${name} has an? .*'${TXT}'. Its place is ${place}.$`))
  }
  expect(await find(kind, place, {})).toEqual([])
  expect(await find(kind, place, { "a.example": [{ TXT: "other" }], [`_x.${place}`]: [{ TXT }] })).toEqual([])
})

test("findMisplaced: a record of another kind in the place", async () =>
  expect(await find("dmarc", "_dmarc.a.example", { "_dmarc.a.example": [{ TXT: "v=spf1 -all" }] })).toEqual([
    "_dmarc.a.example has an SPF record, 'v=spf1 -all'. Its place is a.example.",
  ]))

test("findMisplaced: a place that the DNS does not answer for is passed over", async () => {
  const zone: DnsZone = { "a.example": ["SERVFAIL"], "dmarc.a.example": [{ TXT: "v=DMARC1; p=none" }] }
  expect(await find("dmarc", "_dmarc.a.example", zone)).toHaveLength(1)
})
