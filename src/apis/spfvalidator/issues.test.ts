/** Every issue: a zone that shows it, with its domain and term, and near misses that do not. */
import { describe, expect, test } from "bun:test"
import { answering, records, txt, validateIn } from "../../../test/spf/support.ts"
import type { Dns, DnsZone, ZoneEntry } from "../contract.ts"
import { type IssueCode, issueKinds } from "./issue-kinds.ts"
import { toDisplayText, toFinding } from "./issues.ts"
import { limits } from "./limits.ts"
import type { SpfInput } from "./schema.ts"

const host: DnsZone = { "h.example": [{ A: "93.184.215.14" }], "m.example": [{ MX: [10, "h.example"] }] }

/** The domain's record, in a world with one good host. */
function world(record: string, more: DnsZone = {}): DnsZone {
  return { "d.example": [{ TXT: record }], ...host, ...more }
}

interface Shown {
  readonly code: IssueCode
  readonly zone: DnsZone | Dns
  readonly term: string | null
  /** Where it is not the domain asked for. */
  readonly domain?: string
  readonly severity?: string
  readonly input?: Partial<SpfInput>
}

const many = (count: number, term: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => term(index)).join(" ")

const shown: readonly Shown[] = [
  { code: "NO_RECORD", zone: { "d.example": [{ A: "93.184.215.14" }] }, term: null },
  { code: "NO_RECORD", zone: {}, term: null },
  {
    code: "SUBDOMAIN_NO_RECORD",
    zone: { "d.example": [{ TXT: "v=spf1 -all" }], "www.d.example": [{ A: "93.184.215.14" }] },
    term: null,
    domain: "www.d.example",
    input: { domain: "www.d.example" },
  },
  {
    code: "MULTIPLE_RECORDS",
    zone: { "d.example": [{ TXT: "v=spf1 -all" }, { TXT: "v=spf1 ~all" }] },
    term: null,
  },
  {
    code: "DNS_TEMPFAIL",
    zone: world("v=spf1 a:x.example -all", { "x.example": ["SERVFAIL"] }),
    term: "a:x.example",
  },
  {
    code: "DNS_TEMPFAIL",
    zone: world("v=spf1 include:x.example -all", { "x.example": ["TIMEOUT"] }),
    term: "include:x.example",
  },
  {
    code: "DNS_TEMPFAIL",
    zone: world("v=spf1 redirect=x.example", { "x.example": ["REFUSED"] }),
    term: "redirect=x.example",
  },
  { code: "SYNTAX_ERROR", zone: world("v=spf1 =all -all"), term: "=all" },
  { code: "UNKNOWN_MECHANISM", zone: world("v=spf1 inlcude:h.example -all"), term: "inlcude:h.example" },
  { code: "NON_ASCII", zone: world("v=spf1 a:caf\xc3\xa9.example -all"), term: "a:café.example" },
  { code: "CONTROL_OR_TAB", zone: world("v=spf1 a:h.example\t-all"), term: "a:h.example\\009-all" },
  { code: "MISSING_SPACE", zone: world("v=spf1 ip4:93.184.215.14~all"), term: "ip4:93.184.215.14~all" },
  { code: "MISSING_SPACE", zone: world("v=spf1mx -all"), term: "v=spf1mx -all" },
  { code: "BAD_VERSION_TAG", zone: world("v=spf2 -all"), term: "v=spf2 -all" },
  { code: "BAD_VERSION_TAG", zone: world(' "v=spf1 -all"'), term: ' "v=spf1 -all"' },
  { code: "BAD_VERSION_TAG", zone: world("v=spf10"), term: "v=spf10" },
  { code: "INVALID_IP", zone: world("v=spf1 ip4:300.1.1.1 -all"), term: "ip4:300.1.1.1" },
  { code: "INVALID_CIDR", zone: world("v=spf1 ip4:93.184.215.14/33 -all"), term: "ip4:93.184.215.14/33" },
  { code: "INVALID_DOMAIN_SPEC", zone: world("v=spf1 a:museum -all"), term: "a:museum" },
  {
    code: "INVALID_DOMAIN_SPEC",
    zone: world(`v=spf1 a:${"x".repeat(64)}.example -all`),
    term: `a:${"x".repeat(64)}.example`,
  },
  { code: "INVALID_MACRO", zone: world("v=spf1 exists:%{z}.example -all"), term: "exists:%{z}.example" },
  {
    code: "DUPLICATE_MODIFIER",
    zone: world("v=spf1 exp=h.example exp=m.example -all"),
    term: "exp=m.example",
  },
  { code: "TOO_MANY_LOOKUPS", zone: world(`v=spf1 ${"mx:m.example ".repeat(11)}-all`), term: null },
  { code: "LOOKUPS_NEAR_LIMIT", zone: world(`v=spf1 ${"mx:m.example ".repeat(9)}-all`), term: null },
  { code: "LOOKUPS_NEAR_LIMIT", zone: world(`v=spf1 ${"mx:m.example ".repeat(10)}-all`), term: null },
  {
    code: "TOO_MANY_VOID_LOOKUPS",
    zone: world(`v=spf1 ${many(3, (n) => `a:x${n}.example`)} -all`),
    term: null,
  },
  { code: "VOID_LOOKUP", zone: world("v=spf1 mx:h.example -all"), term: "mx:h.example" },
  { code: "VOID_LOOKUP", zone: world("v=spf1 exists:no.example -all"), term: "exists:no.example" },
  {
    code: "MX_OVER_10",
    zone: world("v=spf1 mx -all", {
      "d.example": [
        { TXT: "v=spf1 mx -all" },
        ...Array.from({ length: 11 }, (_, n): ZoneEntry => ({ MX: [n, "h.example"] })),
      ],
    }),
    term: "mx",
  },
  {
    code: "PTR_NAMES_OVER_10",
    zone: world("v=spf1 ptr -all", {
      "14.215.184.93.in-addr.arpa": Array.from(
        { length: 11 },
        (_, n): ZoneEntry => ({ PTR: `p${n}.example` }),
      ),
    }),
    input: { ip: "93.184.215.14" },
    term: "ptr",
  },
  { code: "INCLUDE_NO_RECORD", zone: world("v=spf1 include:h.example -all"), term: "include:h.example" },
  { code: "INCLUDE_NO_RECORD", zone: world("v=spf1 include:no.example -all"), term: "include:no.example" },
  { code: "REDIRECT_NO_RECORD", zone: world("v=spf1 redirect=h.example"), term: "redirect=h.example" },
  { code: "INCLUDE_LOOP", zone: world("v=spf1 include:d.example -all"), term: "include:d.example" },
  {
    code: "INCLUDE_LOOP",
    zone: records({ "d.example": "v=spf1 include:e.example -all", "e.example": "v=spf1 redirect=D.example" }),
    domain: "e.example",
    term: "redirect=D.example",
  },
  {
    code: "DUPLICATE_INCLUDE",
    zone: records({
      "d.example": "v=spf1 include:e.example include:f.example -all",
      "e.example": "v=spf1 ~all",
      "f.example": "v=spf1 include:E.example ~all",
    }),
    domain: "f.example",
    term: "include:E.example",
  },
  { code: "DUPLICATE_TERM", zone: world("v=spf1 a:h.example -A:H.example -all"), term: "-A:H.example" },
  {
    code: "DUPLICATE_TERM",
    zone: world("v=spf1 ip4:93.184.215.14 ip4:93.184.215.14/32 -all"),
    term: "ip4:93.184.215.14/32",
  },
  {
    code: "DUPLICATE_TERM",
    zone: world("v=spf1 ip4:93.184.0.0/16 -ip4:93.184.215.14 -all"),
    term: "-ip4:93.184.215.14",
  },
  {
    code: "DUPLICATE_TERM",
    zone: world("v=spf1 ip6:2606:2800:21f::1 ip6:2606:2800:21f::/48 -all"),
    term: "ip6:2606:2800:21f::1",
  },
  { code: "PASS_ALL", zone: world("v=spf1 +all"), term: "+all" },
  { code: "PASS_ALL", zone: world("v=spf1 all"), term: "all" },
  {
    code: "PASS_ALL",
    zone: records({ "d.example": "v=spf1 include:e.example -all", "e.example": "v=spf1 all" }),
    domain: "e.example",
    term: "all",
  },
  { code: "NEUTRAL_ALL", zone: world("v=spf1 ?all"), term: "?all" },
  { code: "NO_ALL_OR_REDIRECT", zone: world("v=spf1 mx:m.example"), term: null },
  { code: "TERMS_AFTER_ALL", zone: world("v=spf1 -all mx:m.example"), term: "mx:m.example" },
  { code: "REDIRECT_WITH_ALL", zone: world("v=spf1 redirect=no.example -all"), term: "redirect=no.example" },
  { code: "PTR_USED", zone: world("v=spf1 ptr:h.example -all"), term: "ptr:h.example" },
  { code: "PTR_USED", zone: world("v=spf1 exists:%{p}.h.example -all"), term: "exists:%{p}.h.example" },
  {
    code: "RECORD_LARGE",
    zone: world(`v=spf1 ${many(20, (n) => `ip4:93.184.${n}.0/24`)} x=${"y".repeat(70)} -all`),
    term: null,
  },
  {
    code: "RECORD_LARGE",
    zone: answering(() => ({ kind: "records", records: ["v=spf1 -all", "other"], messageBytes: 1233 })),
    term: null,
  },
  { code: "RECORD_TOO_LARGE", zone: world(`v=spf1 x=${"y".repeat(1230)} -all`), term: null },
  { code: "RECORD_TOO_LARGE", zone: world(`v=spf1 x=${"y".repeat(limits.recordOctets)} -all`), term: null },
  {
    code: "BROAD_RANGE",
    zone: world("v=spf1 ip4:12.0.0.0/8 -all"),
    term: "ip4:12.0.0.0/8",
    severity: "error",
  },
  {
    code: "BROAD_RANGE",
    zone: world("v=spf1 ip4:12.0.0.0/9 -all"),
    term: "ip4:12.0.0.0/9",
    severity: "warning",
  },
  {
    code: "BROAD_RANGE",
    zone: world("v=spf1 ip4:12.0.0.0/15 -all"),
    term: "ip4:12.0.0.0/15",
    severity: "warning",
  },
  { code: "BROAD_RANGE", zone: world("v=spf1 ip6:2600::/19 -all"), term: "ip6:2600::/19", severity: "error" },
  {
    code: "BROAD_RANGE",
    zone: world("v=spf1 ip6:2600::/31 -all"),
    term: "ip6:2600::/31",
    severity: "warning",
  },
  { code: "BROAD_RANGE", zone: world("v=spf1 a:h.example/8 -all"), term: "a:h.example/8", severity: "error" },
  {
    code: "BROAD_RANGE",
    zone: world("v=spf1 mx:m.example//31 -all"),
    term: "mx:m.example//31",
    severity: "warning",
  },
  { code: "RESERVED_ADDRESS", zone: world("v=spf1 ip4:10.1.0.0/16 -all"), term: "ip4:10.1.0.0/16" },
  { code: "RESERVED_ADDRESS", zone: world("v=spf1 ip6:fe80::/64 -all"), term: "ip6:fe80::/64" },
  { code: "HOST_BITS_SET", zone: world("v=spf1 ip4:93.184.215.14/24 -all"), term: "ip4:93.184.215.14/24" },
  { code: "UPPERCASE_TERMS", zone: world("V=SPF1 -all"), term: "V=SPF1" },
  { code: "UPPERCASE_TERMS", zone: world("v=spf1 MX:m.example -all"), term: "MX:m.example" },
  { code: "EXTRA_WHITESPACE", zone: world("v=spf1  -all"), term: null },
  { code: "EXTRA_WHITESPACE", zone: world("v=spf1 -all "), term: null },
  {
    code: "SENDER_ID_RECORD",
    zone: { "d.example": [{ TXT: "v=spf1 -all" }, { TXT: "spf2.0/pra -all" }] },
    term: "spf2.0/pra -all",
  },
  { code: "EXP_PROBLEM", zone: world("v=spf1 exp=no.example -all"), term: "exp=no.example" },
  {
    code: "EXP_PROBLEM",
    zone: world("v=spf1 exp=w.example -all", { "w.example": [{ TXT: "%{x}" }] }),
    term: "exp=w.example",
  },
  {
    code: "UNKNOWN_MODIFIER",
    zone: world("v=spf1 default=pass -all"),
    term: "default=pass",
    severity: "info",
  },
  {
    code: "UNKNOWN_MODIFIER",
    zone: world("v=spf1 ip4=93.184.215.14 -all"),
    term: "ip4=93.184.215.14",
    severity: "warning",
  },
  {
    code: "NULL_MX_WITHOUT_DENY",
    zone: { "d.example": [{ TXT: "v=spf1 mx -all" }, { MX: [0, ""] }] },
    term: "mx",
  },
  {
    code: "MACRO_DEPENDENT",
    zone: world("v=spf1 exists:%{i}.h.example -all"),
    term: "exists:%{i}.h.example",
  },
  {
    code: "MACRO_DEPENDENT",
    zone: world("v=spf1 include:%{l}.h.example -all"),
    term: "include:%{l}.h.example",
  },
  { code: "SOFTFAIL_ALL", zone: world("v=spf1 ~all"), term: "~all" },
]

describe("issues that show", () => {
  for (const { code, zone, term, domain = "d.example", severity, input } of shown) {
    test(`${code} at ${term?.slice(0, 40) ?? "the record"}`, async () => {
      const report = await validateIn(zone, { domain: "d.example", ...input })
      const issue = report.issues_found.find((found) => found.code === code)
      expect(issue).toEqual({
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
  }

  test("cover every code", () => {
    expect([...new Set(shown.map(({ code }) => code))].sort()).toEqual(
      Object.keys(issueKinds).sort() as IssueCode[],
    )
  })
})

describe("records without any issue", () => {
  for (const [title, zone] of Object.entries({
    "nobody may send": world("v=spf1 -all"),
    "hosts, exchangers, networks": world(
      "v=spf1 a:h.example mx:m.example ip4:93.184.216.0/24 ip6:2606:2800::/32 -all",
    ),
    "an included record may end as it likes": world("v=spf1 include:e.example -all", {
      "e.example": [{ TXT: "v=spf1 ip4:93.184.216.0/24" }],
    }),
    "an included record may say ?all and ~all": world("v=spf1 include:e.example include:f.example -all", {
      "e.example": [{ TXT: "v=spf1 ?all" }],
      "f.example": [{ TXT: "v=spf1 ~all" }],
    }),
    "a denied include may pass all": world("v=spf1 -include:e.example -all", {
      "e.example": [{ TXT: "v=spf1 all" }],
    }),
    "a redirect ends a record": world("v=spf1 redirect=e.example", { "e.example": [{ TXT: "v=spf1 -all" }] }),
    "a denied network may be broad or reserved": world("v=spf1 -ip4:0.0.0.0/0 -ip6:fe80::/10 -all"),
    "an exception before its network": world("v=spf1 -ip4:93.184.216.7 ip4:93.184.216.0/24 -all"),
    "/16 and /32 are no broad ranges": world(
      "v=spf1 ip4:12.1.0.0/16 ip6:2600:1400::/32 a:h.example/16//32 -all",
    ),
    "a d macro can be told": world("v=spf1 a:h.%{d1} -all"),
    "other TXT records": { "d.example": [{ TXT: "v=spf1 -all" }, { TXT: "v=DKIM1; p=" }, { TXT: "spf" }] },
    "an explanation": world("v=spf1 exp=w.example -all", { "w.example": [{ TXT: "Ask %{o} about %{s}." }] }),
  })) {
    test(title, async () => {
      const report = await validateIn(zone, { domain: "d.example" })
      expect(report.issues_found).toEqual([])
      expect([report.has_issues, report.spf_valid]).toEqual([false, true])
    })
  }
})

test("450 octets are no large record, 1,232 no record that needs TCP", async () => {
  const codes = async (octets: number) => {
    const record = `v=spf1 x=${"y".repeat(octets - 14)} -all`
    expect(record).toHaveLength(octets)
    const report = await validateIn(world(record), { domain: "d.example" })
    return report.issues_found.map(({ code }) => code).filter((code) => code.startsWith("RECORD"))
  }
  expect(await codes(450)).toEqual([])
  expect(await codes(451)).toEqual(["RECORD_LARGE"])
  expect(await codes(1232)).toEqual(["RECORD_LARGE"])
  expect(await codes(1233)).toEqual(["RECORD_TOO_LARGE"])
})

test("with the parameters it depends on, a macro is followed", async () => {
  const zone = world("v=spf1 include:%{l}.%{h}.example exists:%{i}.h.example -all", {
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

test("terms are quoted as text of bounded length, without surprises in them", () => {
  const term = { text: `$&\r\n\xc3\xa9${"x".repeat(500)}`, position: 9 }
  const { message, term: quoted } = toFinding("SYNTAX_ERROR", "d.example", term, "{term}")
  expect(quoted).toBe(`$&\\013\\010é${"x".repeat(limits.termCharacters - 12)}…`)
  expect(message).toStartWith(`'${quoted}' {term};`)
  expect(toDisplayText("\xff\xfe")).toBe("\xff\xfe")
  expect(toDisplayText("\xef\xbb\xbfa")).toBe("\ufeffa")
})

test("a domain whose records cannot be told from others is not blamed for them", async () => {
  const dns = answering((_name, type) =>
    type === "TXT" ? txt("v=spf1 -all", "v=verify 123", "V=SPF") : { kind: "nodata" },
  )
  const { issues_found } = await validateIn(dns, { domain: "d.example" })
  expect(issues_found.map(({ code, term }) => [code, term])).toEqual([["BAD_VERSION_TAG", "V=SPF"]])
})
