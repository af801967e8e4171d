import { defineProblems } from "../../values/problems.ts"
import { type Destination, dmarcPolicies, readDestinations } from "../mail/dmarc-policy.ts"
import { type DmarcRecord, isDmarc, maxRecordBytes, partsOf } from "../mail/dmarc-walk.ts"
import { explainAddress } from "../mail/report-address.ts"
import { explainPart, showBytes } from "../mail/tag-list.ts"
import { explainNearly } from "../mail/text-records.ts"

export const { problemList, problem, newProblems } = defineProblems({
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
export type DmarcProblem = ReturnType<typeof problem>

const historic = new Set(["pct", "rf", "ri"])
const request = [new RegExp(`^(?:${dmarcPolicies.join("|")})$`, "i"), "none, quarantine or reject"] as const
const mode = [/^[rs]$/i, "r (relaxed) or s (strict)"] as const
/** For each tag the values that it can have, and how a message names them. */
const values: Readonly<Record<string, readonly [form: RegExp, words: string]>> = {
  ...{ p: request, sp: request, np: request, adkim: mode, aspf: mode },
  ...{ t: [/^[yn]$/i, "y or n"], psd: [/^[ynu]$/i, "y, n or u"] },
  // The grammar has 0, 1, d, s and d:s; the text allows any list (§4.7).
  fo: [/^[01ds](?:[ \t]*:[ \t]*[01ds])*$/i, "0, 1, d or s, or several with colons between them"],
}

/** Finds the problems of the TXT records at one name, taken together. */
export function aboutTexts(name: string, texts: readonly string[]): DmarcProblem[] {
  const { length } = texts.filter(isDmarc)
  const nearly = explainNearly("dmarc", name, texts).map((message) => problem("not_a_record", name, message))
  if (length < 2) return nearly
  const message = `${name} has ${length} records. Leave one, or receivers ignore all.`
  return [problem("multiple_records", name, message), ...nearly]
}

/** Finds the problems of a record's parts, whatever its domain. */
export function aboutRecord({ text, tags }: DmarcRecord): DmarcProblem[] {
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
export function hostOf({ uri, kind, isUri }: Destination): string | null {
  return isUri && kind === "mailto" ? (/@([^@?]+)/.exec(uri)?.[1]?.toLowerCase() ?? null) : null
}

/** How alike the domains must be, by the value of `adkim` or `aspf` (RFC 9989 §4.7). */
export function modeOf(value: string | undefined): "relaxed" | "strict" {
  return value?.toLowerCase() === "s" ? "strict" : "relaxed"
}
