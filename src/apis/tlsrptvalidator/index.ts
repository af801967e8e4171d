import { Type } from "@sinclair/typebox"
import { defineProblems, verdictOf } from "../../values/problems.ts"
import { choice, defineApi, nullableText } from "../contract.ts"
import { requireDomain, withTimeLimit } from "../mail/look-up.ts"
import { explainAddress, readReportAddresses } from "../mail/report-address.ts"
import { explainPart, readTagList, showBytes } from "../mail/tag-list.ts"
import { selectRecord } from "../mail/text-records.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"

const { problemList, problem, newProblems } = defineProblems({
  no_record: "error: no record, so that no reports are sent",
  multiple_records: "error: more than one record, so that none counts (§3)",
  not_a_record: "warning: a text that is meant as a record, but does not begin with `v=TLSRPTv1;`",
  wrong_place: "warning: a record where nobody looks for it, or one of another kind in its place",
  too_long: "error: a record of over 4,096 bytes, which is not read",
  syntax: "error: a part that is not name and value, or an empty part (§3)",
  missing_rua: "error: no address for reports (`rua`)",
  repeated_rua: "error: `rua` more than once: put all addresses into one",
  uri: "error: an address that is no URI, or has a comma, exclamation mark or semicolon as it is (RFC 3986)",
  scheme: "error: an address that is neither `mailto:` nor `https:`",
  repeated_uri: "warning: the same address twice",
  unknown_field: "info: a field that RFC 8460 does not define; senders ignore it",
  other_case: "warning: a field whose name differs from `rua` in case only; senders ignore it",
})

const version = "v=TLSRPTv1;"
const maxLength = 4_096

/** Reads a record that begins with the version (RFC 8460 §3). */
export function readRecord(record: string) {
  if (record.length > maxLength)
    return { rua: [], problems: [problem("too_long", "record", `The record has ${record.length} bytes.`)] }
  const [problems, add] = newProblems()
  const values: string[] = []
  for (const [index, { text: field }] of readTagList(record.slice(version.length)).entries()) {
    const where = `field ${index + 2}`
    // The values of `rua` may have any character; they are checked one by one.
    const [, name, value = ""] = /^([a-z\d][\w.-]{0,31})=(.+)$/is.exec(field) ?? []
    if (name === "rua") values.push(value)
    else if (name === undefined || !/^[\x21-\x3c\x3e-\x7e]+$/.test(value))
      add("syntax", where, explainPart(field))
    else if (name.toLowerCase() === "rua")
      add("other_case", where, `The field is ${name}; its name must be rua.`)
    else add("unknown_field", where, `The field ${name} is not known.`)
  }
  if (values.length === 0) add("missing_rua", "rua", "There is no address for reports.")
  if (values.length > 1) add("repeated_rua", "rua", `There are ${values.length} rua fields where one may be.`)
  const read = readDestinations(values)
  return { rua: read.destinations, problems: [...problems, ...read.problems] }
}

function readDestinations(values: readonly string[]) {
  const problems: ReturnType<typeof problem>[] = []
  const seen = new Set<string>()
  const destinations = values.flatMap(readReportAddresses).map(({ uri, kind, isUri }, index) => {
    const where = `rua, address ${index + 1}`
    if (seen.has(uri)) problems.push(problem("repeated_uri", where, `${showBytes(uri)} is there before.`))
    seen.add(uri)
    const scheme = `${showBytes(uri)} begins neither with mailto: nor with https:.`
    if (!isUri) problems.push(problem("uri", where, explainAddress(uri)))
    else if (kind === "other") problems.push(problem("scheme", where, scheme))
    return { uri, kind, is_valid: isUri && kind !== "other" }
  })
  return { destinations, problems }
}

const dnsLimitMs = 10_000

export const tlsrptvalidator = defineApi({
  id: "tlsrptvalidator",
  title: "TLS reporting validator",
  category: "mail",
  keywords: ["TLSRPT", "TLS-RPT", "SMTP TLS reporting", "_smtp._tls", "rua", "MTA-STS", "DANE", "STARTTLS"],
  description:
    "Looks up the record with which a domain asks other mail servers for reports about encrypted delivery (TLSRPT, RFC 8460), and reports mistakes in it.",
  method: "GET",
  credits: 1,
  asksDns: true,
  input: Type.Object({
    domain: field.text("The domain that receives mail, such as example.com.", { minLength: 1 }),
  }),
  output: Type.Object({
    is_valid: field.flag("Whether no problem is an error: reports are sent to all addresses."),
    problems: problemList,
    domain: field.text("The domain in lower case and in ASCII (A-labels)."),
    record_name: field.text("The name of the record: `_smtp._tls` below the domain."),
    record: nullableText("The record; null if there is none, or more than one."),
    rua: field.rows("The addresses that reports are sent to.", {
      uri: field.text("The address."),
      kind: choice(["mailto", "https", "other"], {
        description: "Whether reports go by mail, by HTTPS, or neither.",
      }),
      is_valid: field.flag("Whether reports can be sent to it."),
    }),
  }),
  examples: storedExamples(stored, answers),
  async run(input, { ports: { dns, timer } }) {
    const domain = await requireDomain(input.domain)
    const record_name = `_smtp._tls.${domain}`
    const { record, problems } = await withTimeLimit(timer, dnsLimitMs, (signal) =>
      selectRecord("tlsrpt", domain, [record_name], (name) => dns.resolve(name, "TXT", signal), problem),
    )
    if (record === null) return { is_valid: false, problems, domain, record_name, record, rua: [] }
    const { rua, problems: inside } = readRecord(record)
    problems.push(...inside)
    return { ...verdictOf(problems), domain, record_name, record, rua: [...rua] }
  },
})
