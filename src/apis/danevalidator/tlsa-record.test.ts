import { describe, expect, test } from "bun:test"
import { keySha256 as digest } from "../../../test/data/tlsa-samples.ts"
import { parseTlsaRecord } from "./tlsa-record.ts"

const owner = "_25._tcp.mail.example.com."
const half = digest.length / 2
const split = `${digest.slice(0, half - 1)} ${digest.slice(half - 1)}`

test.each([
  `${owner} 3600 IN TLSA 3 1 1 ${digest}`,
  `_25._tcp.mail.example.com 3600 IN TLSA 3 1 1 ${digest}`,
  `${owner}\t3600\tIN\tTLSA\t3\t1\t1\t${digest}`,
  `\n  ${owner}   3600  in  tlsa  3 1 1   ${digest}  \r\n`,
  `${owner} IN 3600 TLSA 3 1 1 ${digest}`,
  `${owner} CLASS1 3600 TLSA 3 1 1 ${digest}`,
  `${owner} 1h IN TLSA 3 1 1 ${digest}`,
  `${owner} 59M60s in TLSA 3 1 1 ${digest}`,
  `${owner} 3600 IN TLSA 3 1 1 ${split}`,
  `${owner} 3600 IN TLSA 3 1 1 ${digest.split("").join(" ")}`,
  `${owner} 3600 IN TLSA ( 3 1 1 ; leaf key\n  ${split.replace(" ", " ; first half\n ")} ) ; end`,
  `${owner} 3600 IN TLSA 03 01 001 ${digest}`,
  `${owner} 3600 IN TYPE52 3 1 1 ${digest}`,
  `${owner} 3600 IN TYPE52 \\# 35 030101${digest}`,
  `${owner} 3600 IN TLSA \\# 35 03 0101 ${split}`,
  `${owner} 3600 IN type52 \\# ( 35\n 030101 ${split} )`,
])("every way of writing the same record: %j", (text) =>
  expect(parseTlsaRecord(text)).toEqual({
    owner: { name: owner, port: 25, protocol: "tcp", hostname: "mail.example.com" },
    ttl: 3600,
    class: "IN",
    usage: 3,
    selector: 1,
    matching: 1,
    data: digest,
  }),
)

test.each<[written: string, ttl: number | null, rrClass: string]>([
  ["", null, "IN"],
  ["IN", null, "IN"],
  ["0", 0, "IN"],
  ["007", 7, "IN"],
  ["2147483647", 2_147_483_647, "IN"],
  ["1w2d3h4m5s CH", 788_645, "CH"],
  ["hs", null, "HS"],
  ["CLASS3 1D", 86_400, "CH"],
  ["class32", null, "CLASS32"],
])("TTL and class: %j", (written, ttl, rrClass) =>
  expect(parseTlsaRecord(`${owner} ${written} TLSA 3 1 1 ${digest}`)).toMatchObject({ ttl, class: rrClass }),
)

test.each<[rdata: string, ...numbers: [number, number, number], data: string]>([
  ["256 -1 3 ab", 256, -1, 3, "ab"],
  ["99999999999999999999 -9007199254740993 1 ab", 1e20, -9_007_199_254_740_992, 1, "ab"],
  // The greatest that a number in JSON can be for most readers.
  [
    `${"9".repeat(400)} -${"9".repeat(400)} ${"0".repeat(400)}1 ab`,
    Number.MAX_VALUE,
    -Number.MAX_VALUE,
    1,
    "ab",
  ],
  ["-0 00 0 AbCd", 0, 0, 0, "AbCd"],
  ["255 255 255 0xAB zz", 255, 255, 255, "0xABzz"],
  ['3 1 1 "ab cd"', 3, 1, 1, '"ab cd"'],
  ["3 1 1 ab:cd", 3, 1, 1, "ab:cd"],
  ["\\# 4 ffFE0Azz", 255, 254, 10, "zz"],
])("the content of fields is not checked: %j", (rdata, usage, selector, matching, data) => {
  const record = parseTlsaRecord(`${owner} TLSA ${rdata}`)
  expect(record).toMatchObject({ usage, selector, matching, data })
  // -0 would be written "-0" in YAML.
  expect(Object.is(record.usage, -0)).toBe(false)
})

describe("text without the form of a TLSA record is rejected with the reason", () => {
  test.each<[text: string, requirement: string]>([
    ["", "must be a TLSA record"],
    ["; nothing", "must be a TLSA record"],
    [`$ORIGIN example.com.\n_25._tcp.mail TLSA 3 1 1 ${digest}`, "must be one record"],
    ["$TTL 3600", "without $ORIGIN or $TTL"],
    [`"${owner} 3600 IN TLSA 3 1 1 ${digest}"`, "no quotes around it"],
    [`3 1 1 ${digest}`, "must begin with the owner name"],
    [`TLSA 3 1 1 ${digest}`, "must begin with the owner name"],
    [`IN TLSA 3 1 1 ${digest}`, "must begin with the owner name"],
    [`3600 IN TLSA 3 1 1 ${digest}`, "must begin with the owner name"],
    [`mail.example.com. TLSA 3 1 1 ${digest}`, "must begin with an owner name of the form"],
    [owner, "must contain the word TLSA"],
    [`${owner} 3600 IN 3 1 1 ${digest}`, "must contain the word TLSA"],
    ["hello world", "of type TLSA, not WORLD"],
    ["mail.example.com. 3600 IN A 192.0.2.1", "of type TLSA, not A"],
    [`aa._smimecert.example.com. IN SMIMEA 3 1 1 ${digest}`, "SMIMEA is a different type"],
    [`aa._smimecert.example.com. IN TYPE53 3 1 1 ${digest}`, "SMIMEA is a different type"],
    [`${owner} IN IN TLSA 3 1 1 ${digest}`, "one TTL and one class"],
    [`${owner} 1 2 TLSA 3 1 1 ${digest}`, "one TTL and one class"],
    [`${owner} 1h30 IN TLSA 3 1 1 ${digest}`, "one TTL and one class"],
    [`${owner} -1 IN TLSA 3 1 1 ${digest}`, "one TTL and one class"],
    [`${owner} ${"0w".repeat(51)} IN TLSA 3 1 1 ${digest}`, "a TTL of at most 100 characters"],
    [`${owner} CLASS65536 TLSA 3 1 1 ${digest}`, "one TTL and one class"],
    [`${owner} 2147483648 IN TLSA 3 1 1 ${digest}`, "at most 2147483647 seconds"],
    [`${owner} 9999w TLSA 3 1 1 ${digest}`, "at most 2147483647 seconds"],
    [`${owner} TLSA`, "usage, selector, matching type, certificate data"],
    [`${owner} TLSA 3 1`, "fields after TLSA: matching type, certificate data"],
    [`${owner} TLSA 3 1 1`, "fields after TLSA: certificate data"],
    [`${owner} TLSA 3 1 1 ; ${digest}`, "fields after TLSA: certificate data"],
    [`${owner} TLSA 3 1 ${digest} 00`, "whole number as matching type"],
    [`${owner} TLSA three 1 1 ${digest}`, "whole number as usage"],
    [`${owner} TLSA 1.5 1 1 ${digest}`, "whole number as usage"],
    [`${owner} TLSA 3 0x1 1 ${digest}`, "whole number as selector"],
    [`${owner} TLSA DANE-EE SPKI SHA2-256 ${digest}`, "whole number as usage: 3 instead of DANE-EE"],
    [`${owner} TLSA 3 spki 1 ${digest}`, "whole number as selector: 1 instead of SPKI"],
    [`${owner} TLSA 3 1 SHA-512 ${digest}`, "whole number as matching type: 2 instead of SHA-512"],
    [`${owner} TLSA \\# 34 030101${digest}`, "must have 68 hexadecimal digits after \\# 34, not 70"],
    [`${owner} TLSA \\# 35 030101${digest.slice(1)}`, "must have 70 hexadecimal digits after \\# 35, not 69"],
    [`${owner} TLSA \\# 3 030101`, "usage, selector, matching type and certificate data after \\#"],
    [`${owner} TLSA \\# 0`, "usage, selector, matching type and certificate data after \\#"],
    [`${owner} TLSA \\#`, "must have the count of bytes after \\#"],
    [`${owner} TLSA \\# 4 03010z00`, "must have hexadecimal digits after \\#"],
  ])("%j", (text, requirement) => expect(() => parseTlsaRecord(text)).toThrow(requirement))
})
