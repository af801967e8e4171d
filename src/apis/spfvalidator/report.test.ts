import { expect, test } from "bun:test"
import { answering, inRounds, recording, records, validateIn } from "../../../test/spf/support.ts"
import { createZoneDns } from "../../ports/dns/zone.ts"
import type { DnsZone } from "../contract.ts"
import { limits } from "./record.ts"

const networks = Array.from({ length: 29 }, (_, index) => `93.184.${index}.0/24`)
const regions = "eu us za de au ca je".split(" ").map((region) => `${region}._netblocks.mailer.example`)

/** A record with mx, 29 networks, and an include that has seven includes. */
const chain: DnsZone = {
  "shop.example": [
    {
      TXT: `v=spf1 mx ${networks.map((network) => `ip4:${network}`).join(" ")} include:_netblocks.mailer.example -all`,
    },
    { MX: [10, "mail.shop.example"] },
  ],
  "mail.shop.example": [{ A: "93.184.215.14" }],
  ...records({
    "_netblocks.mailer.example": `v=spf1 ${regions.map((region) => `include:${region}`).join(" ")} ~all`,
  }),
  ...records(
    Object.fromEntries(regions.map((region, index) => [region, `v=spf1 ip4:151.101.${index}.0/24 ~all`])),
  ),
}

test("a chain of records is listed depth-first with its counts, and its score is 5 for nine look-ups", async () => {
  const report = await validateIn(chain, { domain: "shop.example" })
  expect(report.dns_lookups_num).toBe(9)
  expect(report.spf_records_list.map(({ origin }) => origin)).toEqual([
    "shop.example",
    "_netblocks.mailer.example",
    ...regions,
  ])
  expect(report.domains_extracted).toEqual(["shop.example", "_netblocks.mailer.example", ...regions])
  expect(report.spf_records_list[0]).toEqual({
    origin: "shop.example",
    record: report.spf_record,
    chars_num: report.spf_record.length,
    use_macro: false,
    domains: ["_netblocks.mailer.example"],
    authorized_ips: { ipv4: networks },
  })
  expect(report.spf_records_list[1]).not.toHaveProperty("authorized_ips")
  expect(report.spf_records_list[2]).not.toHaveProperty("domains")
  const ipv4 = [...networks, ...regions.map((_, n) => `151.101.${n}.0/24`)]
  expect(report.authorized_ips).toEqual({ ipv4, ipv6: [] })
  expect(report).toMatchObject({ spf_valid: true, all_qualifier: "fail", risk_score: 5, risk_level: "low" })
  expect(report.issues_found.map(({ code }) => code)).toEqual(["LOOKUPS_NEAR_LIMIT", "RECORD_LARGE"])
  expect(report).not.toHaveProperty("ip_result")
  expect(report).not.toHaveProperty("ip_explanation")
  expect(report.ip_pass).toBe(false)
})

test("a chain of records takes one round of look-ups for each level", async () => {
  const dns = inRounds(createZoneDns(chain))
  await validateIn(dns, { domain: "shop.example" })
  expect(dns.rounds).toEqual([
    ["TXT shop.example"],
    ["MX shop.example", "TXT _netblocks.mailer.example"],
    ["A mail.shop.example", "AAAA mail.shop.example", ...regions.map((region) => `TXT ${region}`)],
  ])
})

test("a chain of records: an ip costs only the questions that the tree does not ask, and each is asked once", async () => {
  const dns = recording(createZoneDns(chain))
  const report = await validateIn(dns, { domain: "shop.example", ip: "151.101.6.1" })
  expect([report.ip_result, report.ip_pass]).toEqual(["pass", true])
  const texts = ["shop.example", "_netblocks.mailer.example", ...regions].map((name) => `TXT ${name}`)
  const hosts = ["MX shop.example", "A mail.shop.example", "AAAA mail.shop.example"]
  expect(dns.questions.toSorted()).toEqual([...texts, ...hosts].toSorted())
})

test("a chain of records is listed depth-first, whichever name answers first", async () => {
  const zone = records({
    "d.example": "v=spf1 include:a.example include:b.example redirect=c.example",
    "a.example": "v=spf1 include:a1.example ~all",
    "a1.example": "v=spf1 include:a2.example ~all",
    "a2.example": "v=spf1 ~all",
    "b.example": "v=spf1 ~all",
    "c.example": "v=spf1 -all",
  })
  const report = await validateIn(zone, { domain: "D.example." })
  const order = ["d.example", "a.example", "a1.example", "a2.example", "b.example", "c.example"]
  expect(report.spf_records_list.map(({ origin }) => origin)).toEqual(order)
  expect(report.domains_extracted).toEqual(order)
  expect([report.host, report.dns_lookups_num]).toEqual(["d.example", 5])
})

test("the fields of an answer list networks and domains as RFC 7208 reads them", async () => {
  const zone: DnsZone = {
    "d.example": [
      {
        TXT:
          "v=spf1 ip4:93.184.1.1 -ip4:93.184.1.2 ip6:2606:2800::/32 a mx:M.example. exists:%{i}.x.example " +
          "ptr:p.example a:m.example/24 include:e.example -all include:after.example ip4:93.184.1.3",
      },
      { A: "93.184.215.14" },
    ],
    "m.example": [{ MX: [0, "m.example"] }, { A: "93.184.215.14" }],
    ...records({ "e.example": "v=spf1 ip4:93.184.1.1 ip6:2606:2800::1 ~all" }),
  }
  const report = await validateIn(zone, { domain: "d.example" })
  expect(report.spf_records_list[0]).toMatchObject({
    domains: ["m.example", "%{i}.x.example", "p.example", "e.example"],
    authorized_ips: { ipv4: ["93.184.1.1"], ipv6: ["2606:2800::/32"] },
  })
  expect(report.authorized_ips).toEqual({ ipv4: ["93.184.1.1"], ipv6: ["2606:2800::/32", "2606:2800::1"] })
  expect(report.spf_records_list.map(({ use_macro }) => use_macro)).toEqual([true, false])
  expect([report.macros_found, report.dns_lookups_num]).toEqual([true, 6])
})

test("the fields of an answer give the record's own all_qualifier, and a score that follows redirects", async () => {
  const zone = records({
    "d.example": "v=spf1 redirect=e.example",
    "e.example": "v=spf1 redirect=f.example",
    "f.example": "v=spf1 ~all",
  })
  const report = await validateIn(zone, { domain: "d.example" })
  expect([report.all_qualifier, report.risk_score, report.risk_level]).toEqual([null, 40, "medium"])
})

test("the fields of an answer are empty without a record", async () =>
  expect(await validateIn({}, { domain: "d.example" })).toEqual({
    host: "d.example",
    has_spf_record: false,
    dns_lookups_num: 0,
    spf_record: "",
    spf_records_list: [],
    domains_extracted: [],
    authorized_ips: { ipv4: [], ipv6: [] },
    issues_found: [expect.objectContaining({ code: "NO_RECORD", term: null })],
    spf_valid: false,
    has_issues: true,
    macros_found: false,
    ip_pass: false,
    elapsed_ms: 0,
    all_qualifier: null,
    risk_score: 100,
    risk_level: "high",
  }))

test("the fields of an answer list two records in a fixed order, as a permerror", async () => {
  const texts = ["v=spf1 -all", "v=spf1 a:h.example ~all"]
  for (const order of [texts, texts.toReversed()]) {
    const zone = { "d.example": order.map((TXT) => ({ TXT })) }
    const report = await validateIn(zone, { domain: "d.example", ip: "192.0.2.1" })
    expect(report.spf_records_list.map(({ record }) => record)).toEqual(texts)
    expect([report.has_spf_record, report.spf_valid, report.ip_result]).toEqual([true, false, "permerror"])
    expect([report.spf_record, report.risk_score]).toEqual(["v=spf1 -all", 75])
  }
})

test("the fields of an answer show records outside ASCII as UTF-8 text", async () => {
  const report = await validateIn(records({ "d.example": "v=spf1 a:b\xc3\xbccher.example -all" }), {
    domain: "d.example",
  })
  expect(report.spf_record).toBe("v=spf1 a:bücher.example -all")
  expect([report.spf_records_list[0]?.chars_num, report.spf_valid]).toEqual([28, false])
})

test("a domain included twice counts twice and is listed once; a loop is not followed", async () => {
  const zone = records({
    "d.example": "v=spf1 include:e.example include:f.example -all",
    "e.example": "v=spf1 include:g.example ~all",
    "f.example": "v=spf1 include:e.example ~all",
    "g.example": "v=spf1 include:d.example ~all",
  })
  const report = await validateIn(zone, { domain: "d.example" })
  expect(report.dns_lookups_num).toBe(7)
  const order = ["d.example", "e.example", "g.example", "f.example"]
  expect(report.spf_records_list.map(({ origin }) => origin)).toEqual(order)
  expect(report.issues_found.map(({ code, domain }) => `${code} ${domain}`)).toEqual([
    "INCLUDE_LOOP g.example",
    "DUPLICATE_INCLUDE f.example",
  ])
  expect(report.spf_valid).toBe(false)
})

test("terms after all are neither counted nor looked up", async () => {
  const dns = recording(
    createZoneDns(records({ "d.example": "v=spf1 -all include:e.example a:f.example redirect=g.example" })),
  )
  const report = await validateIn(dns, { domain: "d.example" })
  expect(dns.questions).toEqual(["TXT d.example"])
  expect([report.dns_lookups_num, report.spf_valid]).toEqual([0, true])
})

test("a name below the domain without an answer is an issue and a temperror, not a failed call", async () => {
  const including = records({ "d.example": "v=spf1 include:e.example -all" })
  const zone: DnsZone = { ...including, "e.example": ["TIMEOUT"] }
  const report = await validateIn(zone, { domain: "d.example", ip: "192.0.2.1" })
  expect([report.ip_result, report.spf_valid, report.has_spf_record]).toEqual(["temperror", false, true])
  const failed = { code: "DNS_TEMPFAIL", domain: "d.example", term: "include:e.example" }
  expect(report.issues_found).toMatchObject([failed])
  expect([report.risk_score, report.risk_level]).toEqual([40, "medium"])
})

test("of many SPF records of one domain only two are read, which are a permerror", async () => {
  const explained = (i: number) => `v=spf1 ip4:192.0.2.${i % 256} exp=e${i}.example -all`
  const records = Array.from({ length: 500 }, (_, i) => explained(i))
  const dns = recording(answering(() => ({ kind: "records", records, messageBytes: 50_000 })))
  const report = await validateIn(dns, { domain: "d.example", ip: "192.0.2.1" })
  expect(report).toMatchObject({ ip_result: "permerror", spf_valid: false })
  expect(report.spf_records_list).toHaveLength(limits.recordsPerDomain)
})

test.each<[string, DnsZone]>([
  ["two records", { "d.example": [{ TXT: "v=spf1 -all" }, { TXT: "v=spf1 ip4:192.0.2.1 -all" }] }],
  [
    "eleven look-ups",
    records({
      "d.example": `v=spf1 ${Array.from({ length: 11 }, (_, n) => `exists:${n}.example`).join(" ")} -all`,
    }),
  ],
  [
    "a loop",
    records({ "d.example": "v=spf1 include:e.example -all", "e.example": "v=spf1 include:d.example -all" }),
  ],
  ["a slip", records({ "d.example": "v=spf1 inlcude:e.example -all" })],
  ["an include without a record", records({ "d.example": "v=spf1 include:e.example -all" })],
])("a record that protects nothing is of high risk: %s", async (_, zone) => {
  const report = await validateIn(zone, { domain: "d.example" })
  expect([report.all_qualifier, report.risk_score, report.risk_level]).toEqual(["fail", 75, "high"])
})

test("a record with too many look-ups says which term needs how many (RFC 7208 §4.6.4)", async () => {
  const zone: DnsZone = {
    "d.example": [{ TXT: "v=spf1 mx include:a.example include:b.example a:w.example -all" }],
    "a.example": [{ TXT: "v=spf1 include:c.example include:e.example include:f.example -all" }],
    "b.example": [{ TXT: "v=spf1 include:c.example -all" }],
    "c.example": [{ TXT: "v=spf1 a:w.example mx:w.example -all" }],
    "e.example": [{ TXT: "v=spf1 ip4:93.184.216.0/24 -all" }],
    "f.example": [{ TXT: "v=spf1 ip4:93.184.217.0/24 -all" }],
    "w.example": [{ A: "93.184.216.1" }, { MX: [1, "w.example"] }],
  }
  const report = await validateIn(zone, { domain: "d.example" })
  expect(report.dns_lookups_num).toBe(12)
  expect(report.issues_found[0]).toMatchObject({
    code: "TOO_MANY_LOOKUPS",
    message:
      "The record needs 12 DNS look-ups (6 for include:a.example, 4 for include:b.example, 1 for mx, 1 for a:w.example), but only 10 are allowed; remove includes or list networks instead (RFC 7208 §4.6.4).",
  })
})
