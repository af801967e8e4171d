/** The records that an audit proposes: pasted together, they keep what is right and bring the points that they promise. */
import { expect, test } from "bun:test"
import { kept } from "../../../test/support/audited-domain.ts"
import { applyAll, audit, lineOf, type Zone } from "../../../test/support/audits.ts"
import { expectWithinProcessorMs } from "../../../test/support/processor-time.ts"
import { portsFor } from "../../../test/support/zone-ports.ts"
import { mailaudit } from "../catalog.ts"
import { mergedText } from "./facts.ts"
import type { SpfResult } from "./parts.ts"

test("the fixes are premium, and all lines together bring the points that they promise", async () => {
  const zone: Zone = {
    "firm.example": [{ MX: [10, "mx.firm.example"] }, { TXT: "v=spf1 mx ?all" }],
    "mx.firm.example": [{ A: "198.51.100.25" }],
    "_dmarc.firm.example": [{ TXT: "v=DMARC1; p=none" }],
  }
  expect((await audit(zone, {}, {}, false)).fixes).toEqual([])
  const before = await audit(zone)
  const points = before.fixes.map((fix) => fix.points)
  expect(points).toEqual([...points].sort((a, b) => b - a))
  const after = await applyAll(before, zone)
  expect(after.score).toBeGreaterThan(before.score)
  // Reports are read first, then the policy gets stricter.
  expect(lineOf(before, "dmarc_policy")).toBe(
    '_dmarc.firm.example. 3600 IN TXT "v=DMARC1; p=none; rua=mailto:dmarc-reports@firm.example"',
  )
  expect(lineOf(after, "dmarc_policy")).toContain("p=quarantine; rua=mailto:dmarc-reports@firm.example")
})

test("a parked domain is told the three records that say so, and gets an A with them", async () => {
  const zone: Zone = { "firm.example": [{ A: "198.51.100.80" }] }
  const before = await audit(zone)
  expect(before.fixes.map(({ line, action }) => [line, action])).toEqual([
    ["firm.example. 3600 IN MX 0 .", "add"],
    ['firm.example. 3600 IN TXT "v=spf1 -all"', "add"],
    ['_dmarc.firm.example. 3600 IN TXT "v=DMARC1; p=reject"', "add"],
  ])
  expect(await applyAll(before, zone)).toMatchObject({ grade: "A", score: 100, fixes: [] })
})

test("a null MX wants no mailbox in the domain itself, and one that is named there gets no reports", async () => {
  const zone = (record: string): Zone => ({
    "firm.example": [{ MX: [0, ""] }, { TXT: "v=spf1 -all" }],
    "_dmarc.firm.example": [{ TXT: record }],
  })
  expect(await audit(zone("v=DMARC1; p=reject"))).toMatchObject({ grade: "A", fixes: [] })
  const deaf = await audit(zone("v=DMARC1; p=reject; rua=mailto:d@firm.example"))
  expect([deaf.statusOf("dmarc_reports"), deaf.whyOf("dmarc_reports")]).toEqual([
    "fail",
    "Reports go to firm.example, where no mail arrives.",
  ])
})

test("a domain that does not exist has nothing to publish", async () =>
  expect(await audit({ "other.example": [{ A: "198.51.100.1" }] })).toMatchObject({ grade: "F", fixes: [] }))

test("each check that costs points without a record of its own has a fix", async () => {
  const zones: readonly Zone[] = [
    {
      "firm.example": [{ MX: [10, "mx.firm.example"] }, { TXT: "v=spf1 mx ptr ~all" }],
      "mx.firm.example": [{ A: "198.51.100.25" }],
    },
    {
      ...kept,
      "firm.example": [{ MX: [0, ""] }, { MX: [10, "mx.firm.example"] }, { TXT: "v=spf1 mx ~all" }],
    },
    { ...kept, "_dmarc.firm.example": [{ TXT: "v=DMARC1; p=quarantine; t=y; sp=none" }] },
    {
      ...kept,
      "_smtp._tls.firm.example": [{ TXT: "v=TLSRPTv1; rua=nobody" }],
      "firm.example": [{ MX: [10, "mx.firm.example"] }, { CAA: '0 issue "a b"' }],
    },
  ]
  for (const zone of zones) {
    const answer = await audit(zone)
    const fixed = answer.fixes.flatMap((fix) => fix.checks)
    const lossy = answer.checks.filter(
      ({ status, points, max_points }) => status !== "unknown" && points < max_points,
    )
    expect(lossy.map(({ id }) => id).filter((id) => !fixed.includes(id))).toEqual([])
  }
})

test("the DMARC line replaces what is at its own name alone, and its note says what it changes", async () => {
  const fixOf = async (zone: Zone, domain = "firm.example") =>
    (await audit(zone, { domain })).fixes.find(({ checks }) => checks.includes("dmarc_policy"))
  const withRecord = (...texts: readonly string[]): Zone => ({
    ...kept,
    "_dmarc.firm.example": texts.map((text) => ({ TXT: text })),
  })
  const weakBelow = await fixOf(withRecord("v=DMARC1; p=reject; sp=none; rua=mailto:d@firm.example"))
  expect(weakBelow?.note).not.toContain("sends no mail")
  expect(weakBelow?.note).toContain("for the domains below too")
  const testing = await fixOf(withRecord("v=DMARC1; p=reject; t=y; rua=mailto:d@firm.example"))
  expect(testing?.note).toContain("The present policy")
  expect(testing?.note).not.toContain("domains below")
  const two = withRecord("v=DMARC1; p=reject", "v=DMARC1; p=none")
  expect((await fixOf(two))?.action).toBe("replace")
  const mail = { "mail.firm.example": kept["firm.example"] ?? [] }
  const below = await fixOf({ ...two, ...mail }, "mail.firm.example")
  expect(below?.line).toStartWith("_dmarc.mail.firm.example. ")
  expect(below?.action).toBe("add")
})

test("only who runs the mail servers can publish TLSA records for them", async () => {
  const zone: Zone = {
    ...kept,
    "firm.example": [{ MX: [1, "aspmx.l.google.com"] }, { TXT: "v=spf1 mx -all" }],
    "aspmx.l.google.com": [{ A: "198.51.100.26" }],
  }
  const fix = (await audit(zone)).fixes.find(({ check }) => check === "dane")
  expect(fix).toMatchObject({ line: null, note: expect.stringContaining("only whoever runs them") })
})

test.each<[string, string | null]>([
  ["aspmx.l.google.com", "v=spf1 include:_spf.google.com ~all"],
  ["firm-example.mail.protection.outlook.com", "v=spf1 include:spf.protection.outlook.com ~all"],
  ["in1-smtp.messagingengine.com", "v=spf1 include:spf.messagingengine.com ~all"],
  ["mail.protonmail.ch", "v=spf1 include:_spf.protonmail.ch ~all"],
  ["mx.zoho.eu", "v=spf1 include:zohomail.eu ~all"],
  ["mx01.mail.icloud.com", "v=spf1 include:icloud.com ~all"],
  ["mx0a-0001.pphosted.com", null],
  ["mx.firm.example", "v=spf1 mx ~all"],
  // Names that only look like those of a provider.
  ["google.com.firm.example", "v=spf1 mx ~all"],
  ["notgoogle.com", "v=spf1 mx ~all"],
])("without SPF and with the mail server %s the proposed record is %p", async (host, record) => {
  const records = { "firm.example": [{ MX: [10, host] }], [host]: [{ A: "198.51.100.26" }] } as const
  const answer = await audit({ ...kept, ...records })
  const fix = answer.fixes.find(({ checks: ids }) => ids.includes("spf_record"))
  expect(fix?.line ?? null).toBe(record && `firm.example. 3600 IN TXT "${record}"`)
})

test("two SPF records are merged into one that replaces both", async () => {
  const zone: Zone = {
    ...kept,
    "firm.example": [
      { MX: [10, "mx.firm.example"] },
      { TXT: "v=spf1 mx include:a.example ~all" },
      { TXT: "v=spf1 include:b.example MX -all" },
    ],
    "a.example": [{ TXT: "v=spf1 ip4:198.51.100.0/24 -all" }],
    "b.example": [{ TXT: "v=spf1 ip4:203.0.113.0/24 -all" }],
  }
  const before = await audit(zone)
  const fix = before.fixes.find(({ checks: ids }) => ids.includes("spf_record"))
  expect(fix).toMatchObject({
    line: 'firm.example. 3600 IN TXT "v=spf1 include:b.example MX include:a.example ~all"',
    action: "replace",
  })
  await applyAll(before, zone)
})

test("two SPF records of 60 kB are merged in time that grows with their terms, not with the square", async () => {
  const termsOf = (start: string) =>
    Array.from({ length: 7_000 }, (_, index) => `${start}${index.toString(36)}`)
  const recordOf = (start: string) => ({
    origin: "firm.example",
    record: `v=spf1 ${termsOf(start).join(" ")} ~all`,
  })
  const found = { spf_records_list: ["a:x", "A:X", "a:y"].map(recordOf) } as unknown as SpfResult
  let text: string | null = null
  // Each term compared with each other one took 7 s.
  await expectWithinProcessorMs(500, () => {
    text = mergedText(found, "firm.example")
  })
  expect(text as string | null).toBe(["v=spf1", ...termsOf("a:x"), ...termsOf("a:y"), "~all"].join(" "))
})

test("an audit gives way before each time that it judges the domain again", async () => {
  const domain = "firm.example"
  const dns = { [domain]: [{ MX: [10, "mx.firm.example"] as const }, { TXT: "v=spf1 mx ?all" }] }
  const turns: string[] = []
  const answerOf = async (premium: boolean) => {
    const giveWay = async () => {
      // Other work of this process runs now.
      await new Promise(setImmediate)
      turns.push("other work")
    }
    return mailaudit.run({ domain }, { ports: portsFor({ given: { dns } }), giveWay, premium })
  }
  await answerOf(false)
  const withoutFixes = turns.length
  const { fixes } = await answerOf(true)
  // The first fix is chosen among all, the next one among the others.
  expect(fixes.length).toBeGreaterThan(4)
  expect(turns.length - 2 * withoutFixes).toBeGreaterThanOrEqual((fixes.length * (fixes.length + 1)) / 2)
})
