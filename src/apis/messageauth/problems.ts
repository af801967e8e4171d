import { defineProblems } from "../../values/problems.ts"

export const { problemList, problem } = defineProblems({
  not_authentic: [
    "error",
    "DMARC fails: neither a signature nor SPF confirms the domain of the author, so the mail may be forged",
  ],
  forwarded: [
    "info",
    "DMARC fails, but the ARC chain is intact: who trusts all that sealed it may take the results that they recorded",
  ],
  no_policy: [
    "warning",
    "the domain of the author has no DMARC record, so nothing tells whether mail is forged",
  ],
  no_author: [
    "error",
    "no field From with an address, without which DMARC cannot be applied (RFC 9989 §5.3.1)",
  ],
  several_authors: ["error", "several fields From, or authors of several domains (RFC 9989 §5.3.1)"],
  no_answer: ["warning", "the DNS gave no answer, so that a result is temporary (temperror)"],
  no_ip: ["info", "SPF was not checked, since `ip` is missing"],
  no_sender: ["info", "SPF was not checked, since there is neither `sender`, nor Return-Path, nor `helo`"],
  signatures_left_out: ["warning", "more than 10 DKIM signatures, of which only the first 10 were checked"],
  partial_body: [
    "warning",
    "a signature that leaves out the end of the body (`l=`), which anyone may have added",
  ],
  testing: ["info", "a signature whose domain only tests DKIM (`t=y`)"],
  line_ends: ["info", "line feeds without carriage returns, which were read as ends of lines"],
  lone_returns: ["warning", "carriage returns without line feeds, which mail must not have (RFC 5322 §2.2)"],
  last_line: ["info", "a last line without an end, which was added, as mail is always sent with one"],
})

export type MessageProblem = ReturnType<typeof problem>
