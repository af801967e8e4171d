import { Type } from "@sinclair/typebox"
import { defineProblems, verdictOf } from "../../values/problems.ts"
import { type Dns, defineApi, nullableText, premium, reject } from "../contract.ts"
import { requireDomain, requireRecords, withTimeLimit } from "../mail/look-up.ts"
import { explainAddress } from "../mail/report-address.ts"
import { showBytes } from "../mail/tag-list.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"
import {
  type CaaRecord,
  forbidsAll,
  hasIssuer,
  hasReservedFlags,
  isCritical,
  isIssuerName,
  isKnown,
  policyOf,
  readIssueValue,
  tagOf,
  toZoneForm,
} from "./policy.ts"

const { problemList, problem, newProblems } = defineProblems({
  no_record: "info: no record at the domain or above it, so that every CA may issue",
  value: "error: a value that does not follow the grammar, so that it allows no CA (RFC 8659 §4.2)",
  tag: "error: a tag of other characters than letters and digits (RFC 8659 §4.1)",
  unknown_critical: "error: a critical property that CAs do not know, so that none may issue (RFC 8659 §4.1)",
  unknown_tag: "warning: a property that CAs do not know and ignore",
  reserved_flags: "warning: flags that mean nothing; 128 is the critical one (RFC 8659 §4.1)",
  only_wildcards: "warning: `issuewild` without `issue`: every CA may issue for names without a wildcard",
  forbidden_and_allowed:
    "warning: a record that allows no CA, beside others that allow some: it has no effect",
  several_accounts:
    "error: `accounturi` more than once in a record, so that no account may order (RFC 8657 §3)",
  account: "error: an `accounturi` that is no URI (RFC 8657 §3)",
  unknown_method:
    "warning: a method of validation that is not registered and does not begin with `ca-` (RFC 8657 §4)",
  report_address: "warning: an `iodef` that is no `mailto:`, `http:` or `https:` address (RFC 8659 §4.4)",
  repeated: "info: the same record twice",
})
type Problem = ReturnType<typeof problem>

/** The methods of ACME (IANA, "ACME Validation Methods"). */
const methods = new Set([
  ...["http-01", "dns-01", "tls-alpn-01", "dns-account-01", "dns-persist-01"],
  ...["email-reply-00", "onion-csr-01", "tkauth-01", "bp-nodeid-00"],
])

/** Finds the problems of a name's CAA records. */
function findProblems(records: readonly CaaRecord[]): Problem[] {
  const seen = new Set<string>()
  const problems = records.flatMap((record, index) => {
    const where = `record ${index + 1}`
    const key = `${record.flags} ${tagOf(record)} ${record.value}`
    const found = aboutRecord(record, where)
    if (seen.has(key)) found.push(problem("repeated", where, "The record is there before."))
    seen.add(key)
    return found
  })
  return [...problems, ...aboutAll(records)]
}

function aboutRecord(record: CaaRecord, where: string): Problem[] {
  const [problems, add] = newProblems()
  const { flags, tag, value } = record
  if (hasReservedFlags(record))
    add("reserved_flags", where, `The flags are ${flags}; only 0 and 128 have a meaning.`)
  if (!/^[a-z\d]+$/i.test(tag))
    add("tag", where, `The tag '${showBytes(tag)}' has other characters than letters and digits.`)
  else if (forbidsAll(record))
    add("unknown_critical", where, `The property ${tag} is critical, but not known.`)
  else if (!isKnown(record)) add("unknown_tag", where, `The property ${tag} is not known.`)
  if (tagOf(record) === "iodef" && !isReportAddress(value))
    add("report_address", where, `${explainAddress(value)} It may also be http: or https:.`)
  return hasIssuer(record) ? [...problems, ...aboutIssuer(value, where)] : problems
}

function aboutIssuer(value: string, where: string): Problem[] {
  const read = readIssueValue(value)
  if (read === null)
    return [problem("value", where, `'${showBytes(value)}' is not the name of a CA. ${causeOf(value)}`)]
  const [problems, add] = newProblems()
  const valuesOf = (name: string) =>
    read.parameters.filter((one) => one.name === name).map((one) => one.value)
  const accounts = valuesOf("accounturi")
  if (accounts.length > 1)
    add("several_accounts", where, `There are ${accounts.length} accounturi parameters.`)
  const account = accounts.find((one) => !/^[a-z][a-z\d+.-]*:./i.test(one))
  if (account !== undefined) add("account", where, `The accounturi '${showBytes(account)}' is not a URI.`)
  const unknown = valuesOf("validationmethods")
    .flatMap((list) => list.split(","))
    .filter((method) => !methods.has(method) && !/^ca-[a-z\d-]+$/i.test(method))
  if (unknown.length > 0)
    add("unknown_method", where, `A method of validation is not known: '${showBytes(unknown[0] ?? "")}'.`)
  return problems
}

/** The usual reason why a value does not follow the grammar (RFC 8659 §4.2). */
function causeOf(value: string): string {
  if (/:\/\//.test(value)) return "Write its domain alone, without https:// and a path."
  if (/["'`\\]/.test(value)) return "Leave out the quotation marks and backslashes."
  if (/^\s*[^\s,;]+[\s,]+[^\s,;]/.test(value)) return "Give each CA a record of its own."
  return "Write its domain, and parameters such as accounturi=… after semicolons."
}

function aboutAll(records: readonly CaaRecord[]): Problem[] {
  const tags = new Set(records.map(tagOf))
  const [problems, add] = newProblems()
  if (tags.has("issuewild") && !tags.has("issue") && !records.some(forbidsAll))
    add("only_wildcards", "records", "There is issuewild, but no issue.")
  for (const tag of ["issue", "issuewild"]) {
    const issuers = records
      .filter((record) => tagOf(record) === tag)
      .map(({ value }) => readIssueValue(value))
    const allowed = issuers.filter((read) => read?.issuer)
    if (allowed.length > 0 && issuers.some((read) => read !== null && read.issuer === null))
      add("forbidden_and_allowed", "records", `Of ${tag}, one record allows no CA, and another does.`)
  }
  return problems
}

function isReportAddress(value: string): boolean {
  return (
    /^mailto:[^@\s]+@[^@\s]+$/i.test(value) ||
    (/^https?:\/\/[^/?#].{0,9999}$/is.test(value) && URL.canParse(value))
  )
}

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
