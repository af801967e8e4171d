/** Every kind of issue with records that have it, and records that come close but do not have it. */
import { describe, expect, test } from "bun:test"
import { answering, records, txt, validateIn } from "../../../test/spf/support.ts"
import type { Dns, DnsZone, ZoneEntry } from "../contract.ts"
import { toDisplayText } from "../mail/tag-list.ts"
import { type IssueCode, issueKinds, toFinding } from "./issues.ts"
import { limits } from "./record.ts"
import type { SpfInput } from "./schema.ts"

const host: DnsZone = { "h.example": [{ A: "93.184.215.14" }], "m.example": [{ MX: [10, "h.example"] }] }

/** A zone with the record of d.example, a host and a mail exchanger. */
function dnsOf(record: string, more: DnsZone = {}): DnsZone {
  return { "d.example": [{ TXT: record }], ...host, ...more }
}

type Shown = readonly [
  code: IssueCode,
  term: string | null,
  /** The record of d.example, or everything that the DNS has. */
  zone: string | DnsZone | Dns,
  /** Where the domain, the severity or the input is not the usual one. */
  unusual?: { readonly domain?: string; readonly severity?: string; readonly input?: Partial<SpfInput> },
]

const many = (count: number, term: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => term(index)).join(" ")

const texts = (...all: string[]) => all.map((TXT) => ({ TXT }))
const eleven = Array.from({ length: 11 }, (_, n): ZoneEntry => ({ MX: [n, "h.example"] }))
const elevenNames = Array.from({ length: 11 }, (_, n) => ({ PTR: `p${n}.example` }))

const shown: readonly Shown[] = [
  ["NO_RECORD", null, { "d.example": [{ A: "93.184.215.14" }] }],
  ["NO_RECORD", null, {}],
  [
    "SUBDOMAIN_NO_RECORD",
    null,
    { "d.example": texts("v=spf1 -all"), "www.d.example": [{ A: "93.184.215.14" }] },
    { domain: "www.d.example", input: { domain: "www.d.example" } },
  ],
  [
    "WRONG_PLACE",
    "v=spf1 -all",
    records({ "_dmarc.d.example": "v=spf1 -all" }),
    { domain: "_dmarc.d.example" },
  ],
  ["WRONG_PLACE", "v=DMARC1; p=none", { "d.example": [{ TXT: "v=DMARC1; p=none" }] }],
  ["MULTIPLE_RECORDS", null, { "d.example": texts("v=spf1 -all", "v=spf1 ~all") }],
  ["DNS_TEMPFAIL", "a:x.example", dnsOf("v=spf1 a:x.example -all", { "x.example": ["SERVFAIL"] })],
  ["DNS_TEMPFAIL", "include:x.example", dnsOf("v=spf1 include:x.example -all", { "x.example": ["TIMEOUT"] })],
  ["DNS_TEMPFAIL", "redirect=x.example", dnsOf("v=spf1 redirect=x.example", { "x.example": ["REFUSED"] })],
  ["SYNTAX_ERROR", "=all", "v=spf1 =all -all"],
  ["UNKNOWN_MECHANISM", "inlcude:h.example", "v=spf1 inlcude:h.example -all"],
  ["NON_ASCII", "a:café.example", "v=spf1 a:caf\xc3\xa9.example -all"],
  ["CONTROL_OR_TAB", "a:h.example\\009-all", "v=spf1 a:h.example\t-all"],
  ["MISSING_SPACE", "ip4:93.184.215.14~all", "v=spf1 ip4:93.184.215.14~all"],
  ["MISSING_SPACE", "v=spf1mx -all", "v=spf1mx -all"],
  ["BAD_VERSION_TAG", "v=spf2 -all", "v=spf2 -all"],
  ["BAD_VERSION_TAG", ' "v=spf1 -all"', ' "v=spf1 -all"'],
  ["BAD_VERSION_TAG", "v=spf10", "v=spf10"],
  ["INVALID_IP", "ip4:300.1.1.1", "v=spf1 ip4:300.1.1.1 -all"],
  ["INVALID_CIDR", "ip4:93.184.215.14/33", "v=spf1 ip4:93.184.215.14/33 -all"],
  ["INVALID_DOMAIN_SPEC", "a:museum", "v=spf1 a:museum -all"],
  ...["include:https://a.example", "a:http://a.example", "mx:mail@a.example", "include:x@a.example"].map(
    (term) => ["INVALID_DOMAIN_SPEC", term, `v=spf1 ${term} -all`] as const,
  ),
  ["INVALID_DOMAIN_SPEC", `a:${"x".repeat(64)}.example`, `v=spf1 a:${"x".repeat(64)}.example -all`],
  ["INVALID_MACRO", "exists:%{z}.example", "v=spf1 exists:%{z}.example -all"],
  ["DUPLICATE_MODIFIER", "exp=m.example", "v=spf1 exp=h.example exp=m.example -all"],
  ["TOO_MANY_LOOKUPS", null, `v=spf1 ${"mx:m.example ".repeat(11)}-all`],
  ["LOOKUPS_NEAR_LIMIT", null, `v=spf1 ${"mx:m.example ".repeat(9)}-all`],
  ["LOOKUPS_NEAR_LIMIT", null, `v=spf1 ${"mx:m.example ".repeat(10)}-all`],
  ["TOO_MANY_VOID_LOOKUPS", null, `v=spf1 ${many(3, (n) => `a:x${n}.example`)} -all`],
  ["VOID_LOOKUP", "mx:h.example", "v=spf1 mx:h.example -all"],
  ["MISSING_SPACE", "include:d.exampleinclude:h.example", "v=spf1 include:d.exampleinclude:h.example -all"],
  ["UNKNOWN_MODIFIER", "v=spf1", "v=spf1 a:h.example -all v=spf1 mx:m.example -all", { severity: "warning" }],
  ["UNKNOWN_MODIFIER", "redirct=h.example", "v=spf1 redirct=h.example -all", { severity: "warning" }],
  ["MX_OVER_10", "mx:x.example", dnsOf("v=spf1 mx:x.example -all", { "x.example": eleven })],
  [
    "PTR_NAMES_OVER_10",
    "ptr",
    dnsOf("v=spf1 ptr -all", { "14.215.184.93.in-addr.arpa": elevenNames }),
    { input: { ip: "93.184.215.14" } },
  ],
  ["INCLUDE_NO_RECORD", "include:h.example", "v=spf1 include:h.example -all"],
  ["INCLUDE_NO_RECORD", "include:no.example", "v=spf1 include:no.example -all"],
  ["REDIRECT_NO_RECORD", "redirect=h.example", "v=spf1 redirect=h.example"],
  ["INCLUDE_LOOP", "include:d.example", "v=spf1 include:d.example -all"],
  [
    "INCLUDE_LOOP",
    "redirect=D.example",
    records({ "d.example": "v=spf1 include:e.example -all", "e.example": "v=spf1 redirect=D.example" }),
    { domain: "e.example" },
  ],
  [
    "DUPLICATE_INCLUDE",
    "include:E.example",
    records({
      "d.example": "v=spf1 include:e.example include:f.example -all",
      "e.example": "v=spf1 ~all",
      "f.example": "v=spf1 include:E.example ~all",
    }),
    { domain: "f.example" },
  ],
  ["DUPLICATE_TERM", "-A:H.example", "v=spf1 a:h.example -A:H.example -all"],
  ["DUPLICATE_TERM", "ip4:93.184.215.14/32", "v=spf1 ip4:93.184.215.14 ip4:93.184.215.14/32 -all"],
  ["DUPLICATE_TERM", "-ip4:93.184.215.14", "v=spf1 ip4:93.184.0.0/16 -ip4:93.184.215.14 -all"],
  ["DUPLICATE_TERM", "ip6:2606:2800:21f::1", "v=spf1 ip6:2606:2800:21f::1 ip6:2606:2800:21f::/48 -all"],
  ["PASS_ALL", "+all", "v=spf1 +all"],
  ["PASS_ALL", "all", "v=spf1 all"],
  [
    "PASS_ALL",
    "all",
    records({ "d.example": "v=spf1 include:e.example -all", "e.example": "v=spf1 all" }),
    { domain: "e.example" },
  ],
  ["NEUTRAL_ALL", "?all", "v=spf1 ?all"],
  ["NO_ALL_OR_REDIRECT", null, "v=spf1 mx:m.example"],
  ["TERMS_AFTER_ALL", "mx:m.example", "v=spf1 -all mx:m.example"],
  ["REDIRECT_WITH_ALL", "redirect=no.example", "v=spf1 redirect=no.example -all"],
  ["PTR_USED", "ptr:h.example", "v=spf1 ptr:h.example -all"],
  ["PTR_USED", "exists:%{p}.h.example", "v=spf1 exists:%{p}.h.example -all"],
  ["RECORD_LARGE", null, `v=spf1 ${many(20, (n) => `ip4:93.184.${n}.0/24`)} x=${"y".repeat(70)} -all`],
  ["RECORD_LARGE", null, answering(() => ({ ...txt("v=spf1 -all", "other"), messageBytes: 1233 }))],
  ["RECORD_TOO_LARGE", null, `v=spf1 x=${"y".repeat(1230)} -all`],
  ["RECORD_TOO_LARGE", null, `v=spf1 x=${"y".repeat(limits.recordBytes)} -all`],
  ["BROAD_RANGE", "ip4:12.0.0.0/8", "v=spf1 ip4:12.0.0.0/8 -all", { severity: "error" }],
  ["BROAD_RANGE", "ip4:12.0.0.0/9", "v=spf1 ip4:12.0.0.0/9 -all", { severity: "warning" }],
  ["BROAD_RANGE", "ip4:12.0.0.0/15", "v=spf1 ip4:12.0.0.0/15 -all", { severity: "warning" }],
  ["BROAD_RANGE", "ip6:2600::/19", "v=spf1 ip6:2600::/19 -all", { severity: "error" }],
  ["BROAD_RANGE", "ip6:2600::/31", "v=spf1 ip6:2600::/31 -all", { severity: "warning" }],
  ["BROAD_RANGE", "a:h.example/8", "v=spf1 a:h.example/8 -all", { severity: "error" }],
  ["BROAD_RANGE", "mx:m.example//31", "v=spf1 mx:m.example//31 -all", { severity: "warning" }],
  ["RESERVED_ADDRESS", "ip4:10.1.0.0/16", "v=spf1 ip4:10.1.0.0/16 -all"],
  ["RESERVED_ADDRESS", "ip6:fe80::/64", "v=spf1 ip6:fe80::/64 -all"],
  ["HOST_BITS_SET", "ip4:93.184.215.14/24", "v=spf1 ip4:93.184.215.14/24 -all"],
  ["UPPERCASE_TERMS", "V=SPF1", "V=SPF1 -all"],
  ["UPPERCASE_TERMS", "MX:m.example", "v=spf1 MX:m.example -all"],
  ["EXTRA_WHITESPACE", null, "v=spf1  -all"],
  ["EXTRA_WHITESPACE", null, "v=spf1 -all "],
  ["SENDER_ID_RECORD", "spf2.0/pra -all", { "d.example": texts("v=spf1 -all", "spf2.0/pra -all") }],
  ["EXP_PROBLEM", "exp=no.example", "v=spf1 exp=no.example -all"],
  ["EXP_PROBLEM", "exp=w.example", dnsOf("v=spf1 exp=w.example -all", { "w.example": [{ TXT: "%{x}" }] })],
  ["UNKNOWN_MODIFIER", "default=pass", "v=spf1 default=pass -all", { severity: "info" }],
  ["UNKNOWN_MODIFIER", "ip4=93.184.215.14", "v=spf1 ip4=93.184.215.14 -all", { severity: "warning" }],
  ["NULL_MX_WITHOUT_DENY", "mx", { "d.example": [{ TXT: "v=spf1 mx -all" }, { MX: [0, ""] }] }],
  ["MACRO_DEPENDENT", "exists:%{i}.h.example", "v=spf1 exists:%{i}.h.example -all"],
  ["MACRO_DEPENDENT", "include:%{l}.h.example", "v=spf1 include:%{l}.h.example -all"],
  ["SOFTFAIL_ALL", "~all", "v=spf1 ~all"],
]

for (const [code, term, zone, { domain = "d.example", severity, input } = {}] of shown)
  test(`issues that show: ${code} at ${term?.slice(0, 40) ?? "the record"}`, async () => {
    const dns = typeof zone === "string" ? dnsOf(zone) : zone
    const report = await validateIn(dns, { domain: "d.example", ...input })
    expect(report.issues_found.find((found) => found.code === code)).toEqual({
      code,
      severity: (severity ?? issueKinds[code].severity) as never,
      message: expect.stringMatching(/^\S[^{}]*(%\{[^{}]*)*.* \(RFC \d+( §[\d.]+)?\)\.$/),
      domain,
      term,
    })
    expect(report.has_issues).toBe(true)
    const breaks =
      issueKinds[code].causes !== null && !["INVALID_DOMAIN_SPEC", "MISSING_SPACE"].includes(code)
    if (breaks || code === "NO_RECORD") expect(report.spf_valid).toBe(false)
  })

test("issues that show cover every code", () =>
  expect([...new Set(shown.map(([code]) => code))].sort()).toEqual(
    Object.keys(issueKinds).sort() as IssueCode[],
  ))

describe("records without any issue", () => {
  for (const [title, zone] of Object.entries({
    "no address may send": dnsOf("v=spf1 -all"),
    "hosts, exchangers, networks": dnsOf(
      "v=spf1 a:h.example mx:m.example ip4:93.184.216.0/24 ip6:2606:2800::/32 -all",
    ),
    "an included record may end without all": dnsOf("v=spf1 include:e.example -all", {
      "e.example": [{ TXT: "v=spf1 ip4:93.184.216.0/24" }],
    }),
    "an included record may say ?all and ~all": dnsOf("v=spf1 include:e.example include:f.example -all", {
      "e.example": [{ TXT: "v=spf1 ?all" }],
      "f.example": [{ TXT: "v=spf1 ~all" }],
    }),
    "a denied include may pass all": dnsOf("v=spf1 -include:e.example -all", {
      "e.example": [{ TXT: "v=spf1 all" }],
    }),
    "a redirect ends a record": dnsOf("v=spf1 redirect=e.example", { "e.example": [{ TXT: "v=spf1 -all" }] }),
    "a denied network may be broad or reserved": dnsOf("v=spf1 -ip4:0.0.0.0/0 -ip6:fe80::/10 -all"),
    "an exception before its network": dnsOf("v=spf1 -ip4:93.184.216.7 ip4:93.184.216.0/24 -all"),
    "/16 and /32 are no broad ranges": dnsOf(
      "v=spf1 ip4:12.1.0.0/16 ip6:2600:1400::/32 a:h.example/16//32 -all",
    ),
    "a d macro needs no parameter": dnsOf("v=spf1 a:h.%{d1} -all"),
    "other TXT records": { "d.example": [{ TXT: "v=spf1 -all" }, { TXT: "v=DKIM1; p=" }, { TXT: "spf" }] },
    "an explanation": dnsOf("v=spf1 exp=w.example -all", { "w.example": [{ TXT: "Ask %{o} about %{s}." }] }),
  }))
    test(title, async () => {
      const report = await validateIn(zone, { domain: "d.example" })
      expect(report.issues_found).toEqual([])
      expect([report.has_issues, report.spf_valid]).toEqual([false, true])
    })
})

test("a record is large over 450 bytes, and needs TCP over 1,232", async () => {
  const codes = async (bytes: number) => {
    const record = `v=spf1 x=${"y".repeat(bytes - 14)} -all`
    expect(record).toHaveLength(bytes)
    const report = await validateIn(dnsOf(record), { domain: "d.example" })
    return report.issues_found.map(({ code }) => code).filter((code) => code.startsWith("RECORD"))
  }
  expect(await codes(450)).toEqual([])
  expect(await codes(451)).toEqual(["RECORD_LARGE"])
  expect(await codes(1232)).toEqual(["RECORD_LARGE"])
  expect(await codes(1233)).toEqual(["RECORD_TOO_LARGE"])
})

test("a macro is followed when the parameters it depends on are given", async () => {
  const zone = dnsOf("v=spf1 include:%{l}.%{h}.example exists:%{i}.h.example -all", {
    "ann.mail.example": [{ TXT: "v=spf1 ip4:93.184.216.0/24 ~all" }],
    "93.184.216.1.h.example": [{ A: "127.0.0.2" }],
  })
  const without = await validateIn(zone, { domain: "d.example" })
  expect(without.issues_found.map(({ code, message }) => [code, message.match(/give (.*) to/)?.[1]])).toEqual(
    [
      ["MACRO_DEPENDENT", "'sender' and 'helo'"],
      ["MACRO_DEPENDENT", "'ip'"],
    ],
  )
  const input = { domain: "d.example", ip: "93.184.216.1", sender: "ann@d.example", helo: "mail" }
  const report = await validateIn(zone, input)
  expect(report.issues_found).toEqual([])
  expect(report.spf_records_list.map(({ origin }) => origin)).toEqual(["d.example", "ann.mail.example"])
  expect(report.spf_records_list[0]?.domains).toEqual(["ann.mail.example", "93.184.216.1.h.example"])
})

test("issues come whole tree first, then record by record, in the order of the terms", async () => {
  const zone = records({
    "d.example": `v=spf1 ptr include:e.example a:no.example ${"a:no.example ".repeat(8)}~all`,
    "e.example": "v=spf1 ip4:10.0.0.0/24 ptr ~all",
  })
  const { issues_found } = await validateIn(zone, { domain: "d.example" })
  expect(issues_found.slice(0, 6).map(({ code, domain }) => `${code} ${domain}`)).toEqual([
    "TOO_MANY_LOOKUPS d.example",
    "TOO_MANY_VOID_LOOKUPS d.example",
    "PTR_USED d.example",
    "VOID_LOOKUP d.example",
    "DUPLICATE_TERM d.example",
    "VOID_LOOKUP d.example",
  ])
  expect(issues_found.slice(-3).map(({ code, domain }) => `${code} ${domain}`)).toEqual([
    "SOFTFAIL_ALL d.example",
    "RESERVED_ADDRESS e.example",
    "PTR_USED e.example",
  ])
})

test("terms are quoted as text of bounded length, and never treated as a template", () => {
  const term = { text: `$&\r\n\xc3\xa9${"x".repeat(500)}`, position: 9 }
  const { message, term: quoted } = toFinding("SYNTAX_ERROR", "d.example", term, "{term}")
  expect(quoted).toBe(`$&\\013\\010é${"x".repeat(limits.termCharacters - 12)}…`)
  expect(message).toStartWith(`'${quoted}' {term} (RFC`)
  expect([toDisplayText("\xff\xfe"), toDisplayText("\xef\xbb\xbfa")]).toEqual(["\xff\xfe", "\ufeffa"])
})

test("TXT records without any likeness to SPF are not reported", async () => {
  const dns = answering((_name, type) =>
    type === "TXT" ? txt("v=spf1 -all", "v=verify 123", "V=SPF") : { kind: "nodata" },
  )
  const { issues_found } = await validateIn(dns, { domain: "d.example" })
  expect(issues_found.map(({ code, term }) => [code, term])).toEqual([["BAD_VERSION_TAG", "V=SPF"]])
})

/** Terms as people mistype them, and the proposals of messages. */
test.each([
  ["inlcude:h.example", "did you mean 'include:h.example'?"],
  ["includ:h.example", "did you mean 'include:h.example'?"],
  ["ip:192.0.2.1", "did you mean 'ip4:192.0.2.1'?"],
  ["ip:2001:db8::/32", "did you mean 'ip6:2001:db8::/32'?"],
  ["ipv4:192.0.2.0/24", "did you mean 'ip4:192.0.2.0/24'?"],
  ["-al", "did you mean '-all'?"],
  ["~alll", "did you mean '~all'?"],
  ["exist:h.example", "did you mean 'exists:h.example'?"],
  ["192.0.2.1", "did you mean 'ip4:192.0.2.1'?"],
  ["192.0.2.0/24", "did you mean 'ip4:192.0.2.0/24'?"],
  ["2001:db8::1", "did you mean 'ip6:2001:db8::1'?"],
  ["fe80::1", "did you mean 'ip6:fe80::1'?"],
  ["h.example", "did you mean 'include:h.example'?"],
  ["\xe2\x88\x92all", "a dash that looks like a hyphen; did you mean '-all'?"],
  ["\xe2\x80\x93all", "a dash that looks like a hyphen; did you mean '-all'?"],
  ["ip4:192.0.2.1v=spf1", "looks like two terms"],
  ["-all;", "ends with ';'"],
  ["mx,", "ends with ','"],
  ['-all"', "has a quotation mark; leave it out"],
  ["-", "is a sign alone; put no space after it"],
  ["include", "put it right after the colon"],
  ["include:", "put it right after the colon"],
  ["all-from-here", "there is no mechanism 'all-from-here' (RFC"],
])("%s: %s", async (term, words) => {
  const { issues_found, spf_valid } = await validateIn(dnsOf(`v=spf1 ${term} -all`), { domain: "d.example" })
  expect(spf_valid).toBe(false)
  expect(issues_found.map(({ message }) => message).join(" ")).toContain(words)
})

/** RFC 7208 §5.7 and 4.6.4: an `exists` that finds nothing does not match, and counts as void as any other term. */
test("an exists that says no is no issue, unless there are too many void look-ups", async () => {
  const codesOf = async (record: string) => {
    const { issues_found } = await validateIn(dnsOf(record), { domain: "d.example", ip: "192.0.2.1" })
    return issues_found.map(({ code }) => code)
  }
  expect(await codesOf("v=spf1 exists:%{i}.d.example exists:no.example -all")).toEqual([])
  expect(await codesOf("v=spf1 exists:a.d.example exists:b.d.example exists:c.d.example -all")).toEqual([
    "TOO_MANY_VOID_LOOKUPS",
    ...Array(3).fill("VOID_LOOKUP"),
  ])
})

/** RFC 7208 §4.6.4, §5.3: a host with IPv4 alone is void for IPv6 clients only. Taking it out would harm the others. */
test("nobody is told to remove what works for the other family", async () => {
  const host = (name: string) => [`${name}.example`, [{ A: "192.0.2.1" }]] as const
  const hosts: DnsZone = Object.fromEntries(["a", "b", "c"].map(host))
  const record = "v=spf1 a:a.example a:b.example a:c.example -all"
  const { issues_found } = await validateIn(dnsOf(record, hosts), { domain: "d.example" })
  const void3 = Array(3).fill("VOID_LOOKUP")
  expect(issues_found.map(({ code }) => code)).toEqual(["TOO_MANY_VOID_LOOKUPS", ...void3])
  expect(issues_found.map(({ message }) => message).join(" ")).not.toMatch(/remove|correct/i)
})
