import { defineProblems } from "../../values/problems.ts"

/** How widely an address is accepted, from everywhere to nowhere. */
export const diagnosisNames = ["valid", "unusual", "header_only", "obsolete", "too_broad", "invalid"] as const

/** The diagnosis of an address that mail servers cannot use, by the number that isemail returns. */
export function toDiagnosis(number: number): (typeof diagnosisNames)[number] {
  if (number >= 128) return "invalid"
  if (number >= 64) return "too_broad"
  return number >= 32 ? "obsolete" : "header_only"
}

export const { problemList, problem, newProblems } = defineProblems({
  no_at_sign: "error: no `@` with a domain after it",
  local_part: "error: the part before the `@` is missing, or its quotation mark is not closed",
  character: "error: a character that is not allowed at its place (RFC 5321 §4.1.2)",
  dot: "error: a dot at the beginning or end of a part, or two dots in a row",
  domain: "error: the part after the `@` is not a domain name",
  address_literal: "error: the part in brackets is not an IP address (RFC 5321 §4.1.3)",
  idna: "error: the domain has characters that IDNA does not allow (RFC 5891)",
  comment: "error: comments and white space are for headers (RFC 5322), not for mail servers",
  obsolete: "error: a form that RFC 5322 §4 allows only for reading old messages",
  too_long: "error: over 254 bytes in all, 64 before the `@`, 253 after it, or 63 in a label",
  quoted_local_part: "warning: quotation marks are allowed, but many programs refuse them",
  literal: "warning: an IP address instead of a domain name; few servers accept mail for one",
  single_label: "warning: the domain has no dot; at most a local network knows it",
  numeric_tld: "warning: the last label of the domain has only digits; no domain on the Internet ends so",
  special_domain: "warning: the domain is reserved and accepts no mail (RFC 6761, 6762, 7686, 9476)",
  hidden_character:
    "warning: invisible characters, which RFC 6532 §3.1 allows before the `@`, and which are left out after it",
})

type Fault = readonly [code: ReturnType<typeof problem>["code"], where: string, message: string]

const local = "local part"
const faults: Readonly<Record<number, Fault>> = {
  10: ["numeric_tld", "domain", "The last label of the domain has only digits."],
  11: ["quoted_local_part", local, "The local part is in quotation marks."],
  12: ["literal", "domain", "The domain is an IP address in brackets."],
  17: ["comment", "email", "Comments in parentheses are only for headers."],
  18: ["comment", "email", "White space is only for headers."],
  34: ["comment", "email", "White space is only for headers."],
  37: ["comment", "email", "Comments in parentheses are only for headers."],
  49: ["comment", "email", "Comments and white space beside the '@' are only for headers."],
  65: ["domain", "domain", "The domain has a character other than letters, digits, hyphens and dots."],
  66: ["too_long", "email", "The address has more than 254 bytes."],
  67: ["too_long", local, "The local part has more than 64 bytes."],
  68: ["too_long", "domain", "The domain has more than 253 bytes."],
  69: ["too_long", "domain", "A label of the domain has more than 63 bytes."],
  130: ["local_part", local, "There is nothing before the '@'."],
  131: ["no_at_sign", "email", "There is no '@' with a domain after it."],
  132: ["dot", "email", "There are two dots in a row."],
  140: ["local_part", local, "The address ends with a backslash."],
  141: ["dot", "email", "The local part or the domain begins with a dot."],
  142: ["dot", "email", "The local part or the domain ends with a dot."],
  143: ["domain", "domain", "A label of the domain begins with a hyphen."],
  144: ["domain", "domain", "A label of the domain ends with a hyphen."],
  145: ["local_part", local, "A quotation mark is not closed."],
  146: ["comment", "email", "A parenthesis is not closed."],
  147: ["address_literal", "domain", "A bracket is not closed."],
  162: ["domain", "domain", "A dot follows the bracket of an IP address."],
}

/** The problem for a number that isemail returns; null for a valid address. */
export function toProblem(number: number) {
  const fault = faults[number] ?? byRange(number)
  return fault === null ? null : problem(...fault)
}

function byRange(number: number): Fault | null {
  if (number === 0) return null
  if (number >= 33 && number <= 39)
    return ["obsolete", "email", "The address has a form that is only for reading old messages."]
  if (number >= 70 && number <= 77)
    return ["address_literal", "domain", "The part in brackets is not an IP address."]
  if (number >= 148 && number <= 150) return ["comment", "email", "There is a line break in the address."]
  return ["character", "email", "The address has a character that is not allowed at its place."]
}
