import { defineProblems } from "../../values/problems.ts"

export const { problemList, problem, newProblems } = defineProblems({
  no_record: "error: no record, so that senders look for no policy",
  multiple_records: "error: more than one record, so that none counts (RFC 8461 §3.1)",
  not_a_record: "warning: a text that is meant as a record, but does not begin with `v=STSv1;`",
  wrong_place: "warning: a record where nobody looks for it, or one of another kind in its place",
  record_syntax: "error: a field of the record that is not name and value, or is empty (§3.1)",
  missing_id: "error: no `id` in the record",
  id: "error: an `id` that is not 1 to 32 letters and digits",
  policy_not_read: "error: the policy cannot be read, since this service sends no HTTPS requests",
  policy_unreachable: "error: the host of the policy has no address, is not reached, or gives no whole reply",
  policy_private_address: "error: the host of the policy has a private or special address, and is not asked",
  policy_timeout: "error: the host of the policy does not answer within 10 seconds",
  policy_certificate: "error: the certificate of the host is not valid for its name (§3.3)",
  policy_redirect: "error: the host answers with a redirect, which senders must not follow (§3.3)",
  policy_status: "error: the host answers with another status than 200",
  policy_too_large: "error: a policy of over 65,536 bytes",
  content_type: "warning: the policy is served as something else than `text/plain` (§3.2)",
  certificate_ends_soon: "warning: the certificate of the host ends within 7 days",
  policy_text: "error: the policy is not text in UTF-8",
  policy_syntax: "error: a line of the policy that is not name and value, or is empty (§3.2)",
  version: "error: no `version`, or another one than `STSv1`",
  mode: "error: no `mode`, or none of `enforce`, `testing` and `none`",
  max_age: "error: no `max_age`, or none from 0 to 31,557,600 seconds",
  mx: "error: no `mx` for a mode other than `none`, or one that is no name, also with `*.` before it",
  short_max_age:
    "warning: senders keep the policy for less than a day, so that an attacker has to block it for a day only",
  testing: "info: the mode is `testing`: mail is delivered in any case",
  none: "info: the mode is `none`: there is no protection",
  repeated_field: "warning: a field that is there before; the first one counts",
  other_case: "warning: a field whose name differs in case only from a known one; senders ignore it",
  unknown_field: "info: a field that RFC 8461 does not define; senders ignore it",
  mx_not_covered:
    "error: a mail server of the domain that no `mx` covers: mail to it is not delivered, or reported when testing",
  unused_mx: "info: an `mx` that covers none of the mail servers",
  no_mail: "info: the domain has no mail server, or says that it takes no mail (RFC 7505)",
  more: "info: problems that are left out, since there are over 100",
})
export type MtaStsProblem = ReturnType<typeof problem>
export type MtaStsCode = MtaStsProblem["code"]
/** Adds a problem to a list. */
export type AddProblem = ReturnType<typeof newProblems>[1]

const maxProblems = 100

/** The first hundred; the last of these then tells how many were left out. */
export function firstProblems(problems: readonly MtaStsProblem[]): MtaStsProblem[] {
  if (problems.length <= maxProblems) return [...problems]
  const shown = problems.slice(0, maxProblems - 1)
  const errors = problems.slice(maxProblems - 1).filter(({ severity }) => severity === "error").length
  const text = `${problems.length - shown.length} more are left out, ${errors} of them errors.`
  return [...shown, problem("more", "policy", text)]
}
