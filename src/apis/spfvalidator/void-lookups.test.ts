/** Void look-ups are counted for the client's address family, as check_host() does (RFC 7208 §4.6.4, §5.3). */
import { expect, test } from "bun:test"
import { validateIn } from "../../../test/spf/support.ts"
import type { DnsZone, ZoneEntry } from "../contract.ts"

const four = "192.0.2.1"
const six = "2001:db8::1"

/** A zone with this record and three hosts, all with these entries. */
function hosts(record: string, ...entries: readonly ZoneEntry[]): DnsZone {
  return { "d.example": [{ TXT: record }], "x.example": entries, "y.example": entries, "z.example": entries }
}

const threeHosts = "v=spf1 a:x.example a:y.example a:z.example -all"

async function codesOf(zone: DnsZone, ip?: string) {
  const report = await validateIn(zone, { domain: "d.example", ...(ip !== undefined && { ip }) })
  return {
    issues: report.issues_found.map(({ code, severity, term }) => `${code} ${severity} ${term}`),
    messages: report.issues_found.map(({ message }) => message),
    result: report.ip_result,
    valid: report.spf_valid,
  }
}

test.each([
  ["IPv4", { AAAA: "2600:1400::1" }, four, six],
  ["IPv6", { A: "93.184.215.14" }, six, four],
] as const)(
  "three hosts of one family with %s addresses missing: a permerror for its clients, and an issue for each host",
  async (family, entry, broken, fine) => {
    const zone = hosts(threeHosts, entry)
    const shown = await codesOf(zone)
    expect(shown.issues).toEqual([
      "TOO_MANY_VOID_LOOKUPS warning null",
      "VOID_LOOKUP warning a:x.example",
      "VOID_LOOKUP warning a:y.example",
      "VOID_LOOKUP warning a:z.example",
    ])
    expect(shown.messages[0]).toStartWith(`3 look-ups find nothing for ${family} clients`)
    expect(shown.messages[1]).toStartWith(`'a:x.example' finds nothing for ${family} clients at 'x.example';`)
    // Clients of the other family get a result.
    expect(shown.valid).toBe(true)
    expect(await codesOf(zone, fine)).toMatchObject({ result: "fail", valid: true })
    expect(await codesOf(zone, broken)).toMatchObject({ result: "permerror", valid: false })
  },
)

test("three hosts of one family: two such hosts are within the limit and not an issue", async () => {
  const zone = hosts("v=spf1 a:x.example a:y.example -all", { A: "93.184.215.14" })
  expect(await codesOf(zone, six)).toEqual({ issues: [], messages: [], result: "fail", valid: true })
})

test("three hosts of one family: a look-up that finds nothing for either family counts for both", async () => {
  const record = "v=spf1 a:x.example a:y.example exists:no.example -all"
  const shown = await codesOf(hosts(record, { A: "93.184.215.14" }))
  expect(shown.issues).toEqual([
    "TOO_MANY_VOID_LOOKUPS warning null",
    "VOID_LOOKUP warning a:x.example",
    "VOID_LOOKUP warning a:y.example",
    "VOID_LOOKUP warning exists:no.example",
  ])
  expect(shown.messages[0]).toContain("for IPv6 clients")
  expect(shown.messages[3]).not.toContain("clients")
})

test("three hosts of one family: a domain included twice counts twice, as it does for a receiver", async () => {
  const zone = {
    ...hosts("v=spf1 include:e.example include:e.example -all", { AAAA: "2600:1400::1" }),
    "e.example": [{ TXT: "v=spf1 a:x.example a:y.example ~all" }],
  }
  expect((await codesOf(zone)).messages[0]).toStartWith("4 look-ups find nothing for IPv4 clients")
  expect((await codesOf(zone, four)).result).toBe("permerror")
})

test("three hosts without any address are a permerror for every client", async () => {
  const shown = await codesOf(hosts(threeHosts), six)
  expect(shown).toMatchObject({ result: "permerror", valid: false })
  expect(shown.issues[0]).toBe("TOO_MANY_VOID_LOOKUPS error null")
  expect(shown.messages[0]).not.toContain("clients")
})

const zone = (record: string, ...exchangers: readonly string[]): DnsZone => ({
  "d.example": [{ TXT: record }, ...exchangers.map((name, n): ZoneEntry => ({ MX: [n, name] }))],
  "ok.example": [{ AAAA: "2600:1400::1" }],
  "down.example": ["SERVFAIL"],
})

test("mail exchangers: an exchanger without an address is an issue, but not a void look-up: that limit counts terms", async () => {
  const shown = await codesOf(zone("v=spf1 mx mx mx -all", "Dead.example", "ok.example"), four)
  const found = shown.issues.filter((issue) => issue.startsWith("VOID"))
  expect(found).toEqual(Array(3).fill("VOID_LOOKUP warning mx"))
  expect(shown.messages[0]).toStartWith("'mx' finds nothing at its mail exchanger 'dead.example';")
  expect(shown).toMatchObject({ result: "fail", valid: true })
  expect(shown.issues.join()).not.toContain("TOO_MANY")
})

test("mail exchangers: an exchanger with an address of one family is not an issue", async () =>
  expect((await codesOf(zone("v=spf1 mx -all", "ok.example"))).issues).toEqual([]))

test("mail exchangers: an exchanger whose look-up fails is a temporary error that names it", async () => {
  const shown = await codesOf(zone("v=spf1 mx -all", "down.example"), four)
  expect(shown).toMatchObject({ issues: ["DNS_TEMPFAIL error mx"], result: "temperror", valid: false })
  expect(shown.messages[0]).toContain("'down.example'")
})

test("a record is not valid when the check of the address alone ends in an error", async () => {
  // An address without names says nothing about the record, but the check counts three void look-ups.
  const zone = { "d.example": [{ TXT: "v=spf1 ptr ptr:e.example ptr:f.example -all" }] }
  expect(await codesOf(zone)).toMatchObject({ valid: true })
  expect(await codesOf(zone, four)).toMatchObject({ result: "permerror", valid: false })
})
