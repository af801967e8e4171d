import { Type } from "@sinclair/typebox"
import { verdictOf } from "../../values/problems.ts"
import { choice, defineApi, nullableText } from "../contract.ts"
import { requireDomain } from "../mail/domain-name.ts"
import { withTimeLimit } from "../mail/look-up.ts"
import { selectRecord } from "../mail/text-records.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"
import { problem, problemList, readRecord } from "./record.ts"

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
