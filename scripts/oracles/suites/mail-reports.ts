import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Glob } from "bun"
import { InputRejected } from "../../../src/apis/contract.ts"
import { run } from "../../../src/apis/mailreportparser/run.ts"
import { runIsolated } from "../../../test/support/run-isolated.ts"
import type { Suite, SuiteResult } from "../suite.ts"

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

function decodeQuoted(text: string): string {
  return text
    .replace(/=\r?\n/g, "")
    .replace(/=([\dA-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** The data of a file of the suite; or the refusal, or that it is a mail without such a report. */
async function read(file: string): Promise<Report | string> {
  const bytes = readFileSync(file)
  const report = file.endsWith(".eml") ? attachmentOf(bytes.toString("latin1")) : bytes.toString("base64")
  if (report === null || report === "") return "no report is attached"
  try {
    return await runIsolated(run, { report }, false)
  } catch (error) {
    if (error instanceof InputRejected) return error.message
    throw error
  }
}

/** The facts that are compared: who made a report, its name, and how many rows or policies with how many messages or sessions. */
function summaryOf({ organization, report_id, totals, published, tls_policies }: Report) {
  const domain = published?.domain ?? tls_policies[0]?.domain ?? null
  return [organization, report_id, domain, totals.rows, totals.count]
}

/** A report of the suite as JSON, of DMARC or TLS. */
interface SuiteReport {
  readonly report_metadata: {
    readonly org_name: string
    readonly report_id: string
    readonly email: string
    readonly date_range: { readonly begin: number; readonly end: number }
  }
  readonly policy_published: { readonly domain: string; readonly p: string }
  readonly record: readonly SuiteRecord[]
  readonly "organization-name": string
  readonly "report-id": string
  readonly "contact-info": string
  readonly "date-range": { readonly "start-datetime": string; readonly "end-datetime": string }
  readonly policies?: readonly {
    readonly policy: { readonly "policy-domain": string; readonly "policy-type": string }
    readonly summary: {
      readonly "total-successful-session-count": number
      readonly "total-failure-session-count": number
    }
    readonly "failure-details"?: readonly { readonly "result-type": string }[]
  }[]
}

interface SuiteRecord {
  readonly row: {
    readonly source_ip: string
    readonly count: number
    readonly policy_evaluated: Readonly<Record<"disposition" | "dkim" | "spf", string>>
  }
  readonly identifiers: { readonly header_from: string }
  readonly auth_results: {
    readonly dkim: readonly { readonly domain: string; readonly selector: string; readonly result: string }[]
    readonly spf: readonly { readonly domain: string; readonly result: string }[]
  }
}

/** All values of a report that both give, as a text to compare. */
function detailsOf({ contact, period, published, rows, tls_policies }: Report): string {
  return JSON.stringify([
    contact,
    seconds(period.begins_at),
    seconds(period.ends_at),
    published?.policy ?? null,
    rows.map((row) => [
      ...[row.source_ip, row.count, row.disposition, row.dkim, row.spf, row.header_from],
      row.dkim_results.map(({ domain, selector, result }) => [domain, selector, result]),
      row.spf_results.map(({ domain, result }) => [domain, result]),
    ]),
    tls_policies.map((one) => [one.kind, one.passed, one.failed, one.failures.map(({ result }) => result)]),
  ])
}

function detailsOfSuite(file: string): string {
  const data = JSON.parse(readFileSync(file, "utf8")) as SuiteReport
  const { policies, report_metadata: metadata, record } = data
  if (policies) {
    const period = data["date-range"]
    return JSON.stringify([
      data["contact-info"],
      seconds(period["start-datetime"]),
      seconds(period["end-datetime"]),
      null,
      [],
      policies.map(({ policy, summary, "failure-details": details = [] }) => [
        policy["policy-type"],
        summary["total-successful-session-count"],
        summary["total-failure-session-count"],
        details.map((one) => one["result-type"]),
      ]),
    ])
  }
  const { begin, end } = metadata.date_range
  const rows = record.map(({ row, identifiers, auth_results: { dkim, spf } }) => [
    ...[row.source_ip, row.count, ...words(row.policy_evaluated), identifiers.header_from],
    dkim.map(({ domain, selector, result }) => [domain, selector === "" ? null : selector, word(result)]),
    spf.map(({ domain, result }) => [domain, word(result)]),
  ])
  return JSON.stringify([metadata.email, begin, end, word(data.policy_published.p), rows, []])
}

const seconds = (time: string | null) => (time === null ? null : Date.parse(time) / 1000)
/** The suite writes the names of values in its own language, such as `TempError`, and `Unspecified` for none. */
const word = (text: string) => (text === "Unspecified" ? null : text.toLowerCase())
const words = ({ disposition, dkim, spf }: SuiteRecord["row"]["policy_evaluated"]) =>
  [disposition, dkim, spf].map(word)

function summaryOfSuite(file: string) {
  const data = JSON.parse(readFileSync(file, "utf8")) as SuiteReport
  const { report_metadata, policy_published, record, policies } = data
  const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)
  if (!policies) {
    const count = sum(record.map(({ row }) => row.count))
    return [
      report_metadata.org_name,
      report_metadata.report_id,
      policy_published.domain,
      record.length,
      count,
    ]
  }
  const counts = policies.map(
    ({ summary }) => summary["total-successful-session-count"] + summary["total-failure-session-count"],
  )
  const domain = policies[0]?.policy["policy-domain"]
  return [data["organization-name"], data["report-id"], domain, policies.length, sum(counts)]
}

/** Samples that are no aggregate report and no TLS report, or none that can be read. */
const refused: Readonly<Record<string, RegExp>> = {
  failure: /no report is attached|must be/,
  arf: /no report is attached|must be/,
  "empty.xml": /no report is attached/,
  "ikea.com!example.de!1538690400!1538776800.xml": /'xs:schema' is not closed/,
  "invalid_xml.xml": /well-formed XML/,
}

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

async function runSamples(folder: string, ...patterns: readonly string[]): Promise<readonly SuiteResult[]> {
  const results: SuiteResult[] = []
  for (const file of patterns.flatMap((pattern) => [...new Glob(pattern).scanSync(folder)].sort())) {
    const answer = await read(join(folder, file))
    const expected = Object.entries(refused).find(([part]) => file.split("/").includes(part))?.[1]
    const beside = join(folder, file.replace(/\.[a-z]+$/, ".json"))
    const test = `${file}: ${typeof answer === "string" ? answer : JSON.stringify(summaryOf(answer))}`
    if (expected || typeof answer === "string") {
      results.push({ test, isRight: typeof answer === "string" && expected?.test(answer) === true })
      continue
    }
    const isRight =
      file.endsWith(".json") || !existsSync(beside)
        ? answer.totals.rows > 0
        : Bun.deepEquals(summaryOf(answer), summaryOfSuite(beside))
    results.push({ test, isRight })
    if (file.endsWith(".json") || !existsSync(beside)) continue
    const [ours, theirs] = [detailsOf(answer), detailsOfSuite(beside)]
    results.push({ test: `details of ${file}: ${ours} instead of ${theirs}`, isRight: ours === theirs })
  }
  return results
}
