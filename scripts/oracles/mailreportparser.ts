import fc from "fast-check"
import { run } from "../../src/apis/mailreportparser/run.ts"
import { brokenReports, reports, writeReport } from "../../test/support/mail-reports.ts"
import { runIsolated } from "../../test/support/run-isolated.ts"
import { askPython, debianVersion, defineOracle } from "./oracle.ts"

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
function areEqualButNegatives(ours: Answer, theirs: Answer): boolean {
  return differing({ ...ours, is_valid: null }, { ...theirs, is_valid: null }).every(
    ([our, their]) => our === null && Number(their) < 0,
  )
}

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
  version: () => debianVersion("python3-xmlschema"),
  ours: answerOf,
  theirs: (cases) => askPython("mailreportparser.py", cases, "python3-xmlschema"),
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

export { suites } from "./suites/mail-reports.ts"
