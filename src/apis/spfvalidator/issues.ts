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

/** Makes a stranger's bytes fit for a sentence: of bounded length, control characters escaped as in RFC 1035 §5.1. */
function quote(bytes: string): string {
  const text = toDisplayText(bytes).replace(
    /\p{Cc}/gu,
    (character) => `\\${String(character.charCodeAt(0)).padStart(3, "0")}`,
  )
  return text.length <= limits.termCharacters ? text : `${text.slice(0, limits.termCharacters - 1)}…`
}

/** Decodes bytes from the DNS as UTF-8 where they are valid UTF-8, and otherwise returns one character per byte. */
export function toDisplayText(bytes: string): string {
  if (!/[\u0080-\u00ff]/.test(bytes)) return bytes
  try {
    return utf8.decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)))
  } catch {
    return bytes
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
