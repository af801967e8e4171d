import { defineProblems, type Severity } from "../../values/problems.ts"
import { trimBlanks } from "../mail/trim-blanks.ts"

const kinds = {
  no_record: ["error", "no record, so that no reports are sent"],
  multiple_records: ["error", "more than one record, so that none counts (§3)"],
  not_a_record: ["warning", "a text that is meant as a record, but does not begin with `v=TLSRPTv1;`"],
  too_long: ["error", "a record of over 4,096 bytes, which is not read"],
  syntax: ["error", "a part that is not name and value, or an empty part (§3)"],
  missing_rua: ["error", "no address for reports (`rua`)"],
  repeated_rua: ["error", "`rua` more than once: put all addresses into one"],
  uri: [
    "error",
    "an address that is no URI, or has a comma, exclamation mark or semicolon as it is (RFC 3986)",
  ],
  scheme: ["error", "an address that is neither `mailto:` nor `https:`"],
  repeated_uri: ["warning", "the same address twice"],
  unknown_field: ["info", "a field that RFC 8460 does not define; senders ignore it"],
  other_case: ["warning", "a field whose name differs from `rua` in case only; senders ignore it"],
} as const satisfies Record<string, readonly [Severity, string]>

export const { problemList, problem } = defineProblems<keyof typeof kinds>(kinds)
type Problem = ReturnType<typeof problem>

/** How records begin; other texts do not count (RFC 8460 §3). */
const version = "v=TLSRPTv1;"
const maxLength = 4_096

/** An address for reports. */
export interface Destination {
  readonly uri: string
  readonly kind: "mailto" | "https" | "other"
  readonly is_valid: boolean
}

/** The texts of a name that count as records. */
export function selectRecords(texts: readonly string[]): {
  readonly records: readonly string[]
  readonly problems: readonly Problem[]
} {
  const records = texts.filter((text) => text.startsWith(version))
  const nearly = texts.filter((text) => !text.startsWith(version) && /^\s*"?\s*v\s*=\s*tls-?rpt/i.test(text))
  const problems = nearly
    .slice(0, 1)
    .map(() =>
      problem("not_a_record", "record", `A text looks like a record, but does not begin with "${version}".`),
    )
  return { records, problems }
}

/** Reads a record that begins with the version (RFC 8460 §3). */
export function readRecord(record: string): {
  readonly rua: readonly Destination[]
  readonly problems: readonly Problem[]
} {
  if (record.length > maxLength)
    return { rua: [], problems: [problem("too_long", "record", `The record has ${record.length} bytes.`)] }
  const problems: Problem[] = []
  const fields = record.slice(version.length).split(";").map(trimBlanks)
  // One semicolon may end the record.
  if (fields.length > 1 && fields.at(-1) === "") fields.pop()
  const values: string[] = []
  for (const [index, field] of fields.entries()) {
    const where = `field ${index + 2}`
    // The values of `rua` may have any character; they are checked one by one.
    const [, name, value = ""] = /^([a-z\d][\w.-]{0,31})=(.+)$/is.exec(field) ?? []
    if (name === "rua") values.push(value)
    else if (name === undefined || !/^[\x21-\x3c\x3e-\x7e]+$/.test(value))
      problems.push(
        problem(
          "syntax",
          where,
          field === "" ? "The field is empty." : "The field is not a name and a value.",
        ),
      )
    else if (name.toLowerCase() === "rua")
      problems.push(problem("other_case", where, `The field is ${name}; its name must be rua.`))
    else problems.push(problem("unknown_field", where, `The field ${name} is not known.`))
  }
  if (values.length === 0) problems.push(problem("missing_rua", "rua", "There is no address for reports."))
  if (values.length > 1)
    problems.push(problem("repeated_rua", "rua", `There are ${values.length} rua fields where one may be.`))
  const read = readDestinations(values)
  return { rua: read.destinations, problems: [...problems, ...read.problems] }
}

function readDestinations(values: readonly string[]) {
  const problems: Problem[] = []
  const seen = new Set<string>()
  const uris = values.flatMap((value) => value.split(",").map(trimBlanks))
  const destinations = uris.map((uri, index): Destination => {
    const where = `rua, address ${index + 1}`
    const kind = schemeOf(uri)
    if (seen.has(uri)) problems.push(problem("repeated_uri", where, "The address is there before."))
    seen.add(uri)
    const isUri = isValidUri(uri, kind)
    if (!isUri) problems.push(problem("uri", where, "The address is not a valid URI."))
    else if (kind === "other")
      problems.push(problem("scheme", where, "The address begins neither with mailto: nor with https:."))
    return { uri, kind, is_valid: isUri && kind !== "other" }
  })
  return { destinations, problems }
}

function schemeOf(uri: string): Destination["kind"] {
  const scheme = /^([a-z][a-z\d+.-]*):/i.exec(uri)?.[1]?.toLowerCase()
  return scheme === "mailto" || scheme === "https" ? scheme : "other"
}

/** A URI of RFC 3986 without commas, exclamation marks and semicolons; of mail an address, of the web a host. */
function isValidUri(uri: string, kind: Destination["kind"]): boolean {
  if (!/^[a-z][a-z\d+.-]*:(?:[\w.~:/?#[\]@$&'()*+=-]|%[\da-f]{2})*$/i.test(uri)) return false
  if (kind === "mailto") return /^mailto:[^@?#]+@[^@?#]+(?:\?[^#]*)?$/i.test(uri)
  return kind === "other" || (/^https:\/\/[^/?#]/i.test(uri) && URL.canParse(uri))
}
