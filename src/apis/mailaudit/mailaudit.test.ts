import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as fc from "fast-check"
import {
  type Input,
  idsWith,
  kept,
  key,
  policy,
  policyUrl,
  without,
} from "../../../test/support/audited-domain.ts"
import { audit, lineOf, type Zone } from "../../../test/support/audits.ts"
import { portsFor } from "../../../test/support/zone-ports.ts"
import { maxDnsQuestions } from "../../call/dns-questions.ts"
import { grades } from "../../values/audit-report.ts"
import { mailaudit } from "../catalog.ts"
import type { WebFixture } from "../contract.ts"
import { exampleAnchor as trust_anchor } from "../mail/dnssec/example-zone.ts"
import { auditGiven } from "./example-domains.ts"
import { questionLimits } from "./facts.ts"
import { checks, lowestScores } from "./grade.ts"

test("a fixture domain for each grade: A: everything, and signed", async () => {
  const given = portsFor({ given: auditGiven })
  const run = () =>
    mailaudit.run(
      { domain: "all.dane.test", trust_anchor },
      { ports: given, giveWay: () => undefined, premium: true },
    )
  const answer = await run()
  expect(answer).toMatchObject({ grade: "A", score: 100, limited_by: [], fixes: [] })
  expect(await run()).toEqual(answer)
})
test.each<[string, Zone, WebFixture]>([
  ["B", kept, policy("enforce")],
  ["C", without("_mta-sts.firm.example", "_smtp._tls.firm.example"), {}],
  ["D", without("_mta-sts.firm.example", "_smtp._tls.firm.example", "s1._domainkey.firm.example"), {}],
  [
    "E",
    {
      "firm.example": [{ MX: [10, "mx.firm.example"] }, { TXT: "v=spf1 mx ~all" }],
      "mx.firm.example": [{ A: "198.51.100.25" }],
      "_dmarc.firm.example": [{ TXT: "v=DMARC1; p=none; rua=mailto:d@firm.example" }],
    },
    {},
  ],
  ["F", { "firm.example": [{ A: "198.51.100.25" }, { TXT: "v=spf1 +all" }] }, {}],
])("a fixture domain for each grade: %s", async (grade, zone, web) => {
  const { questions, ...answer } = await audit(zone, {}, web)
  expect(answer.grade as string).toBe(grade)
  expect((await audit(zone, {}, web)).checks).toEqual(answer.checks)
  expect(new Set(questions).size).toBe(questions.length)
})

test("a grade is limited to F while the signatures are wrong", async () => {
  const answer = await audit(auditGiven.dns, { domain: "expired.test" })
  expect([answer.grade, answer.statusOf("dnssec")]).toEqual(["F", "fail"])
})
test("a grade is limited to C while forged mail is delivered", async () => {
  const records = [{ TXT: "v=DMARC1; p=none; rua=mailto:d@firm.example" }]
  const answer = await audit({ ...kept, "_dmarc.firm.example": records }, {}, policy("enforce"))
  expect(answer).toMatchObject({ grade: "C" })
  expect(answer.statusOf("dmarc_policy")).toBe("fail")
})
test("a grade is limited to D while a policy keeps mail from a server", async () => {
  const answer = await audit(kept, {}, policy("enforce", "other.firm.example"))
  expect(answer).toMatchObject({ grade: "D", limited_by: ["mta_sts"] })
  expect(answer.whyOf("mta_sts")).toContain("mx.firm.example")
})
test("a grade is limited to F without a mail server that has an address", async () =>
  expect(await audit(without("mx.firm.example"), {}, policy("enforce"))).toMatchObject({ grade: "F" }))

test("a domain without mail needs no keys and no encrypted delivery", async () => {
  const answer = await audit({
    "firm.example": [{ MX: [0, ""] }, { TXT: "v=spf1 -all" }, { CAA: '0 issue ";"' }],
    "_dmarc.firm.example": [{ TXT: "v=DMARC1; p=reject" }],
  })
  const skipped = answer.checks.filter(({ status }) => status === "not_applicable").map(({ id }) => id)
  expect(skipped).toEqual(
    "mail_servers reverse_names dkim_key dmarc_reports dnssec dane mta_sts tls_reports bimi".split(" "),
  )
  expect(answer.checks.filter(({ status }) => status === "fail").map(({ id }) => id)).toEqual([])
})

test("a selector that is asked for is looked up, and one without a key fails", async () => {
  const zone = { ...without("s1._domainkey.firm.example"), "odd-name._domainkey.firm.example": key ?? [] }
  expect((await audit(zone)).statusOf("dkim_key")).toBe("fail")
  expect((await audit(zone, { selectors: ["ODD-name"] })).statusOf("dkim_key")).toBe("pass")
  const gone = await audit(kept, { selectors: ["gone"] })
  expect(gone.whyOf("dkim_key")).toContain("gone._domainkey.firm.example")
})

test("what gets no answer is unknown and brings no points; without any answer the call is refused", async () => {
  const answer = await audit({ ...kept, "_smtp._tls.firm.example": ["SERVFAIL"] }, {}, policy("enforce"))
  const reports = answer.checks.find(({ id }) => id === "tls_reports")
  expect(reports).toMatchObject({ status: "unknown", points: 0, max_points: 4 })
  const silent = audit({ "firm.example": ["TIMEOUT"], "_dmarc.firm.example": ["TIMEOUT"] })
  expect(silent).rejects.toThrow("no answer")
})

test("without HTTPS requests the policy is unknown", async () =>
  expect((await audit(kept, {}, { [policyUrl]: { failure: "off" } })).statusOf("mta_sts")).toBe("unknown"))

test.each<[Partial<Input>, string]>([
  [{ domain: "localhost" }, "domain"],
  [{ domain: `${"a.".repeat(16)}example` }, "at most 16 labels"],
  [{ domain: `${"a".repeat(60)}.${"b".repeat(60)}.${"c".repeat(60)}.example` }, "at most 160 bytes"],
  [{ selectors: ["a..b"] }, "selectors"],
  [{ selectors: ["ü"] }, "selectors"],
  [{ trust_anchor: "KSK-2017" }, "trust_anchor"],
])("%j is refused", (input, message) => expect(audit(kept, input)).rejects.toThrow(message))

test("reports to a domain that takes no mail reach nobody", async () => {
  const records = [{ TXT: "v=DMARC1; p=reject; rua=mailto:d@deaf.example" }]
  const zone: Zone = {
    ...kept,
    "_dmarc.firm.example": records,
    "firm.example._report._dmarc.deaf.example": [{ TXT: "v=DMARC1" }],
    "deaf.example": [{ MX: [0, ""] }],
  }
  const { whyOf } = await audit(zone)
  expect(whyOf("dmarc_reports")).toBe("Reports go to deaf.example, where no mail arrives.")
})

test("a mail server without an address is no fault of DANE, and limits no grade", async () => {
  const servers = [{ MX: [10, "mx.firm.example"] }, { MX: [20, "gone.firm.example"] }] as const
  const zone: Zone = { ...kept, "firm.example": [...(kept["firm.example"] ?? []).slice(1), ...servers] }
  const answer = await audit(zone, {}, policy("enforce", "*.firm.example"))
  expect(answer.whyOf("mail_servers")).toContain("gone.firm.example")
  expect(answer.whyOf("dane")).not.toContain("gone.firm.example")
  expect(answer).toMatchObject({ limited_by: [] })
  expect(JSON.stringify(answer.checks)).not.toContain("Mend the signatures")
})

test("an audit that may not ask more does not say that the DNS was silent", async () => {
  const mx = (host: string) => ({ MX: [10, host] as [number, string] })
  const domains = Array.from({ length: 9 }, (_, at) => `d${at}.example`)
  const hosts = (domain: string) => Array.from({ length: 10 }, (_, at) => `m${at}.${domain}`)
  const entries = domains.flatMap((domain): [string, Zone[string]][] => [
    [domain, hosts(domain).map(mx)],
    ...hosts(domain).map((host): [string, Zone[string]] => [host, [{ A: "198.51.100.9" }]]),
  ])
  const spf = `v=spf1 ${domains.map((domain) => `mx:${domain}`).join(" ")} -all`
  const own = [...hosts("d0.example").map(mx), { TXT: spf }]
  const answer = await audit({ ...kept, ...Object.fromEntries(entries), "firm.example": own })
  const unknown = answer.checks.filter(({ status }) => status === "unknown")
  expect(unknown.map(({ id }) => id)).toEqual(["spf_record", "spf_policy", "dane"])
  for (const { why } of unknown)
    expect(why).toMatch(/^The audit asks at most \d+ DNS questions for this, and the domain needs more\.$/)
  expect(JSON.stringify(answer)).not.toContain("gave no answer")
})

test.each(["10.0.0.5", "127.0.0.1", "169.254.1.1", "100.64.0.9", "fd00::25", "::1", "fe80::1"])(
  "nobody delivers to a mail server with the address %s alone",
  async (address) => {
    const record = address.includes(":") ? { AAAA: address } : { A: address }
    const answer = await audit({ ...kept, "mx.firm.example": [record] }, {}, policy("enforce"))
    expect(answer).toMatchObject({ grade: "F" })
    expect(answer.whyOf("mail_servers")).toContain(`mx.firm.example has ${address}`)
  },
)

test("an MX record that names an address is told as such", async () => {
  const answer = await audit({ ...kept, "firm.example": [{ MX: [10, "198.51.100.25"] }] })
  expect(answer.whyOf("mail_servers")).toBe(
    "No mail server has an address: 198.51.100.25, an address where the name of a server belongs.",
  )
})

test("a null MX beside others is named (RFC 7505 §3)", async () => {
  const zone: Zone = { ...kept, "firm.example": [{ MX: [0, ""] }, ...(kept["firm.example"] ?? [])] }
  const answer = await audit(zone, {}, policy("enforce"))
  expect([answer.statusOf("mail_servers"), answer.whyOf("mail_servers")]).toEqual([
    "warning",
    expect.stringContaining("null MX"),
  ])
})

test("what gets no answer is never told as missing or wrong, whichever name of the domain it is", async () => {
  const zone: Zone = {
    ...kept,
    "firm.example": [
      { MX: [10, "mx.firm.example"] },
      { TXT: "v=spf1 mx include:spf.firm.example -all" },
      { CAA: '0 issue "ca.example"' },
    ],
    "spf.firm.example": [{ TXT: "v=spf1 ip4:93.184.216.0/24 -all" }],
    "mta-sts.firm.example": [{ A: "198.51.100.81" }],
  }
  const bad = idsWith(await audit(zone, {}, policy("enforce")), "fail", "warning")
  // Checks that need DNSSEC fail from the start.
  expect(bad).toEqual(["dnssec", "dane"])
  for (const name of Object.keys(zone)) {
    const web =
      name === "mta-sts.firm.example"
        ? { [policyUrl]: { failure: "unreachable" } as const }
        : policy("enforce")
    const answer = await audit({ ...zone, [name]: ["SERVFAIL"] }, {}, web).catch(() => null)
    // Without an answer for the domain itself there is no audit.
    if (answer === null) expect(name).toBe("firm.example")
    else {
      const worse = idsWith(answer, "fail", "warning").filter((id) => !bad.includes(id))
      expect({ name, worse }).toEqual({ name, worse: [] })
      expect({ name, isUnknown: idsWith(answer, "unknown").length > 0 }).toEqual({ name, isUnknown: true })
    }
  }
})

test("what is proposed and told holds for the mail servers after the fifth too", async () => {
  const hosts = ["a", "b", "c", "d", "e", "f", "g"].map((label) => `${label}.firm.example`)
  const zoneWith = (alive: readonly string[]): Zone => ({
    ...without("_mta-sts.firm.example"),
    "firm.example": [
      ...hosts.map((host, index) => ({ MX: [index, host] as const })),
      { TXT: "v=spf1 mx -all" },
    ],
    ...Object.fromEntries(alive.map((host) => [host, [{ A: "198.51.100.25" }]])),
  })
  const { fixes, whyOf } = await audit(zoneWith(hosts))
  expect(whyOf("mail_servers")).toBe(
    "Mail goes to a.firm.example, b.firm.example, c.firm.example and 4 more.",
  )
  const { file } = fixes.find(({ check }) => check === "mta_sts") ?? {}
  expect([...(file?.text.match(/^mx: .*$/gm) ?? [])]).toEqual(hosts.map((host) => `mx: ${host}`))
  const last = await audit(zoneWith(["g.firm.example"]))
  expect(last.whyOf("mail_servers")).toStartWith("Mail servers without an address: a.firm.example")
})

test("a policy that could not be read is not replaced by one that only tests", async () => {
  const fixed = async (reply: WebFixture[string]) =>
    lineOf(await audit(kept, {}, { [policyUrl]: reply }), "mta_sts")
  for (const reply of [
    { failure: "expired-certificate" },
    { failure: "too-large" },
    { failure: "tls" },
    { failure: "private-address" },
    { status: 301, body: "" },
    { status: 503, body: "" },
  ] as const)
    expect({ reply, line: await fixed(reply) }).toEqual({ reply, line: null })
  expect(await fixed({ status: 404, body: "" })).toContain("v=STSv1; id=")
  expect(await fixed({ failure: "no-address" })).toContain("v=STSv1; id=")
})

test("a logo whose host does not answer is not told as wrong", async () => {
  const record = "v=BIMI1; l=https://logo.firm.example/a.svg; a="
  const zone: Zone = { ...kept, "default._bimi.firm.example": [{ TXT: record }] }
  const audited = (host: Zone, failure: "timeout" | "dns" | "no-address") =>
    audit({ ...zone, ...host }, {}, { "https://logo.firm.example/a.svg": { failure } })
  const silent = { "logo.firm.example": ["SERVFAIL"] } as const
  const there = { "logo.firm.example": [{ A: "198.51.100.81" }] } as const
  expect((await audited(there, "timeout")).statusOf("bimi")).toBe("unknown")
  expect((await audited(silent, "dns")).statusOf("bimi")).toBe("unknown")
  expect((await audited({}, "no-address")).statusOf("bimi")).toBe("fail")
})

test("the SPF record proposed without MX records lets the server of the domain send, which is the domain itself", async () => {
  const address = { A: "198.51.100.25" }
  const zone: Zone = { "firm.example": [address], "s1._domainkey.firm.example": key ?? [] }
  const lines = async (given: Zone) => lineOf(await audit(given, { selectors: ["s1"] }), "spf_record")
  expect(await lines(zone)).toContain('"v=spf1 a ~all"')
  const named: Zone = {
    ...zone,
    "firm.example": [{ MX: [10, "mx.firm.example"] }],
    "mx.firm.example": [address],
  }
  expect(await lines(named)).toContain('"v=spf1 mx ~all"')
})

test("a softfail protects where DMARC asks for more, and little without", async () => {
  const softfail = [{ MX: [10, "mx.firm.example"] }, { TXT: "v=spf1 mx ~all" }] as const
  const zone: Zone = { ...kept, "firm.example": softfail }
  expect((await audit(zone)).statusOf("spf_policy")).toBe("pass")
  const policy = [{ TXT: "v=DMARC1; p=none; rua=mailto:d@firm.example" }]
  const alone = await audit({ ...zone, "_dmarc.firm.example": policy })
  expect(alone.checks.find(({ id }) => id === "spf_policy")).toMatchObject({ status: "warning", points: 3 })
  expect(alone.whyOf("spf_policy")).not.toMatch(/ fails?\b/)
})

test.each<[string, string, string]>([
  ["dmarc_policy", "v=DMARC1; p=reject; pct=20; rua=mailto:d@firm.example", "20 %"],
  ["spf_record", "v=spf1 mx ptr -all", "ptr"],
])("%s passes on what %s says", async (id, record, text) => {
  const zone: Zone = record.startsWith("v=spf1")
    ? { ...kept, "firm.example": [{ MX: [10, "mx.firm.example"] }, { TXT: record }] }
    : { ...kept, "_dmarc.firm.example": [{ TXT: record }] }
  const answer = await audit(zone)
  expect([answer.statusOf(id), answer.whyOf(id)]).toEqual(["warning", expect.stringContaining(text)])
})

test("any records give a grade and points within their bounds", async () => {
  const text = fc.oneof(
    fc.string({ unit: "binary-ascii", maxLength: 40 }),
    fc
      .array(
        fc.constantFrom(
          ..."v=spf1 v=DMARC1; p=none; p=reject; mx -all ?all redirect=x.example".split(" "),
          ..."rua=mailto:a@b.example; t=y; v=STSv1; id=1;".split(" "),
        ),
        { maxLength: 6 },
      )
      .map((words) => words.join(" ")),
  )
  const names = Object.keys(kept)
  const zones = fc.dictionary(
    fc.constantFrom(...names),
    fc.array(
      text.map((TXT) => ({ TXT })),
      { maxLength: 3 },
    ),
  )
  await fc.assert(
    fc.asyncProperty(zones, async (zone) => {
      const answer = await audit({ ...kept, ...zone }, {}, policy("enforce"))
      expect(answer.checks.map(({ id }) => id)).toEqual(checks.map(({ id }) => id))
      for (const { points, max_points, why } of answer.checks) {
        expect(points).toBeGreaterThanOrEqual(0)
        expect(points).toBeLessThanOrEqual(max_points)
        expect(why).toMatch(/\S/)
      }
      expect(answer.score).toBeGreaterThanOrEqual(0)
      expect(grades.indexOf(answer.grade)).toBeGreaterThanOrEqual(
        grades.findIndex((grade) => answer.score >= lowestScores[grade]),
      )
      for (const { line } of answer.fixes) if (line !== null) expect(line).not.toMatch(/[\n\r]/)
    }),
    { seed: 27, numRuns: 60 },
  )
})

test("the weights make 100, and the questions of all parts and three documents are no more than a call may ask", () => {
  expect(checks.reduce((sum, { weight }) => sum + weight, 0)).toBe(100)
  const questions = Object.values(questionLimits).reduce((sum, limit) => sum + limit, 0)
  expect(questions + 3 * 8).toBeLessThanOrEqual(maxDnsQuestions)
})

test("docs/mailaudit.md has the same table", () => {
  const page = readFileSync(join(import.meta.dir, "../../../docs/mailaudit.md"), "utf8")
  for (const { id, title, weight, source } of checks)
    expect(page).toContain(`| \`${id}\` | ${title} | ${weight} | ${source} |`)
  for (const grade of grades) expect(page).toContain(`| ${grade} | ${lowestScores[grade]} |`)
})

test("a DNS server that does not pass on DNSSEC says nothing of the domain: unknown, and no wrong signatures", async () => {
  const answer = await audit({ ...kept, ".": [] }, {}, policy("enforce"))
  expect([answer.statusOf("dnssec"), answer.statusOf("dane")]).toEqual(["unknown", "unknown"])
  expect(answer.whyOf("dnssec")).toContain("does not pass on DNSSEC")
  expect(answer.grade).not.toBe("F")
  expect(JSON.stringify(answer)).not.toContain("signatures are wrong")
})
