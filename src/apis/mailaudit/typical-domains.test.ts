/** Seven domains as a mail administrator meets them: what an audit says, and finds once all that it proposes is published. */
import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { applyAll, audit, type Zone } from "../../../test/support/audits.ts"
import { runCliForTest } from "../../../test/support/cli.ts"
import { hostileAnchor } from "../../../test/support/hostile-signer.ts"
import { startTestMock } from "../../../test/support/mock.ts"
import { signedEntries } from "../../../test/support/signed-entries.ts"
import { tempDir } from "../../../test/support/temp.ts"
import { portsFor } from "../../../test/support/zone-ports.ts"
import { exampleGiven, exampleAnchor as trust_anchor } from "../mail/dnssec/example-zone.ts"
import { auditGiven } from "./example-domains.ts"

const key = auditGiven.dns["s1._domainkey.all.dane.test"] ?? []
/** Records that name the addresses of servers, and lead back to their names. */
const server = (host: string, last: number): Zone => ({
  [host]: [{ A: `198.51.100.${last}` }],
  [`${last}.100.51.198.in-addr.arpa`]: [{ PTR: host }],
})
const senders = (name: string, ...included: readonly string[]): Zone => ({
  [name]: [
    { TXT: ["v=spf1", ...included.map((one) => `include:${one}`), "ip4:93.184.216.0/24", "~all"].join(" ") },
  ],
})
const sendersWithParts = (name: string, letters: string): Zone => {
  const parts = [...letters].map((letter) => `${letter}.${name}`)
  return Object.assign(senders(name, ...parts), ...parts.map((part) => senders(part)))
}

const google: Zone = {
  "firm.example": [
    { MX: [1, "aspmx.l.google.com"] },
    { MX: [5, "alt1.aspmx.l.google.com"] },
    { TXT: "v=spf1 include:_spf.google.com ~all" },
    { TXT: "google-site-verification=abc" },
  ],
  ...server("aspmx.l.google.com", 26),
  ...server("alt1.aspmx.l.google.com", 27),
  ...senders("_spf.google.com"),
  "google._domainkey.firm.example": key,
  "_dmarc.firm.example": [{ TXT: "v=DMARC1; p=none" }],
}

const microsoft: Zone = {
  "firm.example": [
    { MX: [0, "firm-example.mail.protection.outlook.com"] },
    {
      TXT: "v=spf1 include:spf.protection.outlook.com include:servers.mcsv.net include:_spf.salesforce.com include:shop.example include:desk.example -all",
    },
  ],
  ...server("firm-example.mail.protection.outlook.com", 28),
  ...senders("spf.protection.outlook.com"),
  ...senders("servers.mcsv.net"),
  ...senders("_spf.salesforce.com", "a.salesforce.com", "b.salesforce.com"),
  ...senders("a.salesforce.com"),
  ...senders("b.salesforce.com"),
  ...sendersWithParts("shop.example", "abcd"),
  ...sendersWithParts("desk.example", "abcde"),
  "selector1._domainkey.firm.example": [{ CNAME: "selector1-firm._domainkey.firm.onmicrosoft.com" }],
  "selector1-firm._domainkey.firm.onmicrosoft.com": key,
  "_dmarc.firm.example": [{ TXT: "v=DMARC1; p=none; rua=mailto:dmarc@firm.example" }],
}

const address = [{ A: "198.51.100.80" }]
const parked: Zone = { "firm.example": address, "www.firm.example": address }
const nullMx: Zone = { "firm.example": [{ A: "198.51.100.80" }, { MX: [0, ""] }] }

const shortKey =
  "v=DKIM1; k=rsa; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQCuU9nM9sf5VD+sckW+eRTCa3T5bH2cezYZEluy1L/wEwHMQayLPmKEBTPEGlc5kFj0xjS29v9h50rtuJAxlE1XHBCWtvtfSiRuHFs2aGNcirn8I+aI6aT1GkvHkBkwmKyTtX6JMbdlR96nZw4XiZNUk/fUieGByKnEwja/rSoX4QIDAQAB"
const marketing: Zone = {
  "firm.example": [
    { MX: [10, "mx.firm.example"] },
    { TXT: "v=spf1 mx include:servers.mcsv.net ~all" },
    { TXT: "v=spf1 include:mailgun.example ~all" },
  ],
  ...server("mx.firm.example", 25),
  ...senders("servers.mcsv.net"),
  ...senders("mailgun.example"),
  "k1._domainkey.firm.example": [{ TXT: shortKey }],
}

const subdomain: Zone = {
  "firm.example": [{ A: "198.51.100.80" }, { CAA: '0 issue "ca.example"' }, { MX: [10, "mx.firm.example"] }],
  ...server("mx.firm.example", 25),
  "_dmarc.firm.example": [{ TXT: "v=DMARC1; p=reject; rua=mailto:dmarc@firm.example" }],
  "news.firm.example": [{ TXT: "v=spf1 include:amazonses.com ~all" }],
  ...senders("amazonses.com"),
  "s1._domainkey.news.firm.example": key,
}

const tlsa = { TLSA: [`3 1 1 ${"5e".repeat(32)}`] }
const selfHosted = (backup: Partial<Record<"A" | "TLSA", string[]>>): Zone => {
  const records = {
    "self.test": {
      MX: ["10 mx.self.test.", "20 backup.self.test."],
      SOA: ["ns.self.test. h.self.test. 1 900 900 900 300"],
    },
    "mx.self.test": { A: ["198.51.100.25"] },
    "_25._tcp.mx.self.test": tlsa,
    "backup.self.test": { A: backup.A ?? [] },
    "_25._tcp.backup.self.test": { TLSA: backup.TLSA ?? [] },
    "_25._tcp.self.test": {},
  }
  const entries = signedEntries("self.test", records, "2026-11-23T12:00:00Z")
  return {
    ...entries,
    "self.test": [
      ...(entries["self.test"] ?? []),
      { TXT: "v=spf1 mx -all" },
      { CAA: '0 issue "ca.example"' },
    ],
    "25.100.51.198.in-addr.arpa": [{ PTR: "mx.self.test" }],
    "29.100.51.198.in-addr.arpa": [{ PTR: "backup.self.test" }],
    "s1._domainkey.self.test": key,
    "_dmarc.self.test": [{ TXT: "v=DMARC1; p=reject; rua=mailto:dmarc@self.test" }],
    "_smtp._tls.self.test": [{ TXT: "v=TLSRPTv1; rua=mailto:tls@self.test" }],
  }
}

/** The checks that are not as they should be. */
const lacking = ({ checks }: Awaited<ReturnType<typeof audit>>) =>
  checks.filter(({ status }) => ["fail", "warning", "unknown"].includes(status)).map(({ id }) => id)
const linesOf = ({ fixes }: Awaited<ReturnType<typeof audit>>) =>
  fixes.flatMap(({ line, action }) =>
    line === null ? [] : [`${action} ${line.replace(/id=\w{16}/, "id=…")}`],
  )
const noteOf = ({ fixes }: Awaited<ReturnType<typeof audit>>, check: string) =>
  fixes.find((fix) => fix.check === check)?.note

/** An audit of a domain of which everything gets an answer, so that nothing is unknown. */
async function auditAnswered(...given: Parameters<typeof audit>) {
  const answer = await audit(...given)
  expect(answer.checks.filter(({ status }) => status === "unknown")).toEqual([])
  return answer
}

const testing = 'add _mta-sts.firm.example. 3600 IN TXT "v=STSv1; id=…"'
const tlsReports =
  'add _smtp._tls.firm.example. 3600 IN TXT "v=TLSRPTv1; rua=mailto:tls-reports@firm.example"'
test("Google with 'p=none' that nobody reads: reports first, then the policy, and no line for SPF or TLSA", async () => {
  const before = await auditAnswered(google)
  expect(before.grade).toBe("E")
  expect(linesOf(before).sort()).toEqual(
    [
      'replace _dmarc.firm.example. 3600 IN TXT "v=DMARC1; p=none; rua=mailto:dmarc-reports@firm.example"',
      ...[testing, tlsReports],
    ].sort(),
  )
  expect(noteOf(before, "dane")).toContain("only whoever runs them")
  expect(before.fixes.find(({ file }) => file)?.file?.text).toBe(
    "version: STSv1\r\nmode: testing\r\nmx: aspmx.l.google.com\r\nmx: alt1.aspmx.l.google.com\r\nmax_age: 604800\r\n",
  )
  const after = await applyAll(before, google)
  expect(linesOf(after)[0]).toBe(
    'replace _dmarc.firm.example. 3600 IN TXT "v=DMARC1; p=quarantine; rua=mailto:dmarc-reports@firm.example"',
  )
})

test("Microsoft with 16 look-ups: each include with what it costs, and no line that drops one", async () => {
  const before = await auditAnswered(microsoft)
  expect(before.grade).toBe("E")
  expect(before.whyOf("spf_record")).toContain(
    "16 DNS look-ups (6 for include:desk.example, 5 for include:shop.example, 3 for include:_spf.salesforce.com",
  )
  expect(linesOf(before).filter((line) => line.includes("spf1"))).toEqual([])
  expect(linesOf(before)[0]).toBe(
    'replace _dmarc.firm.example. 3600 IN TXT "v=DMARC1; p=quarantine; rua=mailto:dmarc@firm.example"',
  )
  await applyAll(before, microsoft)
})

test.each<[string, Zone, string[]]>([
  ["parked, with an address", parked, ["add firm.example. 3600 IN MX 0 ."]],
  ["with a null MX", nullMx, []],
])("%s: the records that say that there is no mail, and then an A", async (_, zone, first) => {
  const before = await auditAnswered(zone)
  expect(before.grade).toBe("F")
  expect(linesOf(before)).toEqual([
    ...first,
    'add firm.example. 3600 IN TXT "v=spf1 -all"',
    'add _dmarc.firm.example. 3600 IN TXT "v=DMARC1; p=reject"',
  ])
  // No line is told to make the domain worse, and none asks for keys, encryption or mailboxes.
  expect(before.fixes.filter(({ points, line }) => points < 0 || line === null)).toEqual([])
  expect(await applyAll(before, zone)).toMatchObject({ grade: "A", score: 100, fixes: [] })
})

test.each<[string, Parameters<typeof selfHosted>[0], string, string[]]>([
  // SPF looks for the addresses of all mail servers, but one check is enough for a server without any.
  ["a dead backup", {}, "B", ["mail_servers", "mta_sts"]],
  ["a backup without TLSA records", { A: ["198.51.100.29"] }, "B", ["dane", "mta_sts"]],
  ["a whole backup", { A: ["198.51.100.29"], ...tlsa }, "A", ["mta_sts"]],
])("self-hosted with DANE and %s", async (_, backup, grade, ids) => {
  const before = await auditAnswered(selfHosted(backup), { domain: "self.test", trust_anchor: hostileAnchor })
  expect([before.grade as string, before.limited_by, lacking(before)]).toEqual([grade, [], ids])
  expect(JSON.stringify(before)).not.toContain("Mend the signatures")
  const isDead = ids.includes("mail_servers")
  expect(before.fixes.find(({ file }) => file)?.file?.text.includes("backup.self.test")).toBe(!isDead)
  if (isDead) expect(before.whyOf("mail_servers")).toContain("without an address: backup.self.test")
  if (ids.includes("dane")) {
    expect(before.whyOf("dane")).toContain("backup.self.test (it has no TLSA record)")
    expect(noteOf(before, "dane")).not.toContain("signed first")
  }
  await applyAll(before, selfHosted(backup), {}, { trust_anchor: hostileAnchor })
})

test("marketing with two SPF records and a short key: the merged record, and reports first", async () => {
  const before = await auditAnswered(marketing)
  expect(before.grade).toBe("F")
  const merged = linesOf(before).filter((line) => line.includes("spf1"))
  expect(merged).toHaveLength(1)
  expect(merged[0]).toStartWith('replace firm.example. 3600 IN TXT "v=spf1 ')
  expect(
    merged[0]
      ?.match(/"(.*)"/)?.[1]
      ?.split(" ")
      .sort(),
  ).toEqual(["v=spf1", "mx", "include:servers.mcsv.net", "include:mailgun.example", "~all"].sort())
  expect(linesOf(before)[0]).toBe(
    'add _dmarc.firm.example. 3600 IN TXT "v=DMARC1; p=none; rua=mailto:dmarc-reports@firm.example"',
  )
  expect(before.whyOf("dkim_key")).toContain("k1._domainkey.firm.example")
  expect((await applyAll(before, marketing)).score).toBeGreaterThan(before.score + 20)
})

test("two DMARC records become one, with the addresses for reports of both and without their policies", async () => {
  const zone: Zone = {
    ...google,
    "_dmarc.firm.example": [
      {
        TXT: "v=DMARC1; p=none; rua=mailto:a@firm.example,mailto:b@firm.example!10m; ruf=mailto:f@firm.example",
      },
      { TXT: "v=DMARC1; p=reject; sp=reject; rua=mailto:a@firm.example,mailto:c@firm.example,nobody" },
    ],
  }
  const before = await auditAnswered(zone)
  expect(before.statusOf("dmarc_record")).toBe("fail")
  expect(linesOf(before).filter((line) => line.includes("_dmarc"))).toEqual([
    'replace _dmarc.firm.example. 3600 IN TXT "v=DMARC1; p=none; rua=mailto:a@firm.example,mailto:b@firm.example,mailto:c@firm.example; ruf=mailto:f@firm.example"',
  ])
  await applyAll(before, zone)
})

test("a subdomain that only sends: the policy above counts, and nothing for a server that it does not have", async () => {
  const before = await auditAnswered(subdomain, { domain: "news.firm.example" })
  expect(before.grade).toBe("C")
  expect(lacking(before)).toEqual(["mail_servers", "dnssec"])
  expect(linesOf(before)).toEqual([])
  await applyAll(before, subdomain)
})

test("REST, by which the page asks too, and audit-mail say the same of each of them", async () => {
  const mock = await startTestMock({ plan: "pro" })
  const { now } = exampleGiven
  const anchor = join(tempDir(), "anchor")
  writeFileSync(anchor, `. IN DS ${trust_anchor}\n`)
  await mock.control("PUT", "/clock", { now })
  for (const [domain, zone] of [
    ["firm.example", google],
    ["firm.example", microsoft],
    ["firm.example", parked],
    ["firm.example", nullMx],
    ["firm.example", marketing],
    ["news.firm.example", subdomain],
  ] as const) {
    const { statusOf: _, whyOf: _why, questions: _questions, ...expected } = await audit(zone, { domain })
    const dns = { ...exampleGiven.dns, ...zone }
    expect((await mock.control("PUT", "/dns", dns)).code).toBe(200)
    const query = new URLSearchParams({ domain, trust_anchor })
    const answer = await mock.fetch(`/v1/mailaudit?${query}`, { key: "mock-pro" })
    expect((await answer.json()) as unknown).toMatchObject({ data: expected })
    const anchored = ["--dnssec-anchor", anchor, "--fail-below", "F", "--json"]
    const ports = portsFor({ given: { now, dns } })
    const { out } = await runCliForTest(["audit-mail", domain, ...anchored], { ports })
    expect(JSON.parse(out) as unknown).toEqual(expected)
  }
})
