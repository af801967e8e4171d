import { defineProblems, type Severity } from "../../values/problems.ts"
import { type DmarcRecord, isDmarc, partsOf } from "../mail/dmarc-walk.ts"
import { trimBlanks } from "../mail/trim-blanks.ts"

const kinds = {
  no_record: [
    "error",
    "no record at the domain, its organizational domain or the public suffix, so that DMARC does not apply",
  ],
  multiple_records: ["error", "a name with more than one record, none of which counts (§4.10)"],
  not_a_record: ["warning", "a text that is meant as a record, but does not begin with `v=DMARC1`"],
  too_long: ["error", "a record of over 4,096 bytes, which is not read"],
  syntax: ["error", "a part that is not name and value; receivers ignore it"],
  repeated_tag: ["error", "the same tag twice; receivers may ignore the whole record (RFC 6376 §3.2)"],
  value: ["error", "a tag with a value that it cannot have (§4.8)"],
  no_policy: [
    "error",
    "no `p`, or a wrong `p`, `sp` or `np`, and no address for reports: DMARC does not apply (§4.10.1)",
  ],
  assumed_none: ["warning", "no `p`, or a wrong `p`, `sp` or `np`: the record counts as `p=none` (§4.10.1)"],
  uri: [
    "error",
    "an address that is no URI, or has a comma or an exclamation mark as it is, such as `!10m` of RFC 7489",
  ],
  scheme: ["warning", "an address that is not `mailto:`; few receivers send reports to others"],
  unknown_tag: ["info", "a tag that RFC 9989 does not define; receivers ignore it"],
  historic_tag: ["info", "`pct`, `rf` or `ri` of RFC 7489, which RFC 9989 has removed"],
  monitoring: ["warning", "the policy is `none`: forged mail is delivered"],
  weaker_below: ["warning", "a weaker policy for domains below than for the domain itself"],
  testing: ["info", "test mode: receivers apply the next weaker policy"],
  no_reports: ["warning", "no address for aggregate reports (`rua`): nobody sees what fails"],
  unused_fo: ["info", "`fo` without `ruf` has no effect (§4.7)"],
  unused_below: ["info", "`sp` and `np` count at the organizational domain only"],
} as const satisfies Record<string, readonly [Severity, string]>

export const { problemList, problem } = defineProblems<keyof typeof kinds>(kinds)
export type DmarcProblem = ReturnType<typeof problem>

const maxLength = 4_096
const historic = new Set(["pct", "rf", "ri"])
const request = /^(?:none|quarantine|reject)$/i
const values: Readonly<Record<string, RegExp>> = {
  ...{ p: request, sp: request, np: request },
  ...{ adkim: /^[rs]$/i, aspf: /^[rs]$/i, t: /^[yn]$/i, psd: /^[ynu]$/i },
  // The grammar has 0, 1, d, s and d:s; the text allows any list (§4.7).
  fo: /^[01ds](?:[ \t]*:[ \t]*[01ds])*$/i,
}

/** An address for reports. */
export interface Destination {
  readonly uri: string
  readonly is_valid: boolean
}

/** What is wrong with the TXT records of one name. */
export function aboutTexts(name: string, texts: readonly string[]): DmarcProblem[] {
  const records = texts.filter(isDmarc)
  const problems: DmarcProblem[] = []
  if (records.length > 1)
    problems.push(problem("multiple_records", name, `${name} has ${records.length} records.`))
  if (texts.some((text) => !isDmarc(text) && /^\s*"?\s*v\s*=\s*dmarc/i.test(text)))
    problems.push(problem("not_a_record", name, `A text of ${name} does not begin with v=DMARC1 as it must.`))
  return problems
}

/** What is wrong with the parts of a record, whatever its domain. */
export function aboutRecord({ text, tags }: DmarcRecord): DmarcProblem[] {
  if (text.length > maxLength) return [problem("too_long", "record", `The record has ${text.length} bytes.`)]
  const problems: DmarcProblem[] = []
  const seen = new Set<string>()
  for (const [index, { name, value }] of partsOf(text).entries()) {
    const isTag = value !== null && /^[a-z]+$/.test(name) && /^[\t\x20-\x7e]+$/.test(value)
    if (!isTag) problems.push(problem("syntax", `part ${index + 2}`, "The part is not name and value."))
    else if (seen.has(name)) problems.push(problem("repeated_tag", name, `The tag ${name} is there twice.`))
    else problems.push(...aboutTag(name, value))
    seen.add(name)
  }
  if (tags.has("fo") && !tags.has("ruf"))
    problems.push(problem("unused_fo", "fo", "There is fo, but no ruf."))
  return problems
}

function aboutTag(name: string, value: string): DmarcProblem[] {
  if (name === "rua" || name === "ruf")
    return readDestinations(value).flatMap((one, index) => aboutUri(name, one, index))
  const form = Object.hasOwn(values, name) ? values[name] : undefined
  if (form) return form.test(value) ? [] : [problem("value", name, `The tag ${name} cannot have this value.`)]
  if (historic.has(name)) return [problem("historic_tag", name, `Receivers ignore the tag ${name}.`)]
  return [problem("unknown_tag", name, `The tag ${name} is not known.`)]
}

function aboutUri(tag: string, { uri, is_valid }: Destination, index: number): DmarcProblem[] {
  const where = `${tag}, address ${index + 1}`
  if (!is_valid) return [problem("uri", where, "The address is not a valid URI.")]
  return isMail(uri) ? [] : [problem("scheme", where, "The address is not a mailto: address.")]
}

/** The addresses of `rua` or `ruf`. */
export function readDestinations(value: string | undefined): Destination[] {
  if (value === undefined || value.length > maxLength) return []
  return value.split(",").map((part) => {
    const uri = trimBlanks(part)
    return { uri, is_valid: isUri(uri) }
  })
}

/** The host of a mail address for reports, in lower case; null for other addresses. */
export function hostOf({ uri, is_valid }: Destination): string | null {
  return is_valid && isMail(uri) ? (/@([^@?]+)/.exec(uri)?.[1]?.toLowerCase() ?? null) : null
}

function isMail(uri: string): boolean {
  return /^mailto:/i.test(uri)
}

/** A URI of RFC 3986 without commas and exclamation marks; of mail with an address. */
function isUri(uri: string): boolean {
  if (!/^[a-z][a-z\d+.-]*:(?:[\w.~:/?#[\]@$&'()*+=-]|%[\da-f]{2})+$/i.test(uri)) return false
  return !isMail(uri) || /^mailto:[^@?#]+@[^@?#]+(?:\?[^#]*)?$/i.test(uri)
}

/** How alike the domains must be, by the value of `adkim` or `aspf` (RFC 9989 §4.7). */
export function modeOf(value: string | undefined): "relaxed" | "strict" {
  return value?.toLowerCase() === "s" ? "strict" : "relaxed"
}
