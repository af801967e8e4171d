import { expect, test } from "bun:test"
import type { DnsAnswer, DnsData, DnsType, DnsZone } from "../../apis/contract.ts"
import { createZoneDns } from "./zone.ts"

const dns = createZoneDns({
  "Example.com.": [
    { A: "192.0.2.1" },
    { A: "192.0.2.2" },
    { AAAA: "2001:DB8:0:0::1" },
    { AAAA: "::192.0.2.1" },
    { TXT: "v=spf1 -all" },
    { TXT: ["v=spf1 ", "include:\xff"] },
    { TXT: [] },
    { SPF: "old" },
    { MX: [10, "Mail.Example.com."] },
    { MX: [0, ""] },
  ],
  "deep.below.example.com": [],
  "1.2.0.192.in-addr.arpa": [{ PTR: "Host.example.com." }],
  "www.example.com": [{ CNAME: "WWW2.example.com" }],
  "www2.example.com": [{ CNAME: "example.com" }],
  "dead.example.com": [{ CNAME: "nowhere.example" }],
  "loop.example.com": [{ CNAME: "pool.example.com" }],
  "pool.example.com": [{ CNAME: "loop.example.com" }],
  "self.example.com": [{ CNAME: "self.example.com" }],
  "slow.example.com": ["TIMEOUT"],
  "broken.example.com": ["SERVFAIL"],
  "closed.example.com": ["REFUSED"],
  "toslow.example.com": [{ CNAME: "slow.example.com" }],
  "half.example.com": [{ TXT: "here" }, "TIMEOUT"],
})

const ask = (name: string, type: DnsType): Promise<DnsAnswer> => dns.resolve(name, type)
const records = (...list: DnsData[DnsType][]): DnsAnswer => ({
  kind: "records",
  records: list,
  messageBytes: 0,
})

test("records keep the order and spelling of the fixture; addresses and names get one form", async () => {
  expect(await ask("example.com", "A")).toEqual(records("192.0.2.1", "192.0.2.2"))
  expect(await ask("example.com", "AAAA")).toEqual(records("2001:db8::1", "::c000:201"))
  expect(await ask("example.com", "TXT")).toEqual(records("v=spf1 -all", "v=spf1 include:\xff", ""))
  expect(await ask("example.com", "SPF")).toEqual(records("old"))
  expect(await ask("example.com", "MX")).toEqual(
    records({ preference: 10, exchange: "Mail.Example.com" }, { preference: 0, exchange: "" }),
  )
  expect(await ask("1.2.0.192.in-addr.arpa", "PTR")).toEqual(records("Host.example.com"))
})

test.each(["example.com", "EXAMPLE.COM", "example.com.", "www.example.com"])(
  "records are found as %s",
  async (name) => expect(await ask(name, "SPF")).toEqual(records("old")),
)

test("records cannot be changed by callers", async () => {
  const answer = await ask("example.com", "MX")
  expect(answer.kind === "records" && Object.isFrozen(answer.records)).toBe(true)
  expect(answer.kind === "records" && Object.isFrozen(answer.records[0])).toBe(true)
})

test.each([
  ["www.example.com", "PTR", "nodata"],
  ["example.com", "PTR", "nodata"],
  // Names with others below them exist (RFC 8020).
  ["below.example.com", "A", "nodata"],
  ["com", "A", "nodata"],
  ["deep.below.example.com", "A", "nodata"],
  ["nowhere.example", "A", "nxdomain"],
  ["x.deep.below.example.com", "A", "nxdomain"],
  ["dead.example.com", "A", "nxdomain"],
  ["loop.example.com", "A", "nodata"],
  ["self.example.com", "A", "nodata"],
  ["", "A", "nxdomain"],
  [".", "A", "nxdomain"],
  ["a..example.com", "A", "nxdomain"],
  [`${"a".repeat(64)}.example.com`, "A", "nxdomain"],
] as const)("%s %s is answered %s", async (name, type, kind) =>
  expect(await ask(name, type)).toEqual({ kind }),
)

test.each([
  ["slow.example.com", "timeout"],
  ["broken.example.com", "servfail"],
  ["closed.example.com", "refused"],
  ["toslow.example.com", "timeout"],
  ["half.example.com", "timeout"],
] as const)("%s fails by %s, at once", async (name, reason) =>
  expect(await ask(name, "A")).toEqual({ kind: "failure", reason }),
)

test("a word does not hide the records of other types", async () =>
  expect(await ask("half.example.com", "TXT")).toEqual(records("here")))

test("a chain of aliases ends after ten", async () => {
  const zone: Record<string, DnsZone[string]> = { "n0.test": [{ A: "192.0.2.1" }] }
  for (let index = 1; index <= 11; index++) zone[`n${index}.test`] = [{ CNAME: `n${index - 1}.test` }]
  const chained = createZoneDns(zone)
  const reached: DnsAnswer = await chained.resolve("n10.test", "A")
  expect(reached).toEqual(records("192.0.2.1"))
  expect(await chained.resolve("n11.test", "A")).toEqual({ kind: "failure", reason: "servfail" })
})

test("an aborted call is answered aborted", async () =>
  expect(await dns.resolve("example.com", "A", AbortSignal.abort())).toEqual({
    kind: "failure",
    reason: "aborted",
  }))

test.each<[DnsZone, string]>([
  [{ "a..b": [] }, "'a..b' is not a domain name"],
  [{ a: [{ A: "192.0.2" }] }, "entry 1 of 'a' must have an IPv4 address, not \"192.0.2\""],
  [{ a: ["TIMEOUT", { AAAA: "192.0.2.1" }] }, "entry 2 of 'a' must have an IPv6 address, not \"192.0.2.1\""],
  [{ a: [{ AAAA: "fe80::1%eth0" }] }, "must have an IPv6 address"],
  [{ a: [{ TXT: "€" }] }, 'must have characters from U+0000 to U+00FF only, not "€"'],
  [{ a: [{ TXT: ["ok", "ā"] }] }, "must have characters"],
  [{ a: [{ MX: [65_536, "b"] }] }, "must have [preference from 0 to 65535, name]"],
  [{ a: [{ MX: [1.5, "b"] }] }, "must have [preference from 0 to 65535, name]"],
  [{ a: [{ MX: [1, "b..c"] }] }, 'must have a domain name, not "b..c"'],
  [{ a: [{ PTR: "" }] }, "must have a domain name"],
  [{ a: [{ CNAME: "." }] }, "must have a domain name"],
])("%j is refused", (zone, message) => expect(() => createZoneDns(zone)).toThrow(message))
