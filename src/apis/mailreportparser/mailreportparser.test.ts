import { expect, test } from "bun:test"
import { gzipSync } from "node:zlib"
import fc from "fast-check"
import { brokenReports, reports, writeReport } from "../../../test/support/mail-reports.ts"
import {
  base64,
  below,
  codes,
  read,
  record,
  refusal,
  seed,
  small,
  textsOf,
  zip,
} from "../../../test/support/read-reports.ts"
import { portsFor } from "../../../test/support/zone-ports.ts"
import { run } from "./run.ts"

test("reads what was written, packed or not", () =>
  fc.assert(
    fc.asyncProperty(
      reports,
      fc.boolean(),
      fc.constantFrom("text", "base64", "gzip", "zip"),
      async (node, isIndented, form) => {
        const xml = writeReport(node, { isIndented })
        const packed = { gzip: base64(gzipSync(xml)), zip: zip(["report.xml", xml]) }
        const forms = { text: xml, base64: base64(xml), ...packed }
        const answer = await read(forms[form])
        expect(answer.problems).toEqual([])
        expect(answer).toMatchObject({ is_valid: true, kind: "dmarc", standard: "rfc9990", rows_left_out: 0 })
        const [metadata] = below(node, "report_metadata")
        const texts = textsOf(metadata)
        expect(answer.organization).toBe(texts.org_name ?? "")
        expect(answer.report_id).toBe(texts.report_id ?? "")
        expect(answer.generator).toBe(texts.generator ?? null)
        const period = textsOf(below(metadata, "date_range")[0])
        expect(Date.parse(answer.period.begins_at ?? "")).toBe(Number(period.begin) * 1000)
        expect(Date.parse(answer.period.ends_at ?? "")).toBe(Number(period.end) * 1000)
        const published = textsOf(below(node, "policy_published")[0])
        expect(answer.published?.policy).toBe(published.p as "none")
        expect(answer.published?.subdomain_policy ?? undefined).toBe(published.sp as "none")
        const records = below(node, "record")
        expect(answer.rows.length).toBe(records.length)
        for (const [index, row] of answer.rows.entries()) {
          const [written] = below(records[index], "row")
          const evaluated = below(written, "policy_evaluated")[0]
          expect(row.count).toBe(Number(textsOf(written).count))
          expect(row.disposition).toBe(textsOf(evaluated).disposition as "none")
          expect(row.reasons.map(({ kind }) => kind ?? "")).toEqual(
            below(evaluated, "reason").map((reason) => textsOf(reason).type ?? ""),
          )
          const [results] = below(records[index], "auth_results")
          expect(row.dkim_results.map(({ selector }) => selector ?? "")).toEqual(
            below(results, "dkim").map((result) => textsOf(result).selector ?? ""),
          )
          expect(row.spf_results.map(({ result }) => String(result))).toEqual(
            below(results, "spf").map((result) => textsOf(result).result ?? ""),
          )
        }
        const sum = answer.rows.reduce((total, { count }) => total + (count ?? 0), 0)
        expect(answer.totals.count).toBe(sum)
        expect(answer.totals.passed + answer.totals.failed).toBe(sum)
        expect(answer.sources.reduce((total, { count }) => total + count, 0)).toBe(sum)
      },
    ),
    { seed, numRuns: 60 },
  ))

test("reads broken reports, and says what is wrong where", () =>
  fc.assert(
    fc.asyncProperty(brokenReports, async (node) => {
      const answer = await read(writeReport(node))
      expect(answer.is_valid).toBe(answer.problems.every(({ severity }) => severity !== "error"))
      for (const { message, where } of answer.problems) expect(message + where).toMatch(/\.[\w/ ]+$/)
    }),
    { seed, numRuns: 100 },
  ))

test("tells each mistake by its code and place", async () => {
  expect(await codes(small())).toEqual(["missing feedback/record"])
  expect(await codes(small(record("192.0.2.256")))).toEqual(["source_ip record 1/row/source_ip"])
  expect(await codes(small(record("192.0.2.1", "-1")))).toEqual(["count record 1/row/count"])
  expect(await codes(small(record("192.0.2.1", "0")))).toEqual(["no_messages record 1/row/count"])
  const many = small(record("192.0.2.1", "99999999999999999999"))
  expect(await codes(many)).toEqual(["count record 1/row/count"])
  const without = small(record().replace("<auth_results/>", ""))
  expect(await codes(without)).toEqual(["missing record 1/auth_results"])
  expect(await codes(small(record().replace("none", "None")))).toEqual([
    "value record 1/row/policy_evaluated/disposition",
  ])
  expect(await codes(small(`${record()}<extension/>`))).toEqual(["order feedback/extension"])
  const backwards = small(record()).replace("<end>2", "<end>0")
  expect(await codes(backwards)).toEqual(["range feedback/report_metadata/date_range"])
  expect(await codes(small(record()).replace("<end>2", "<end>x"))).toEqual([
    "value feedback/report_metadata/date_range/end",
    "range feedback/report_metadata/date_range/end",
  ])
  expect(await codes(small(record(), ' xmlns="urn:other"'))).toEqual(["namespace feedback"])
  expect(await codes(small(record("192.0.2.1", "1", "<e xmlns='urn:e'>1</e>")))).toEqual([])
  expect(await codes(small(`a ${record()}`))).toEqual(["stray_text feedback"])
})

test("a report of RFC 7489 may lack what nothing needs", async () => {
  const answer = await read(small(record().replace("none", " none\n"), ""))
  expect(answer).toMatchObject({ is_valid: true, problems: [], standard: "rfc7489" })
  expect(answer.rows[0]?.disposition).toBe("none")
  const old = small(record("192.0.2.1", "1", ""), "").replace("<p>", "<pct>50</pct><x/><p>")
  expect(await codes(old)).toEqual(["extra_element feedback/policy_published/x"])
})

test("lists at most 2,000 rows and 100 problems, and counts all", async () => {
  const answer = await read(small(record("x", "2").repeat(3_000)), false)
  expect(answer.totals).toMatchObject({ rows: 3_000, count: 6_000, failed: 6_000 })
  expect(answer.rows.length + answer.rows_left_out).toBe(3_000)
  expect(answer.rows.length).toBeLessThanOrEqual(2_000)
  expect(answer.problems.length).toBe(101)
  expect(answer.problems.at(-1)?.message).toBe("2900 more problems are not listed.")
  expect(answer.sources).toEqual([])
  // A mistake that is not listed counts too.
  const late = await read(small(record("192.0.2.1", "0").repeat(150) + record("x")))
  expect([late.problems.some(({ severity }) => severity === "error"), late.is_valid]).toEqual([false, false])
})

test("the twenty senders with most messages have their names, those that do not answer none", async () => {
  const dns = {
    "1.2.0.192.in-addr.arpa": [{ PTR: "B.test" }, { PTR: "a.test" }],
    "2.2.0.192.in-addr.arpa": ["SERVFAIL"],
  } as const
  const rows = Array.from({ length: 30 }, (_, index) => record(`192.0.2.${index}`, String(100 - index)))
  const answer = await run(
    { report: small(rows.join("")) },
    { ports: portsFor({ given: { dns } }), giveWay() {}, premium: true },
  )
  expect(answer.sources.length).toBe(20)
  expect(answer.sources.slice(0, 3).map(({ ip, host, count }) => [ip, host, count])).toEqual([
    ["192.0.2.0", null, 100],
    ["192.0.2.1", "a.test", 99],
    ["192.0.2.2", null, 98],
  ])
})

test("reads a report of TLS, and tells its mistakes", async () => {
  const policy = {
    policy: { "policy-type": "tlsa", "policy-domain": "a.test", "mx-host": "mx.a.test" },
    summary: { "total-successful-session-count": 3, "total-failure-session-count": 2 },
    "failure-details": [{ "result-type": "tlsa-invalid", "failed-session-count": 2, "receiving-ip": "" }],
  }
  const report = {
    ...{ "organization-name": "A", "contact-info": "a@a.test", "report-id": "1" },
    "date-range": { "start-datetime": "2026-01-01T00:00:00Z", "end-datetime": "2026-01-01T23:59:59.123456z" },
    policies: [policy],
  }
  const answer = await read(JSON.stringify(report))
  expect(answer).toMatchObject({ is_valid: true, problems: [], kind: "tls", standard: "rfc8460" })
  expect(answer.totals).toMatchObject({ rows: 1, count: 5, passed: 3, failed: 2 })
  expect(answer.tls_policies[0]?.mx_hosts).toEqual(["mx.a.test"])
  const wrong = {
    policies: [
      {
        ...policy,
        "failure-details": [{ "result-type": "odd", "failed-session-count": -1, "sending-mta-ip": "x" }],
      },
      7,
    ],
    "date-range": { "start-datetime": "2026-01-02T00:00:00Z", "end-datetime": "2026-01-01T00:00:00Z" },
  }
  expect(await codes(JSON.stringify(wrong))).toEqual([
    "range date-range",
    "value policies/0/failure-details/0/result-type",
    "count policies/0/failure-details/0/failed-session-count",
    "source_ip policies/0/failure-details/0/sending-mta-ip",
    "sum policies/0/failure-details",
    "value policies/1",
    ...missingOfOne(),
    ...["organization-name", "contact-info", "report-id"].map((name) => `missing ${name}`),
  ])
})

const missingOfOne = (): string[] =>
  [
    ..."policy summary policy/policy-type summary/total-successful-session-count".split(" "),
    ..."summary/total-failure-session-count policy/policy-domain".split(" "),
  ].map((name) => `missing policies/1/${name}`)

test("refuses what is no report, and says what to change", async () => {
  const gzip = gzipSync(small())
  const cases: readonly (readonly [report: string, pattern: RegExp])[] = [
    ["?", /base64 of a file, or a report in XML or JSON/],
    [base64("hello"), /must be a report in XML or JSON/],
    ["<a/>", /whose first element is feedback/],
    ["<feedback>", /^must be well-formed XML: in line 1, column \d+, the element 'feedback' is not closed/],
    ["{}", /list policies/],
    ["{", /^must be valid JSON .* a part may be missing/],
    [`{"a":"${"x".repeat(1_000_000)}"}`, /at most 1,000,000 characters/],
    ["<!DOCTYPE feedback><feedback/>", /document type declaration/],
    ["<feedback>&x;</feedback>", /^must be well-formed XML: .* an entity is unknown/],
    [base64(gzip.subarray(0, 40)), /complete gzip file/],
    [base64(gzipSync(gzip)), /packed once/],
    [base64(gzipSync(Buffer.alloc(5_000_000))), /at most 4 MiB/],
    [base64(" ".repeat(200) + small().padEnd(4_194_304)), /at most 4 MiB/],
    [zip(), /empty ZIP/],
    [zip(["a.xml", small()], ["b.xml", small()]), /one file, not 2/],
    [zip(["a.xml", " ".repeat(5_000_000)]), /at most 4 MiB/],
    [base64("PK\x03\x04 nothing"), /complete ZIP/],
    [`Received: from a.example\r\n by b.example\r\n\r\n${gzip.toString("base64")}`, /must be the attachment/],
    [base64(`MIME-Version: 1.0\nSubject: Report\n\n${small()}`), /must be the attachment/],
    [`--b1\r\nContent-Type: application/gzip\r\n\r\n${gzip.toString("base64")}`, /must be the attachment/],
  ]
  for (const [report, pattern] of cases) expect(await refusal(report)).toMatch(pattern)
})

test("no sentence of the XML parser reaches the caller", async () => {
  const pieces = '<|>|&|]]>|<!--|--|<?xml|?>|<a b>|</a>|<x:y/>|&#0;|a="1" a="2"|<![CDATA[|\0|<!DOCTYPE'.split(
    "|",
  )
  await fc.assert(
    fc.asyncProperty(fc.nat(small().length), fc.constantFrom(...pieces), async (at, piece) => {
      const text = small().slice(0, at) + piece + small().slice(at)
      const message = await read(text).then(
        () => "",
        ({ message }) => String(message),
      )
      expect(message).not.toMatch(
        /unclosed|unmatched|unbound|malformed|disallowed|weird|undefined entity|duplicate|\d:\d/,
      )
    }),
    { seed, numRuns: 500 },
  )
})
