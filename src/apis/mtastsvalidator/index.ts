import { Type } from "@sinclair/typebox"
import { choice, defineApi, nullable, nullableText, premium, reject } from "../contract.ts"
import { requireDomain } from "../mail/look-up.ts"
import { checkMtaSts } from "../mail/mta-sts.ts"
import { modes } from "../mail/mta-sts-policy.ts"
import { problemList } from "../mail/mta-sts-problems.ts"
import { authoritiesDate, serverCertificate, webAuthorities } from "../mail/server-certificate.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"

export const mtastsvalidator = defineApi({
  id: "mtastsvalidator",
  title: "MTA-STS validator",
  category: "mail",
  keywords: [
    "MTA-STS",
    "STS",
    "_mta-sts",
    "mta-sts.txt",
    "policy",
    "SMTP TLS",
    "STARTTLS",
    "encryption",
    "MX",
  ],
  description:
    "Checks how a domain asks for encrypted delivery of mail (MTA-STS, RFC 8461): its record, the policy that its host gives over HTTPS, and whether the policy covers all mail servers. A policy can also be checked before it is published.",
  method: "POST",
  singleValues: ["domain"],
  credits: 3,
  asksDns: true,
  asksWeb: true,
  lists: [webAuthorities],
  input: Type.Object({
    domain: field.optional.text(
      "The domain that receives mail, such as example.com. Needed unless `policy` is given.",
      { minLength: 1 },
    ),
    policy: field.optional.text(
      "The text of a policy. With it, nothing is read over HTTPS. Without a domain, the policy alone is checked.",
      { maxLength: 65_536 },
    ),
  }),
  output: Type.Object({
    ...field.verdict(problemList),
    domain: nullableText("The domain in lower case and in ASCII (A-labels); null without one."),
    record_name: nullableText("The name of the record: `_mta-sts` below the domain."),
    record: nullableText("The record; null if there is none, or more than one."),
    id: nullableText("The `id` of the record, which changes with the policy; null without a valid one."),
    policy_url: nullableText("Where senders read the policy."),
    policy: nullableText("The text of the policy; null if there is none that senders would read."),
    content_type: nullableText("The media type with which the host sends the policy."),
    version: nullableText("The `version` of the policy."),
    mode: nullable(choice(modes, { description: "The mode." }), {
      description:
        "`enforce`: mail is not delivered without encryption. `testing`: failures are only reported. `none`: no policy. Null without a valid mode.",
    }),
    mx: field.texts("The names of mail servers in the policy; `*.` stands for one label."),
    max_age: field.nullableInteger("For how many seconds senders keep the policy."),
    mx_matches: field.rows("The mail servers of the domain, and which of them the policy covers.", {
      host: field.text("A mail server of the domain."),
      preference: field.integer("Its preference; the lowest is tried first."),
      matched_by: nullableText("The `mx` of the policy that covers it; null if none does."),
    }),
    certificate: premium(
      nullable(serverCertificate, {
        description:
          "The certificate of the policy's host, also one that is not accepted; null if none was seen.",
      }),
    ),
    data_date: authoritiesDate,
  }),
  examples: storedExamples(stored, answers),
  async run({ domain: text, policy }, { ports }) {
    if (text === undefined && policy === undefined) reject("domain", "must be given, or 'policy'")
    const domain = text === undefined ? null : await requireDomain(text)
    // `mta-sts.` before it must still be a name, and so must `_mta-sts.`.
    if (domain !== null && domain.length > longestDomain)
      reject("domain", `must be at most ${longestDomain} bytes long`)
    const result = await checkMtaSts(domain, policy ?? null, ports)
    if (result.problems.some(({ code }) => code === "policy_not_read"))
      reject("policy", "must be given, since this service sends no HTTPS requests")
    const { is_valid, problems, ...rest } = result
    return { is_valid, problems, domain, ...rest, mx: [...rest.mx], data_date: webAuthorities.date }
  },
})

const longestDomain = 244
