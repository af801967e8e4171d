import { Type } from "@sinclair/typebox"
import { choice, defineIsolatedApi, nullable, nullableText, premium } from "../contract.ts"
import { field, storedExamples } from "../shared.ts"
import {
  alignedResults,
  dispositions,
  dkimResults,
  policies,
  policyTypes,
  spfResults,
} from "./aggregate-schema.ts"
import answers from "./answers.json"
import stored from "./examples.json"
import { problemList } from "./findings.ts"

const count = (description: string) => field.integer(description, { minimum: 0 })
const countOrNull = (description: string) => nullable(Type.Integer({ minimum: 0 }), { description })
const oneOf = <const V extends readonly [string, ...string[]]>(values: V, description: string) =>
  nullable(choice(values, { description: "The value." }), {
    description: `${description}; null if it is missing or wrong.`,
  })
const alignment = (what: string) =>
  choice(["relaxed", "strict"], { description: `How ${what} must be aligned with the sender.` })
const result = {
  domain: nullableText("The domain that was checked."),
  human_result: nullableText("What the reporter adds, for people."),
}

export const mailreportparser = defineIsolatedApi({
  id: "mailreportparser",
  title: "Mail report parser",
  category: "mail",
  keywords: [
    ...["DMARC report", "aggregate report", "rua", "RFC 9990", "RFC 7489", "XML", "gzip", "ZIP"],
    ...["TLS report", "TLSRPT", "RFC 8460", "who sends in my name"],
  ],
  description:
    "Reads a DMARC aggregate report (RFC 9990, RFC 7489) or a TLS report (RFC 8460), plain, gzip or ZIP: who reports, the period, each row and the totals. Says what breaks the standard. With premium fields, also the senders with their names.",
  method: "POST",
  credits: 3,
  asksDns: true,
  input: Type.Object({
    report: field.text(
      "The attachment of the report mail in base64, as it is or unpacked; or the XML or JSON as text. Unpacked, XML has at most 4 MiB, and JSON 1,000,000 characters.",
      { minLength: 1, maxLength: 1_400_000 },
    ),
  }),
  output: Type.Object({
    ...field.verdict(problemList),
    kind: choice(["dmarc", "tls"], { description: "What it reports: results of DMARC, or of TLS." }),
    standard: choice(["rfc9990", "rfc7489", "rfc8460"], {
      description:
        "The standard of the report. A DMARC report without the namespace of RFC 9990 is read as one of RFC 7489, whose XML Schema few follow: elements may be missing there that nothing needs, and may have another order.",
    }),
    organization: nullableText("Who reports."),
    contact: nullableText("The address of those who report."),
    contact_details: nullableText("More ways to reach them."),
    report_id: nullableText("The name of the report."),
    generator: nullableText("The program that made the report."),
    period: field.group("The period.", {
      begins_at: nullableText("Its first moment, in UTC; null if it cannot be read."),
      ends_at: nullableText("Its last moment, in UTC; null if it cannot be read."),
    }),
    errors: field.texts("What the reporter found wrong with the DMARC record, at most 10."),
    published: field.nullableGroup("The DMARC policy that the reporter saw; null in a TLS report.", {
      domain: nullableText("The domain whose record applied."),
      policy: oneOf(policies, "The policy of the domain (`p`)"),
      subdomain_policy: oneOf(policies, "The policy of domains below it (`sp`)"),
      nonexistent_policy: oneOf(policies, "The policy of domains that do not exist (`np`)"),
      dkim_alignment: alignment("the domain that has signed"),
      spf_alignment: alignment("the domain that SPF has checked"),
      is_testing: field.flag("Whether the record asked for the next weaker policy."),
      discovery_method: oneOf(["psl", "treewalk"], "How the record was found"),
      failure_options: nullableText("Which single failures the record asked to report (`fo`)."),
      percent: field.nullableInteger(
        "To how many per cent of messages the policy applied (`pct` of RFC 7489).",
      ),
    }),
    totals: field.group("The sums over all rows.", {
      rows: count("The rows."),
      count: count("The messages; in a TLS report the sessions."),
      passed: count("Those that passed: by DKIM or SPF, aligned; in a TLS report with verified TLS."),
      failed: count("The others."),
      quarantined: count("Messages that were treated as suspicious."),
      rejected: count("Messages that were refused."),
    }),
    rows: field.rows("The rows of a DMARC report: the first 2,000, or 600,000 characters of JSON.", {
      source_ip: nullableText("The address that sent."),
      count: countOrNull("How many messages; null if it cannot be read."),
      disposition: oneOf(dispositions, "What was done; `pass` for messages that passed an enforced policy"),
      dkim: oneOf(alignedResults, "Whether DKIM passed, aligned"),
      spf: oneOf(alignedResults, "Whether SPF passed, aligned"),
      reasons: field.rows("Why something else was done than the policy says, at most 10.", {
        kind: nullableText("The kind of reason."),
        comment: nullableText("More about it."),
      }),
      header_from: nullableText("The domain in the address of the sender (`From`)."),
      envelope_from: nullableText("The domain of `MAIL FROM`."),
      envelope_to: nullableText("The domain of the recipients."),
      dkim_results: field.rows("The results of DKIM, at most 10.", {
        ...result,
        selector: nullableText("The name of the key."),
        result: oneOf(dkimResults, "The result"),
      }),
      spf_results: field.rows("The results of SPF, at most 10.", {
        ...result,
        scope: oneOf(["mfrom", "helo"], "Which name was checked"),
        result: oneOf(spfResults, "The result"),
      }),
    }),
    tls_policies: field.rows(
      "The policies of a TLS report with their sessions, at most 600,000 characters of JSON.",
      {
        kind: oneOf(policyTypes, "The kind of policy"),
        domain: nullableText("The domain of the policy."),
        policy: field.texts("The policy as the sender saw it, at most 20 lines."),
        mx_hosts: field.texts("The mail servers that the policy names, at most 20."),
        passed: countOrNull("Sessions with verified TLS."),
        failed: countOrNull("Sessions that failed."),
        failures: field.rows("What failed, at most 100.", {
          result: nullableText("What failed, such as `certificate-expired`."),
          count: countOrNull("How many sessions."),
          sending_ip: nullableText("The address that sent."),
          receiving_host: nullableText("The mail server, by its MX record."),
          receiving_helo: nullableText("How the mail server called itself."),
          receiving_ip: nullableText("The address of the mail server."),
          information: nullableText("Where there is more about it."),
          reason_code: nullableText("The error of the sender's program."),
        }),
        failures_left_out: count("How many failures are not listed."),
      },
    ),
    rows_left_out: count("How many rows or policies are counted in the totals, but not listed."),
    sources: premium(
      field.rows("The 20 addresses that sent most.", {
        ip: field.text("The address."),
        host: nullableText(
          "Its name in the DNS (PTR), as the owner of the address says; null if it has none, or the DNS gives no answer.",
        ),
        count: count("Messages, or failed sessions of TLS."),
        passed: count("Messages that passed."),
        failed: count("Messages or sessions that failed."),
      }),
    ),
  }),
  examples: storedExamples(stored, answers),
  isolated: {
    limitMs: 2_000,
    maxSmallSize: 4_000,
    // Base64 may be a packed file, a thousand times as large.
    isBounded: ({ report }) => /^\s*[<{]/.test(String(report)),
  },
})
