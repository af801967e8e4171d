import { type IssueCode, type IssueKind, issueKinds, type Severity } from "./issue-kinds.ts"
import { limits } from "./limits.ts"

/** An issue as the answer has it. */
export interface Issue {
  readonly code: string
  readonly severity: Severity
  readonly message: string
  /** The domain whose record it is about. */
  readonly domain: string
  readonly term: string | null
}

/** An issue and what the report needs besides. */
export interface Finding extends Issue {
  readonly code: IssueCode
  /** Where the term begins in its record; 0 for the record as a whole. */
  readonly position: number
  readonly breaks: "permerror" | "temperror" | null
}

export interface FindingDetails {
  readonly term?: { readonly text: string; readonly position: number }
  readonly detail?: string | number
  /** Where they differ from the table. */
  readonly severity?: Severity
  readonly breaks?: "permerror" | null
}

/** Builds a finding from the table. Terms come as octets, and are shown as text. */
export function toFinding(code: IssueCode, domain: string, details: FindingDetails = {}): Finding {
  const kind: IssueKind = issueKinds[code]
  const term = details.term === undefined ? null : quote(details.term.text)
  const filled = kind.message
    .replace("{term}", () => term ?? "")
    .replace("{detail}", () => quote(String(details.detail ?? "")))
  return {
    code,
    severity: details.severity ?? kind.severity,
    message: `${filled.charAt(0).toUpperCase()}${filled.slice(1)} (${kind.reference}).`,
    domain,
    term,
    position: details.term?.position ?? 0,
    breaks: details.breaks === undefined ? (kind.breaks ?? null) : details.breaks,
  }
}

/** Text that a stranger wrote, fit for a sentence: of bounded length, control characters as in RFC 1035 §5.1. */
function quote(octets: string): string {
  const text = toDisplayText(octets).replace(
    /\p{Cc}/gu,
    (character) => `\\${String(character.charCodeAt(0)).padStart(3, "0")}`,
  )
  return text.length <= limits.termCharacters ? text : `${text.slice(0, limits.termCharacters - 1)}…`
}

/** Octets from the DNS as people should see them: UTF-8 where it is that, one character per octet where it is not. */
export function toDisplayText(octets: string): string {
  if (!/[\u0080-\u00ff]/.test(octets)) return octets
  try {
    return utf8.decode(Uint8Array.from(octets, (character) => character.charCodeAt(0)))
  } catch {
    return octets
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
