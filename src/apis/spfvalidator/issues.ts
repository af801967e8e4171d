import { showBytes } from "../mail/shown-bytes.ts"
import { type IssueCode, issueKinds } from "./issue-kinds.ts"
import { limits } from "./limits.ts"
import type { Placed } from "./record.ts"
import type { Issue } from "./schema.ts"

/** An issue, and what the report needs to sort it and to judge the record. */
export interface Finding extends Issue {
  readonly code: IssueCode
  /** The byte at which the term begins in its record; 0 for the record as a whole. */
  readonly position: number
  readonly causes: "permerror" | "temperror" | null
}

/**
 * Builds a finding from the table of kinds.
 * @param term the term concerned, as bytes; null for the record as a whole
 * @param detail fills `{detail}` of the kind's message
 * @param changes where this finding differs from its kind
 */
export function toFinding(
  code: IssueCode,
  domain: string,
  term: Placed | null = null,
  detail: string | number = "",
  changes: { readonly severity?: Issue["severity"]; readonly causes?: "permerror" | null } = {},
): Finding {
  const { severity, causes, reference, message } = issueKinds[code]
  const quotedTerm = term && quote(term.text)
  const text = message
    .replace("{term}", () => quotedTerm ?? "")
    .replace("{detail}", () => quote(String(detail)))
  return {
    code,
    severity,
    message: `${text.charAt(0).toUpperCase()}${text.slice(1)} (${reference}).`,
    domain,
    term: quotedTerm,
    position: term?.position ?? 0,
    causes,
    ...changes,
  }
}

function quote(bytes: string): string {
  return showBytes(bytes, limits.termCharacters)
}
