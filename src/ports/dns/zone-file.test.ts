import { expect, test } from "bun:test"
import fc from "fast-check"
import { expectWithinProcessorMs, leastProcessorMs } from "../../../test/support/processor-time.ts"
import { readPlacedYaml } from "../../config/placed-text.ts"
import { parseWebFixture } from "../web/fixture-file.ts"
import { createZoneDns } from "./zone.ts"
import { parseZone } from "./zone-file.ts"

test("reads names, records and words", () => {
  const zone = parseZone(`
# the zone of the test
example.com:
  - A: 192.0.2.1
  - TXT: v=spf1 ip4:192.0.2.0/24 -all
  - TXT: ["v=spf1 ", "-all"]
  - SPF: "\\xff"
  - MX: [10, mail.example.com]
www.example.com: [CNAME: example.com]
5.2.0.192.in-addr.arpa:
  - PTR: host.example.com.
slow.example.com: [TIMEOUT]
empty.example.com: []
1.0:
  - AAAA: CAFE::1
__proto__.example: [REFUSED]
`)
  expect(zone).toEqual({
    "example.com": [
      { A: "192.0.2.1" },
      { TXT: "v=spf1 ip4:192.0.2.0/24 -all" },
      { TXT: ["v=spf1 ", "-all"] },
      { SPF: "\xff" },
      { MX: [10, "mail.example.com"] },
    ],
    "www.example.com": [{ CNAME: "example.com" }],
    "5.2.0.192.in-addr.arpa": [{ PTR: "host.example.com." }],
    "slow.example.com": ["TIMEOUT"],
    "empty.example.com": [],
    "1.0": [{ AAAA: "CAFE::1" }],
    "__proto__.example": ["REFUSED"],
  })
  expect(() => createZoneDns(zone)).not.toThrow()
})

test("reads JSON, aliases and empty zones", () => {
  const json = '{"a": [{"A": "192.0.2.1"}, "SERVFAIL"]}'
  expect(parseZone(json)).toEqual({ a: [{ A: "192.0.2.1" }, "SERVFAIL"] })
  const zone = { a: [{ A: "192.0.2.1" }], b: [{ A: "192.0.2.1" }], c: [] }
  expect(parseZone("a: &x [A: 192.0.2.1]\nb: *x\nc: []")).toEqual(zone)
  expect(parseZone("")).toEqual({})
  expect(parseZone("# nothing\n")).toEqual({})
  expect(parseZone("{}")).toEqual({})
})

test.each([
  ["a: [\n", "line 2: "],
  ["a: []\nb: []\na: []\n", "line 3: Map keys must be unique"],
  ["- a\n", "line 1: a zone must be a mapping from names to lists of records"],
  ["text", "line 1: a zone must be a mapping"],
  ["a: []\nb..c: []\n", "line 2: 'b..c' is not a domain name"],
  ["? [a]\n: []\n", "line 1: '' is not a domain name"],
  ["a: TIMEOUT\n", "line 1: 'a' must have a list of records; [] when it has none"],
  ["a:\n", "line 1: 'a' must have a list of records"],
  ["a: *b\n", "line 1: "],
  [
    "a:\n  - A: 192.0.2.1\n  - A: 192.0.2\n",
    "line 3: an entry of 'a' must have an IPv4 address, not \"192.0.2\"",
  ],
  ["a:\n  - TXT: 5\n", "line 2: an entry of 'a' must have text, in quotes if need be, not 5"],
  ["a:\n  - TXT: [b, {}]\n", "line 2: an entry of 'a' must have text"],
  ["a:\n  - TXT:\n", "line 2: an entry of 'a' must have text, in quotes if need be, not null"],
  [
    "a:\n  - SLOW\n",
    "line 2: an entry of 'a' must be TYPE: data, or one of TIMEOUT, SERVFAIL, REFUSED, not \"SLOW\"",
  ],
  [
    "a:\n  - ANY: b\n",
    "line 2: an entry of 'a' must have one of the types A, AAAA, TXT, SPF, MX, PTR, CNAME, NS, SOA, SRV, NAPTR, DNAME, DS, SSHFP, RRSIG, NSEC, DNSKEY, NSEC3, NSEC3PARAM, TLSA, SVCB, HTTPS, CAA, TYPE and a number, or ANSWER, not \"ANY\"",
  ],
  ["a:\n  - NS: b c\n", 'must have nothing after its data, not "c" in "b c"'],
  ["a:\n  - CAA: 0 issue\n", 'must have more words in "0 issue"'],
  ["a:\n  - CAA: [0, issue, b]\n", 'must have data as in a zone file, not [0,"issue","b"]'],
  ["a:\n  - SRV: 1 2 65536 b\n", 'must have a number from 0 to 65535, not "65536" in "1 2 65536 b"'],
  ["a:\n  - HTTPS: 1 . key9=a key9=b\n", "must have HTTPS data of the right form in"],
  ["a:\n  - TYPE255: a\n", 'not "TYPE255"'],
  ["a:\n  - ANSWER: {type: A}\n", "must have {type: a record type, message: a DNS message in base64}"],
  ["a:\n  - ANSWER: {type: A, message: AAAA}\n", "must have a DNS message that answers the name's A"],
  ["a:\n  - A: 192.0.2.1\n    B: c\n", "line 2: an entry of 'a' must be one TYPE: data"],
  ["a:\n  - {}\n", "line 2: an entry of 'a' must be one TYPE: data"],
  ["a:\n  -\n", "an entry of 'a' must be one TYPE: data"],
  ["a:\n  - [A]\n", "line 2: an entry of 'a' must have one of the types"],
  [
    "a:\n  - MX: mail\n",
    "line 2: an entry of 'a' must have [preference from 0 to 65535, name], not \"mail\"",
  ],
  ['a:\n  - MX: ["10", b]\n', "line 2: an entry of 'a' must have [preference"],
  ["a: []\n---\nb: []\n", "line 2: a zone must be one document"],
  ["a:\n  - CNAME: b\n  - CNAME: c\n", "line 3: an entry of 'a' repeats the CNAME: a name has one"],
  ["a:\n  - A: 192.0.2.1\n  - TIMEOUT\n  - SERVFAIL\n", "line 4: an entry of 'a' repeats the failure"],
  ["a: [CNAME: b]\nA: [CNAME: c]\n", "line 2: an entry of 'A' repeats the CNAME"],
])("%j is refused, and the line named", (text, message) => expect(() => parseZone(text)).toThrow(message))

test.each([
  ["lists", "line 2", `\n${"[".repeat(5_000)}`],
  ["mappings", "line 2", `a:\n  - TXT: ${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`],
  ["items of lines", "line 2", `a:\n  ${"- ".repeat(5_000)}`],
  ["keys", "line 1", "? ".repeat(5_000)],
])("5,000 levels of %s are refused before they are read", (_, line, text) =>
  expect(() => parseZone(text)).toThrow(`${line}: a zone must have at most 20 levels`),
)

test.each([
  ["a zone", (index: number) => `n${index}.example: [A: 192.0.2.1]\n`, parseZone],
  ["replies", (index: number) => `https://n${index}.example/: {body: x}\n`, parseWebFixture],
  ["a seed", (index: number) => `n${index}: 1\n`, readPlacedYaml],
])("the time to read %s does not grow with the square of its keys", async (_, lineOf, read) => {
  const textOf = (count: number) => Array.from({ length: count }, (_, index) => lineOf(index)).join("")
  const [few, many] = [textOf(1_000), textOf(16_000)]
  const fewMs = await leastProcessorMs(() => read(few))
  // 16 times as many keys take 16 times as long, and not 256 times.
  await expectWithinProcessorMs(64 * fewMs, () => read(many))
})

test("records that aliases copy count", () => {
  const list = `n.example: &n\n${"  - A: 192.0.2.1\n".repeat(300)}`
  const copies = (count: number) =>
    Array.from({ length: count }, (_, index) => `c${index}.example: *n\n`).join("")
  expect(Object.keys(parseZone(list + copies(165)))).toHaveLength(166)
  expect(() => parseZone(list + copies(2_000))).toThrow("line 467: a zone must have at most 50,000 records")
})

test("a record with a key twice is refused", () =>
  expect(() => parseZone("a:\n  - A: 192.0.2.1\n    A: 192.0.2.2\n")).toThrow(
    "line 3: Map keys must be unique",
  ))

test("aliases that multiply are refused", () => {
  const layers = Array.from({ length: 12 }, (_, index) => {
    const inner =
      index === 0
        ? "x"
        : Array(12)
            .fill(`*n${index - 1}`)
            .join(", ")
    return `    - &n${index} [${inner}]`
  })
  expect(() => parseZone(`a:\n  - TXT:\n${layers.join("\n")}\n`)).toThrow("line 2: an entry of 'a'")
})

test("any text gives a zone that can be served, or an error that names the line", () => {
  const parts = ["- ", "\n", "  ", "TXT: ", "A: "]
  const word = fc.constantFrom(..."a b.c : [ ] * &x A: 192.0.2.1 TIMEOUT".split(" "), ...parts)
  const text = fc.oneof(
    fc.string(),
    fc.array(word, { maxLength: 15 }).map((words) => words.join("")),
  )
  fc.assert(
    fc.property(text, (yaml) => {
      let message = ""
      try {
        createZoneDns(parseZone(yaml))
      } catch (thrown) {
        message = thrown instanceof Error ? thrown.message : ""
        expect(message).toMatch(/^line \d+: ./)
      }
    }),
    { numRuns: 1000 },
  )
})
