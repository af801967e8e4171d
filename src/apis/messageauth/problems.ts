import { defineProblems } from "../../values/problems.ts"

/** The results of all methods (RFC 8601 §2.7). */
export const results = [
  "none",
  "pass",
  "fail",
  "softfail",
  "neutral",
  "policy",
  "temperror",
  "permerror",
] as const

export const { problemList, problem, newProblems } = defineProblems({
  not_authentic:
    "error: DMARC fails: neither a signature nor SPF confirms the domain of the author, so the mail may be forged",
  undecided:
    "warning: DMARC can neither pass nor fail: the DNS gave no answer for what could have confirmed the author (RFC 9989 §5.3.6)",
  forwarded:
    "info: DMARC fails, but the ARC chain is intact: who trusts all that sealed it may take the results that they recorded",
  no_policy: "warning: the domain of the author has no DMARC record, so nothing tells whether mail is forged",
  no_author:
    "error: no field From with an address that can be read without doubt, without which DMARC cannot be applied (RFC 9989 §5.3.1)",
  several_authors: "error: several fields From, or authors of several domains (RFC 9989 §5.3.1)",
  no_answer: "warning: the DNS gave no answer, so that a result is temporary (temperror)",
  no_ip: "info: SPF was not checked, since `ip` is missing",
  no_sender: "info: SPF was not checked, since there is neither `sender`, nor Return-Path, nor `helo`",
  signatures_left_out: "warning: more than 10 DKIM signatures, of which only the first 10 were checked",
  repeated_field:
    "warning: a field several times that a mail has once at most (RFC 5322 §3.6): readers may see one that no signature covers (RFC 6376 §8.15)",
  partial_body:
    "warning: a signature that leaves out the end of the body (`l=`), which anyone may have added",
  testing: "info: a signature whose domain only tests DKIM (`t=y`)",
  line_ends: "info: line feeds without carriage returns, which were read as ends of lines",
  lone_returns: "warning: carriage returns without line feeds, which mail must not have (RFC 5322 §2.2)",
  last_line: "info: a last line without an end, which was added, as mail is always sent with one",
})

export type MessageProblem = ReturnType<typeof problem>
