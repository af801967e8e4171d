import { Type } from "@sinclair/typebox"
import { defineProblems, verdictOf } from "../../values/problems.ts"
import { choice, type Dns, defineApi, nullable, nullableText, premium, type RunContext } from "../contract.ts"
import {
  type Destination,
  type DmarcRecord,
  dmarcPolicies,
  failureOf,
  isDmarc,
  maxRecordBytes,
  organizationalDomain,
  partsOf,
  policiesOf,
  policyRecord,
  psdOf,
  readDestinations,
  walkDmarc,
} from "../mail/dmarc-walk.ts"
import { isWithin } from "../mail/dnssec/names.ts"
import { refuseFailure, requireDomain, withTimeLimit } from "../mail/look-up.ts"
import { explainAddress } from "../mail/report-address.ts"
import { explainPart, showBytes } from "../mail/tag-list.ts"
import { explainNearly, findMisplaced, toProblems } from "../mail/text-records.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"

const { problemList, problem, newProblems } = defineProblems({
  no_record:
    "error: no record at the domain, its organizational domain or the public suffix, so that DMARC does not apply",
  multiple_records: "error: a name with more than one record, none of which counts (§4.10)",
  not_a_record: "warning: a text that is meant as a record, but does not begin with `v=DMARC1`",
  wrong_place: "warning: a record where nobody looks for it, or one of another kind in its place",
  too_long: "error: a record of over 4,096 bytes, which is not read",
  syntax: "error: a part that is not name and value; receivers ignore it",
  repeated_tag: "error: the same tag twice; receivers may ignore the whole record (RFC 6376 §3.2)",
  value: "error: a tag with a value that it cannot have (§4.8)",
  no_policy:
    "error: no `p`, or a wrong `p`, `sp` or `np`, and no address for reports: DMARC does not apply (§4.10.1)",
  assumed_none: "warning: no `p`, or a wrong `p`, `sp` or `np`: the record counts as `p=none` (§4.10.1)",
  uri: "error: an address that is no URI, or has a comma or an exclamation mark as it is",
  obsolete_size:
    "info: an address with a largest size of reports, such as `!10m` of RFC 7489, which receivers ignore (§4.8)",
  scheme: "warning: an address that is not `mailto:`; few receivers send reports to others",
  unknown_tag: "info: a tag that RFC 9989 does not define; receivers ignore it",
  historic_tag: "info: `pct`, `rf` or `ri` of RFC 7489, which RFC 9989 has removed",
  monitoring: "warning: the policy is `none`: forged mail is delivered",
  weaker_below: "warning: a weaker policy for domains below than for the domain itself",
  testing: "info: test mode: receivers apply the next weaker policy",
  no_reports: "warning: no address for aggregate reports (`rua`): nobody sees what fails",
  unused_fo: "info: `fo` without `ruf` has no effect (§4.7)",
  top_level: "warning: a record at a top-level name without `psd`, which is taken for `psd=y` (§4.10.2)",
  unused_below: "info: `sp` and `np` count at the organizational domain only",
})
type DmarcProblem = ReturnType<typeof problem>

const historic = new Set(["pct", "rf", "ri"])
const request = [new RegExp(`^(?:${dmarcPolicies.join("|")})$`, "i"), "none, quarantine or reject"] as const
const modeRule = [/^[rs]$/i, "r (relaxed) or s (strict)"] as const
/** For each tag the values that it can have, and how a message names them. */
const values: Readonly<Record<string, readonly [form: RegExp, words: string]>> = {
  ...{ p: request, sp: request, np: request, adkim: modeRule, aspf: modeRule },
  ...{ t: [/^[yn]$/i, "y or n"], psd: [/^[ynu]$/i, "y, n or u"] },
  // The grammar has 0, 1, d, s and d:s; the text allows any list (§4.7).
  fo: [/^[01ds](?:[ \t]*:[ \t]*[01ds])*$/i, "0, 1, d or s, or several with colons between them"],
}

/** Finds the problems of the TXT records at one name, taken together. */
function aboutTexts(name: string, texts: readonly string[]): DmarcProblem[] {
  const { length } = texts.filter(isDmarc)
  const nearly = explainNearly("dmarc", name, texts).map((message) => problem("not_a_record", name, message))
  if (length < 2) return nearly
  const message = `${name} has ${length} records. Leave one, or receivers ignore all.`
  return [problem("multiple_records", name, message), ...nearly]
}

/** Finds the problems of a record's parts, whatever its domain. */
function aboutRecord({ text, tags }: DmarcRecord): DmarcProblem[] {
  if (text.length > maxRecordBytes)
    return [problem("too_long", "record", `The record has ${text.length} bytes.`)]
  const problems: DmarcProblem[] = []
  const seen = new Set<string>()
  for (const [index, { name, value, text: part }] of partsOf(text).entries()) {
    const isTag = value !== null && /^[a-z]+$/.test(name) && /^[\t\x20-\x7e]+$/.test(value)
    if (!isTag) problems.push(problem("syntax", `part ${index + 2}`, explainPart(part)))
    else if (seen.has(name)) problems.push(problem("repeated_tag", name, `The tag ${name} is there twice.`))
    else problems.push(...aboutTag(name, value, part))
    seen.add(name)
  }
  if (tags.has("fo") && !tags.has("ruf"))
    problems.push(problem("unused_fo", "fo", "There is fo, but no ruf."))
  return problems
}

function aboutTag(name: string, value: string, part: string): DmarcProblem[] {
  if (name === "rua" || name === "ruf")
    return readDestinations(value).flatMap((one, index) => aboutUri(name, one, index))
  const [form, words] = (Object.hasOwn(values, name) && values[name]) || []
  if (form?.test(value)) return []
  if (form) return [problem("value", name, explainPart(part, `The value of ${name} is ${words}.`))]
  if (historic.has(name)) return [problem("historic_tag", name, `Receivers ignore the tag ${name}.`)]
  return [problem("unknown_tag", name, `The tag ${name} is not known.`)]
}

function aboutUri(tag: string, { uri, kind, isUri, hadSize }: Destination, index: number): DmarcProblem[] {
  const where = `${tag}, address ${index + 1}`
  if (!isUri) return [problem("uri", where, explainAddress(uri))]
  const size = `Receivers ignore the size after ${showBytes(uri)}. Leave it out.`
  const scheme = `${showBytes(uri)} is not a mailto: address.`
  return [
    ...(hadSize ? [problem("obsolete_size", where, size)] : []),
    ...(kind === "mailto" ? [] : [problem("scheme", where, scheme)]),
  ]
}

/** The host of a mail address for reports, in lower case; null for other addresses. */
function hostOf({ uri, kind, isUri }: Destination): string | null {
  return isUri && kind === "mailto" ? (/@([^@?]+)/.exec(uri)?.[1]?.toLowerCase() ?? null) : null
}

/** How alike the domains must be, by the value of `adkim` or `aspf` (RFC 9989 §4.7). */
function modeOf(value: string | undefined): "relaxed" | "strict" {
  return value?.toLowerCase() === "s" ? "strict" : "relaxed"
}

const dnsLimitMs = 15_000
const maxDestinations = 50

const policy = (description: string) =>
  nullable(choice(dmarcPolicies, { description: "The policy." }), { description })
const destinations = (description: string) =>
  field.rows(description, {
    uri: field.text("The address."),
    is_valid: field.flag("Whether it is a URI."),
  })
const mode = (what: string) =>
  choice(["relaxed", "strict"], {
    description: `Whether ${what} may be another one below the same organizational domain (relaxed), or must be the same (strict).`,
  })

export const dmarcvalidator = defineApi({
  id: "dmarcvalidator",
  title: "DMARC validator",
  category: "mail",
  keywords: [
    "DMARC record",
    "_dmarc",
    "spoofing",
    "forged mail",
    "policy",
    "rua",
    "alignment",
    "organizational domain",
    "RFC 9989",
    "RFC 7489",
  ],
  description:
    "Finds the DMARC policy that applies to mail from a domain, by the tree walk of RFC 9989, and says what is wrong with it. With premium fields, also whether other domains take the reports.",
  method: "GET",
  credits: 3,
  asksDns: true,
  input: Type.Object({
    domain: field.text("The domain in the address of the sender, such as example.com.", { minLength: 1 }),
  }),
  output: Type.Object({
    is_valid: field.flag("Whether a policy applies, and no problem is an error."),
    problems: problemList,
    domain: field.text("The domain in lower case and in ASCII (A-labels)."),
    is_in_dns: field.flag("Whether the domain exists in the DNS."),
    organizational_domain: field.text(
      "The domain that others must belong to, to be aligned with this one (§4.10.2).",
    ),
    record_domain: nullableText("The domain whose record applies; null without one."),
    record: nullableText("The record that applies; null without one."),
    policy: policy(
      "What receivers are asked to do with mail from the domain that fails; null without a policy.",
    ),
    policies: field.nullableGroup(
      "The policies of the record, with what follows from those that it leaves out; null without a policy.",
      {
        domain: choice(dmarcPolicies, { description: "For the domain of the record." }),
        subdomains: choice(dmarcPolicies, { description: "For domains below it." }),
        nonexistent: choice(dmarcPolicies, { description: "For domains below it that do not exist." }),
      },
    ),
    is_testing: field.flag("Whether the record asks for the next weaker policy (`t=y`)."),
    alignment: field.group("How alike the domains must be.", {
      dkim: mode("the domain that has signed"),
      spf: mode("the domain that SPF has checked"),
    }),
    rua: destinations("The addresses for aggregate reports, without sizes such as `!10m`, at most 50."),
    ruf: destinations("The addresses for reports about single failures, at most 50."),
    report_permissions: premium(
      field.rows("Whether the domains of the addresses take reports about this one (RFC 9990), at most 10.", {
        domain: field.text("The domain of an address for reports."),
        is_external: field.flag("Whether it has another organizational domain."),
        is_permitted: field.nullableFlag("Whether it takes the reports; null if the DNS gave no answer."),
      }),
    ),
  }),
  examples: storedExamples(stored, answers),
  async run(input, context) {
    const domain = await requireDomain(input.domain)
    return withTimeLimit(context.ports.timer, dnsLimitMs, (signal) => validate(domain, context, signal))
  },
})

async function validate(domain: string, { ports: { dns }, premium }: RunContext, signal: AbortSignal) {
  const [steps, existence] = await Promise.all([
    walkDmarc(domain, dns, signal),
    dns.resolve(domain, "CNAME", signal),
  ])
  const failure = failureOf(steps)
  if (failure) return refuseFailure(failure, `_dmarc.${failure.domain}`)
  if (existence.kind === "failure") return refuseFailure(existence, domain)
  const is_in_dns = existence.kind !== "nxdomain"
  const organizational_domain = organizationalDomain(domain, steps)
  const problems = steps.flatMap((step) =>
    step.kind === "answer" ? aboutTexts(`_dmarc.${step.domain}`, step.texts) : [],
  )
  const record = policyRecord(domain, steps)
  if (record === undefined) {
    const place = `_dmarc.${domain}`
    const texts = steps[0]?.kind === "answer" ? steps[0].texts : []
    const misplaced = await findMisplaced("dmarc", domain, place, texts, (name) =>
      dns.resolve(name, "TXT", signal),
    )
    problems.push(
      problem("no_record", place, "No record applies to the domain."),
      ...toProblems(misplaced, problem),
    )
    return { ...{ is_valid: false, problems, domain, is_in_dns, organizational_domain }, ...nothing }
  }
  const { tags } = record
  const [rua, ruf] = [readDestinations(tags.get("rua")), readDestinations(tags.get("ruf"))]
  const policies = policiesOf(record)
  const own = policies?.[record.domain === domain ? "p" : is_in_dns ? "sp" : "np"] ?? null
  problems.push(...aboutRecord(record), ...aboutPolicy(record, organizational_domain))
  return {
    ...{ ...verdictOf(problems), domain, is_in_dns, organizational_domain },
    record_domain: record.domain,
    record: record.text,
    policy: own,
    policies: policies && { domain: policies.p, subdomains: policies.sp, nonexistent: policies.np },
    is_testing: tags.get("t")?.toLowerCase() === "y",
    alignment: { dkim: modeOf(tags.get("adkim")), spf: modeOf(tags.get("aspf")) },
    ...{ rua: toAddresses(rua), ruf: toAddresses(ruf) },
    report_permissions: premium
      ? await findPermissions(record.domain, organizational_domain, [...rua, ...ruf], dns, signal)
      : [],
  }
}

function toAddresses(destinations: readonly Destination[]) {
  return destinations.slice(0, maxDestinations).map(({ uri, isUri }) => ({ uri, is_valid: isUri }))
}

const nothing = {
  ...{ record_domain: null, record: null, policy: null, policies: null, is_testing: false },
  alignment: { dkim: "relaxed" as const, spf: "relaxed" as const },
  ...{ rua: [], ruf: [], report_permissions: [] },
}

/** Whether `p` is there, and no policy is wrong. */
function isReadable({ tags }: DmarcRecord): boolean {
  const known: readonly string[] = dmarcPolicies
  const written = ["p", "sp", "np"].flatMap((tag) => tags.get(tag)?.toLowerCase() ?? [])
  return tags.has("p") && written.every((value) => known.includes(value))
}

function aboutPolicy(record: DmarcRecord, organizational: string): DmarcProblem[] {
  const { tags } = record
  const [problems, add] = newProblems()
  const policies = policiesOf(record)
  const { p, sp, np } = policies ?? { p: "none", sp: "none", np: "none" }
  const strength = (name: (typeof dmarcPolicies)[number]) => dmarcPolicies.indexOf(name)
  if (policies === null) add("no_policy", "p", "The record has no valid policy, and no address for reports.")
  else if (!isReadable(record)) add("assumed_none", "p", "The policy is taken for none.")
  else if (p === "none") add("monitoring", "p", "The policy is none.")
  if (Math.min(strength(sp), strength(np)) < strength(p))
    add("weaker_below", "sp", "The policy for domains below is weaker than p.")
  if (tags.get("t")?.toLowerCase() === "y" && p !== "none")
    add("testing", "t", "Receivers apply the next weaker policy.")
  if (!tags.has("rua")) add("no_reports", "rua", "There is no address for aggregate reports.")
  const isSuffix = psdOf(record) === "y"
  if (isSuffix && tags.get("psd")?.toLowerCase() !== "y")
    add("top_level", "psd", `Add psd=y: ${record.domain} is above domains of others.`)
  const isAbove = record.domain === organizational || isSuffix
  if (!isAbove && (tags.has("sp") || tags.has("np")))
    add("unused_below", "sp", `The record is not that of the organizational domain ${organizational}.`)
  return problems
}

/** Addresses of one record that are asked about; each may need nine questions. */
const maxDomains = 10

/**
 * Whether the domains of addresses take reports about the domain of a record. Domains with another organizational domain agree by
 * a record (RFC 9990, "Verifying External Destinations").
 * @returns `is_permitted` is null where the DNS gave no answer
 */
function findPermissions(
  recordDomain: string,
  organizational: string,
  destinations: readonly Destination[],
  dns: Dns,
  signal: AbortSignal,
) {
  const domains = [...new Set(destinations.flatMap((one) => hostOf(one) ?? []))].slice(0, maxDomains)
  return Promise.all(
    domains.map(async (domain) => {
      // A domain below another one has the same organizational domain, unless its own record says otherwise.
      if (isWithin(domain, organizational)) return { domain, is_external: false, is_permitted: true }
      const answer = await dns.resolve(`${recordDomain}._report._dmarc.${domain}`, "TXT", signal)
      if (answer.kind === "failure") return { domain, is_external: true, is_permitted: null }
      if (answer.kind === "records" && answer.records.some(isDmarc))
        return { domain, is_external: true, is_permitted: true }
      const steps = await walkDmarc(domain, dns, signal)
      if (failureOf(steps)) return { domain, is_external: true, is_permitted: null }
      const is_external = organizationalDomain(domain, steps) !== organizational
      return { domain, is_external, is_permitted: !is_external }
    }),
  )
}
