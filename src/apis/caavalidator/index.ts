import { Type } from "@sinclair/typebox"
import { verdictOf } from "../../values/problems.ts"
import { type Dns, defineApi, nullableText, premium, reject } from "../contract.ts"
import { requireDomain } from "../mail/domain-name.ts"
import { requireRecords, withTimeLimit } from "../mail/look-up.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"
import { type CaaRecord, isCritical, isIssuerName, policyOf, toZoneForm } from "./policy.ts"
import { findProblems, problem, problemList } from "./problems.ts"

const dnsLimitMs = 15_000
/** One question for each. */
const maxLabels = 16
/** The most records that are read. A name may have thousands, but nobody needs so many. */
const maxRecords = 100

export const caavalidator = defineApi({
  id: "caavalidator",
  title: "CAA validator",
  category: "mail",
  keywords: [
    "certification authority authorization",
    "TLS certificate",
    "issue",
    "issuewild",
    "iodef",
    "Let's Encrypt",
    "ACME",
    "DNS",
  ],
  description:
    "Finds the records that say which certification authorities may issue certificates for a domain (CAA, RFC 8659), and reports mistakes in them. With `ca`, also tells whether that CA may issue.",
  method: "GET",
  credits: 1,
  asksDns: true,
  input: Type.Object({
    domain: field.text(
      "The domain of the certificate, such as example.com, or a wildcard, such as *.example.com.",
      { minLength: 1 },
    ),
    ca: field.optional.text(
      "The name of a CA as records write it, such as letsencrypt.org, to check whether it may issue.",
      { minLength: 1, maxLength: 253 },
    ),
  }),
  output: Type.Object({
    ...field.verdict(problemList),
    domain: field.text("The domain in lower case and in ASCII (A-labels), without `*.`."),
    is_wildcard: field.flag("Whether the certificate is for a wildcard."),
    record_domain: nullableText(
      "The domain whose records apply: the given one, or the nearest one above it with records; null without records.",
    ),
    records: field.rows("The records that apply, at most 100.", {
      value: field.text('The record as a zone file writes it, such as `0 issue "letsencrypt.org"`.'),
      flags: field.integer("The flags, from 0 to 255."),
      is_critical: field.flag("Whether CAs that do not know the property must not issue."),
      tag: field.text("The property."),
      property_value: field.text("The value of the property."),
    }),
    is_any_ca_permitted: field.flag("Whether every CA may issue."),
    issuers: field.texts("The CAs that may issue; empty if none may, or if every CA may."),
    is_ca_permitted: field.nullableFlag(
      "Whether the CA of the parameter `ca` may issue, if it keeps to `permissions`; null without it.",
    ),
    permissions: premium(
      field.rows("The CAs that may issue, with the conditions of RFC 8657.", {
        issuer: field.text("The CA."),
        accounts: field.texts(
          "The address of the only account at the CA that may order; empty if any may. With several, none may.",
        ),
        methods: field.nullableTexts("The only methods of validation; null for any."),
      }),
    ),
  }),
  examples: storedExamples(stored, answers),
  async run(input, { ports: { dns, timer } }) {
    const is_wildcard = input.domain.startsWith("*.")
    const domain = await requireDomain(is_wildcard ? input.domain.slice(2) : input.domain, { leastLabels: 1 })
    if (domain.split(".").length > maxLabels) reject("domain", `must have at most ${maxLabels} labels`)
    if (input.ca !== undefined && !isIssuerName(input.ca))
      reject("ca", "must be a domain name such as letsencrypt.org")
    const { found, all } = await withTimeLimit(timer, dnsLimitMs, (signal) => climb(domain, dns, signal))
    const records = all.slice(0, maxRecords)
    const problems =
      found === null
        ? [problem("no_record", domain, "Neither the domain nor one above it has records.")]
        : findProblems(records)
    const policy = policyOf(all, is_wildcard)
    const permissions = policy.kind === "any" ? [] : policy.permissions.slice(0, maxRecords)
    const ca = input.ca?.toLowerCase()
    const isAllowed =
      policy.kind === "any" ||
      policy.permissions.some(
        (one) => one.issuer === ca && one.accounts.length < 2 && one.methods?.length !== 0,
      )
    return {
      ...verdictOf(problems),
      ...{ domain, is_wildcard },
      record_domain: found,
      records: records.map((record) => {
        const { flags, tag, value: property_value } = record
        return { value: toZoneForm(record), flags, is_critical: isCritical(record), tag, property_value }
      }),
      is_any_ca_permitted: policy.kind === "any",
      issuers: [...new Set(permissions.map(({ issuer }) => issuer))],
      is_ca_permitted: ca === undefined ? null : isAllowed,
      permissions: permissions.map(({ issuer, accounts, methods }) => ({
        issuer,
        accounts: [...accounts],
        methods: methods && [...methods],
      })),
    }
  },
})

/** The records of the first name from the domain upwards that has any (RFC 8659 §3). */
async function climb(domain: string, dns: Dns, signal: AbortSignal) {
  const labels = domain.split(".")
  for (let first = 0; first < labels.length; first++) {
    const name = labels.slice(first).join(".")
    const all: readonly CaaRecord[] = requireRecords(await dns.resolve(name, "CAA", signal), name)
    if (all.length > 0) return { found: name, all }
  }
  return { found: null, all: [] }
}
