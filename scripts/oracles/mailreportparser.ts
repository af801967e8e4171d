import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Glob } from "bun"
import fc from "fast-check"
import { run } from "../../src/apis/mailreportparser/run.ts"
import { brokenReports, reports, writeReport } from "../../test/support/mail-reports.ts"
import { runIsolated } from "../../test/support/run-isolated.ts"
import { answersTo, byPython, defineOracle, type Result, type Suite, unlessRefused } from "./oracle.ts"

/** Problems by rules of the text that the XML Schema cannot express. */
const beyondSchema = ["version", "range", "source_ip", "count"]

type Answer = Awaited<ReturnType<typeof answerOf>>

async function answerOf(report: string) {
  const { problems, rows, published, period, ...answer } = await runIsolated(run, { report }, false)
  const seconds = (time: string | null) => (time === null ? null : String(Date.parse(time) / 1000))
  return {
    is_valid: problems.every(({ code, severity }) => severity !== "error" || beyondSchema.includes(code)),
    ...{ organization: answer.organization, contact: answer.contact, report_id: answer.report_id },
    ...{ begin: seconds(period.begins_at), end: seconds(period.ends_at) },
    ...{ domain: published?.domain ?? null, policy: published?.policy ?? null },
    rows: rows.map((row) => ({
      ...{ count: row.count === null ? null : String(row.count), disposition: row.disposition },
      ...{ dkim: row.dkim, spf: row.spf, header_from: row.header_from },
      ...{ envelope_from: row.envelope_from, envelope_to: row.envelope_to },
      reasons: row.reasons.map(({ kind, comment }) => [kind, comment]),
      dkim_results: row.dkim_results.map((one) => [one.domain, one.selector, one.result, one.human_result]),
      spf_results: row.spf_results.map((one) => [one.domain, one.scope, one.result, one.human_result]),
    })),
  }
}

/** Whether all values are the same but negative numbers, which the XML Schema allows and which are null here. */
const areEqualButNegatives = (ours: Answer, theirs: Answer): boolean =>
  differing({ ...ours, is_valid: null }, { ...theirs, is_valid: null }).every(
    ([our, their]) => our === null && Number(their) < 0,
  )

/** The values that only one of the two gives. */
function differing(ours: unknown, theirs: unknown): readonly (readonly [ours: unknown, theirs: unknown])[] {
  if (typeof ours !== "object" || typeof theirs !== "object" || !ours || !theirs)
    return Bun.deepEquals(ours, theirs) ? [] : [[ours, theirs]]
  const names = new Set([...Object.keys(ours), ...Object.keys(theirs)])
  return [...names].flatMap((name) => differing(Reflect.get(ours, name), Reflect.get(theirs, name)))
}

/** Whether our value is their text as a number, or null for a text that is no such value. */
function isRead(ours: unknown, theirs: unknown): boolean {
  if (typeof theirs !== "string") return false
  if (typeof ours === "string") return ours === theirs.toLowerCase() || Number(ours) === Number(theirs)
  return ours === null && theirs !== undefined
}

export const oracle = defineOracle<string, Answer>({
  api: "mailreportparser",
  against: "python3-xmlschema and xml.etree",
  cases: 4_000,
  generate: fc
    .tuple(fc.oneof(reports, { weight: 2, arbitrary: brokenReports }), fc.boolean())
    .map(([report, isIndented]) => writeReport(report, { isIndented })),
  ours: answerOf,
  ...byPython("mailreportparser.py", "python3-xmlschema"),
  known: [
    {
      reason:
        "the XML Schema takes any element at the end of a record, such as a second auth_results; the text of RFC 9990 wants those of another namespace",
      fits: (report, ours, theirs) =>
        !ours.is_valid &&
        areEqualButNegatives(ours, theirs) &&
        /<\/auth_results>\s*<(?:row|identifiers|auth_results|pct|spf|dkim|version|np|x|domain|extension|reason)>/.test(
          report,
        ),
    },
    {
      reason: "the XML Schema allows negative times and counts; here they are a problem, and null",
      fits: (_report, ours, theirs) =>
        ours.is_valid === theirs.is_valid && areEqualButNegatives(ours, theirs),
    },
    {
      reason: "python3-xmlschema misses text in an element that may have elements and has none",
      fits: (report, ours, theirs) =>
        !ours.is_valid &&
        areEqualButNegatives(ours, theirs) &&
        /<(?:extension|auth_results)>[^<]*\S[^<]*<\//.test(report),
    },
    {
      reason:
        "the report has a wrong value, both say so; it is null here, or in lower case, and the text there",
      fits: (_report, ours, theirs) =>
        !ours.is_valid &&
        !theirs.is_valid &&
        differing(ours, theirs).every(([our, their]) => isRead(our, their)),
    },
  ],
})

type Report = Awaited<ReturnType<typeof run>>

/** The first part of a mail that is a report, in base64 (RFC 2045 §6); null without one. */
function attachmentOf(mail: string): string | null {
  const boundaries = [...mail.matchAll(/boundary="?([^"\s;]+)"?/gi)].map(([, one = ""]) => `--${one}`)
  const parts = boundaries.reduce((texts, one) => texts.flatMap((text) => text.split(one)), [mail])
  for (const part of parts) {
    const [head = "", ...rest] = part.trimStart().split(/\r?\n\r?\n/)
    const body = rest.join("\n\n")
    if (!/^content-type:\s*(?:application\/(?!pdf)|text\/xml)/im.test(head)) continue
    const encoding = /^content-transfer-encoding:\s*(\S+)/im.exec(head)?.[1]?.toLowerCase()
    if (encoding === "base64") return body.replace(/[^A-Za-z\d+/=]/g, "")
    const text = encoding === "quoted-printable" ? decodeQuoted(body) : body
    return Buffer.from(text, "latin1").toString("base64")
  }
  return null
}

const decodeQuoted = (text: string): string =>
  text
    .replace(/=\r?\n/g, "")
    .replace(/=([\dA-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** The data of a file of the suite; null if it is refused, or is a mail without such a report. */
async function read(file: string): Promise<Report | null> {
  const bytes = readFileSync(file)
  const report = file.endsWith(".eml") ? attachmentOf(bytes.toString("latin1")) : bytes.toString("base64")
  return report ? unlessRefused(() => runIsolated(run, { report }, false)) : null
}

/** The facts that are compared: who made a report, its name, and how many rows or policies with how many messages or sessions. */
function summaryOf({ organization, report_id, totals, published, tls_policies }: Report) {
  const domain = published?.domain ?? tls_policies[0]?.domain ?? null
  return [organization, report_id, domain, totals.rows, totals.count]
}

/** The same of a report of the suite as JSON, of DMARC or TLS. */
function summaryIn(file: string) {
  const { policies, ...data } = JSON.parse(readFileSync(file, "utf8")) as SuiteReport
  const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)
  if (!policies) {
    const { report_metadata: about, policy_published: published, record } = data
    const count = sum(record.map(({ row }) => row.count))
    return [about.org_name, about.report_id, published.domain, record.length, count]
  }
  const counts = policies.map(
    ({ summary }) => summary["total-successful-session-count"] + summary["total-failure-session-count"],
  )
  const domain = policies[0]?.policy["policy-domain"]
  return [data["organization-name"], data["report-id"], domain, policies.length, sum(counts)]
}

interface SuiteReport {
  readonly report_metadata: { readonly org_name: string; readonly report_id: string }
  readonly policy_published: { readonly domain: string }
  readonly record: readonly { readonly row: { readonly count: number } }[]
  readonly "organization-name": string
  readonly "report-id": string
  readonly policies?: readonly {
    readonly policy: { readonly "policy-domain": string }
    readonly summary: Readonly<Record<`total-${"successful" | "failure"}-session-count`, number>>
  }[]
}

/** Samples that are no aggregate report and no TLS report, or none that can be read. */
const refused = [
  ...["failure", "arf", "empty.xml", "invalid_xml.xml"],
  "ikea.com!example.de!1538690400!1538776800.xml",
]

export const suites: readonly Suite[] = [
  {
    api: "mailreportparser",
    name: "parsedmarc",
    get: "git clone https://github.com/domainaware/parsedmarc",
    run: (folder) => runSamples(join(folder, "samples"), "**/*.{xml,gz,zip,eml,json}"),
  },
  {
    api: "mailreportparser",
    name: "mail-auth",
    get: "git clone https://github.com/stalwartlabs/mail-auth",
    run: (folder) =>
      runSamples(join(folder, "resources"), "{dmarc-feedback,tlsrpt,arf}/*.{xml,eml}", "tlsrpt/rpt03.json"),
  },
]

async function runSamples(folder: string, ...patterns: readonly string[]): Promise<readonly Result[]> {
  const files = patterns.flatMap((pattern) => [...new Glob(pattern).scanSync(folder)].sort())
  return answersTo(files, async (file): Promise<Result> => {
    const answer = await read(join(folder, file))
    const isWrong = file.split("/").some((part) => refused.includes(part))
    const test = `${file}: ${answer ? JSON.stringify(summaryOf(answer)) : "refused"}`
    if (!answer || isWrong) return { test, isRight: !answer && isWrong }
    const beside = join(folder, file.replace(/\.[a-z]+$/, ".json"))
    const hasBeside = !file.endsWith(".json") && existsSync(beside)
    const isRight = hasBeside ? Bun.deepEquals(summaryOf(answer), summaryIn(beside)) : answer.totals.rows > 0
    return { test, isRight }
  })
}
