import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as fc from "fast-check"
import { countingDns } from "../../../test/support/counting-dns.ts"
import { portsFor } from "../../../test/support/zone-ports.ts"
import { maxDnsQuestions } from "../../call/dns-questions.ts"
import { mailaudit } from "../catalog.ts"
import type { DnsZone, WebFixture, ZoneEntry } from "../contract.ts"
import { exampleGiven, exampleAnchor as trust_anchor } from "../mail/dnssec/example-zone.ts"
import { grades } from "./check.ts"
import { checks } from "./checks.ts"
import { auditGiven } from "./example-domains.ts"
import { questionLimits } from "./facts.ts"
import { lowestScores } from "./grade.ts"

type Input = Parameters<typeof mailaudit.run>[0]
type Zone = Record<string, readonly ZoneEntry[]>

const { now } = exampleGiven
const { dns: signed } = exampleGiven

/** Audits a domain whose DNS has these records below the signed root of the examples. */
async function audit(zone: DnsZone, input: Partial<Input> = {}, web: WebFixture = {}, premium = true) {
  const ports = portsFor({ given: { now, dns: { ...signed, ...zone }, web } })
  const counting = countingDns(ports.dns)
  const answer = await mailaudit.run(
    { domain: "firm.example", trust_anchor, ...input },
    { ports: { ...ports, dns: counting }, giveWay: () => undefined, premium },
  )
  const statusOf = (id: string) => answer.checks.find((check) => check.id === id)?.status
  const whyOf = (id: string) => answer.checks.find((check) => check.id === id)?.why
  return { ...answer, statusOf, whyOf, questions: counting.questions }
}

const key = auditGiven.dns["s1._domainkey.all.dane.test"]
const policyUrl = "https://mta-sts.firm.example/.well-known/mta-sts.txt"
const policy = (mode: string, host = "mx.firm.example") => ({
  [policyUrl]: { body: `version: STSv1\nmode: ${mode}\nmx: ${host}\nmax_age: 604800\n` },
})

/** A domain with all that needs no signatures. */
const kept: Zone = {
  "firm.example": [
    { MX: [10, "mx.firm.example"] },
    { TXT: "v=spf1 mx -all" },
    { CAA: '0 issue "ca.example"' },
  ],
  "mx.firm.example": [{ A: "198.51.100.25" }],
  "25.100.51.198.in-addr.arpa": [{ PTR: "mx.firm.example" }],
  "s1._domainkey.firm.example": key ?? [],
  "_dmarc.firm.example": [{ TXT: "v=DMARC1; p=reject; rua=mailto:d@firm.example" }],
  "_mta-sts.firm.example": [{ TXT: "v=STSv1; id=1" }],
  "_smtp._tls.firm.example": [{ TXT: "v=TLSRPTv1; rua=mailto:t@firm.example" }],
}
const without = (...names: readonly string[]): Zone =>
  Object.fromEntries(Object.entries(kept).filter(([name]) => !names.includes(name)))

describe("a fixture domain for each grade", () => {
  test("A: everything, and signed", async () => {
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
  ])("%s", async (grade, zone, web) => {
    const { questions, ...answer } = await audit(zone, {}, web)
    expect(answer.grade as string).toBe(grade)
    const again = await audit(zone, {}, web)
    expect(again.checks).toEqual(answer.checks)
    expect(new Set(questions).size).toBe(questions.length)
  })
})

describe("a grade is limited", () => {
  test("to F while the signatures are wrong", async () => {
    const answer = await audit(auditGiven.dns, { domain: "expired.test" })
    expect(answer.grade).toBe("F")
    expect(answer.statusOf("dnssec")).toBe("fail")
  })
  test("to C while forged mail is delivered", async () => {
    const records = [{ TXT: "v=DMARC1; p=none; rua=mailto:d@firm.example" }]
    const answer = await audit({ ...kept, "_dmarc.firm.example": records }, {}, policy("enforce"))
    expect(answer).toMatchObject({ grade: "C" })
    expect(answer.statusOf("dmarc_policy")).toBe("fail")
  })
  test("to D while a policy keeps mail from a server", async () => {
    const answer = await audit(kept, {}, policy("enforce", "other.firm.example"))
    expect(answer).toMatchObject({ grade: "D", limited_by: ["mta_sts"] })
    expect(answer.whyOf("mta_sts")).toContain("mx.firm.example")
  })
  test("to F without a mail server that has an address", async () => {
    expect(await audit(without("mx.firm.example"), {}, policy("enforce"))).toMatchObject({ grade: "F" })
  })
})

test("a domain without mail needs no keys and no encrypted delivery", async () => {
  const answer = await audit({
    "firm.example": [{ MX: [0, ""] }, { TXT: "v=spf1 -all" }, { CAA: '0 issue ";"' }],
    "_dmarc.firm.example": [{ TXT: "v=DMARC1; p=reject; rua=mailto:d@firm.example" }],
  })
  const skipped = answer.checks.filter(({ status }) => status === "not_applicable").map(({ id }) => id)
  expect(skipped).toEqual([
    "mail_servers",
    "reverse_names",
    "dkim_key",
    "dane",
    "mta_sts",
    "tls_reports",
    "bimi",
  ])
  expect(answer.checks.filter(({ status }) => status === "fail").map(({ id }) => id)).toEqual(["dnssec"])
})

test("a selector that is asked for is looked up, and one without a key fails", async () => {
  const zone = { ...without("s1._domainkey.firm.example"), "odd-name._domainkey.firm.example": key ?? [] }
  expect((await audit(zone)).statusOf("dkim_key")).toBe("fail")
  expect((await audit(zone, { selectors: ["ODD-name"] })).statusOf("dkim_key")).toBe("pass")
  expect((await audit(kept, { selectors: ["gone"] })).whyOf("dkim_key")).toContain(
    "gone._domainkey.firm.example",
  )
})

test("what gets no answer is unknown and brings no points; without any answer the call is refused", async () => {
  const answer = await audit({ ...kept, "_smtp._tls.firm.example": ["SERVFAIL"] }, {}, policy("enforce"))
  expect(answer.checks.find(({ id }) => id === "tls_reports")).toMatchObject({
    status: "unknown",
    points: 0,
    max_points: 4,
  })
  expect(audit({ "firm.example": ["TIMEOUT"], "_dmarc.firm.example": ["TIMEOUT"] })).rejects.toThrow(
    "no answer",
  )
})

test("without HTTPS requests the policy is unknown", async () => {
  const answer = await audit(kept, {}, { [policyUrl]: { failure: "off" } })
  expect(answer.statusOf("mta_sts")).toBe("unknown")
})

test.each<[Partial<Input>, string]>([
  [{ domain: "localhost" }, "domain"],
  [{ domain: `${"a.".repeat(16)}example` }, "at most 16 labels"],
  [{ domain: `${"a".repeat(60)}.${"b".repeat(60)}.${"c".repeat(60)}.example` }, "at most 160 bytes"],
  [{ selectors: ["a..b"] }, "selectors"],
  [{ selectors: ["ü"] }, "selectors"],
  [{ trust_anchor: "KSK-2017" }, "trust_anchor"],
])("%j is refused", (input, message) => expect(audit(kept, input)).rejects.toThrow(message))

test("the fixes are premium, and the records among them bring the points that they promise", async () => {
  const zone: Zone = {
    "firm.example": [{ MX: [10, "mx.firm.example"] }, { TXT: "v=spf1 mx ?all" }],
    "mx.firm.example": [{ A: "198.51.100.25" }],
    "_dmarc.firm.example": [{ TXT: "v=DMARC1; p=none" }],
  }
  expect((await audit(zone, {}, {}, false)).fixes).toEqual([])
  const before = await audit(zone)
  const points = before.fixes.map((fix) => fix.points)
  expect(points).toEqual([...points].sort((a, b) => b - a))
  for (const fix of before.fixes.filter(({ line }) => line !== null)) {
    const web = fix.file === null ? {} : { [fix.file.url]: { body: fix.file.text } }
    const after = await audit(applied(zone, fix.line ?? ""), {}, web)
    const gain = (answer: typeof before) => answer.checks.find(({ id }) => id === fix.check)?.points ?? 0
    expect({ check: fix.check, gain: gain(after) - gain(before) }).toEqual({
      check: fix.check,
      gain: fix.points,
    })
  }
})

/** A zone with a line of a zone file instead of the records with the same start. */
function applied(zone: Zone, line: string): Zone {
  const [, name = "", type = "", data = ""] = /^(\S+)\. 3600 IN (TXT|CAA|MX) (.*)$/.exec(line) ?? []
  const entry = type === "TXT" ? { TXT: data.replace(/^"|"$/g, "").replaceAll('" "', "") } : { CAA: data }
  const version = (one: ZoneEntry) =>
    typeof one === "object" && "TXT" in one ? String(one.TXT).slice(0, 6) : null
  const others = (zone[name] ?? []).filter((one) => version(one) === null || version(one) !== version(entry))
  return { ...zone, [name]: [...others, entry] }
}

test("any records give a grade and points within their bounds", async () => {
  const text = fc.oneof(
    fc.string({ unit: "binary-ascii", maxLength: 40 }),
    fc
      .array(
        fc.constantFrom(
          "v=spf1",
          "v=DMARC1;",
          "p=none;",
          "p=reject;",
          "mx",
          "-all",
          "?all",
          "redirect=x.example",
          "rua=mailto:a@b.example;",
          "t=y;",
          "v=STSv1;",
          "id=1;",
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
