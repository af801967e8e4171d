import type { AuditStatus, Grade } from "../../values/audit-report.ts"
import type { Facts, Found } from "./facts.ts"

/** Whether the domain takes mail: not if it says that it takes none, or has nowhere to take it. Unknown counts as taking mail. */
export function takesMail({ route }: Facts): boolean {
  return !route.isKnown || !["refused", "nowhere", "missing"].includes(route.value.kind)
}

/** Whether the domain may send mail: not if its SPF record forbids all servers. Unknown counts as sending. */
export function sendsMail({ spf }: Facts): boolean {
  return !spf.isKnown || !/^v=spf1\s+-all\s*$/i.test(spf.value.spf_record)
}

/** Whether the domain says, or shows, that it has nothing to do with mail. */
export function hasNoMail(facts: Facts): boolean {
  return isParked(facts) || !(takesMail(facts) || sendsMail(facts))
}

/**
 * Whether nothing speaks for mail: no MX record, no server that SPF lets send, and no DKIM key. An address alone, as of a web
 * page, would make it its own mail server (RFC 5321 §5.1).
 */
export function isParked(facts: Facts): boolean {
  const { route, spf, dkim } = facts
  if (!route.isKnown || !spf.isKnown || !dkim.isKnown) return false
  if (spf.unanswered.length + dkim.unanswered.length > 0) return false
  const hasNoServer = ["domain", "nowhere", "refused"].includes(route.value.kind)
  const isSilent = !spf.value.has_spf_record || !sendsMail(facts)
  return hasNoServer && isSilent && dkim.value.every(({ record }) => record === null)
}

/** A proposed change, as ready text as far as it can be known. */
export interface Fix {
  /** A line of the zone file; null if it cannot be known from outside. */
  readonly line: string | null
  /** Whether the line is new, or takes the place of the records of its kind at its name; null without a line. */
  readonly action: "add" | "replace" | null
  /** A file to publish; null if there is none. */
  readonly file: { readonly url: string; readonly text: string } | null
  /** Things to know before the change, in one or two sentences. */
  readonly note: string
  /** The audit's facts once the line and the file are published. Absent where only the operator can know the record. */
  readonly after?: (facts: Facts) => Facts
}

/** A check's result. */
export interface Verdict {
  readonly status: AuditStatus
  /** The share of the weight that counts as points, from 0 to 1. */
  readonly share: number
  /** The finding, in one sentence. */
  readonly why: string
  /** The advice; null if there is nothing to do. */
  readonly advice: string | null
  readonly fix: Fix | null
  /** The best grade that a domain with this can get; null without such a limit. */
  readonly best: Grade | null
}

/** One line of the audit. */
export interface Check {
  readonly id: string
  readonly title: string
  /** The most points. The weights of all checks make 100. */
  readonly weight: number
  /** The standard that it comes from. */
  readonly source: string
  judge(facts: Facts): Verdict
}

export function pass(why: string): Verdict {
  return { status: "pass", share: 1, why, advice: null, fix: null, best: null }
}

export function notApplicable(why: string): Verdict {
  return { status: "not_applicable", share: 0, why, advice: null, fix: null, best: null }
}

interface Shortcoming {
  readonly why: string
  readonly advice: string
  readonly fix?: Fix
  readonly best?: Grade
}

/** Good in part: `share` of the points. */
export function warning(share: number, { why, advice, fix, best }: Shortcoming): Verdict {
  return { status: "warning", share, why, advice, fix: fix ?? null, best: best ?? null }
}

export function fail({ why, advice, fix, best }: Shortcoming): Verdict {
  return { status: "fail", share: 0, why, advice, fix: fix ?? null, best: best ?? null }
}

/**
 * Judges a result. Without one the check is unknown: what cannot be looked up protects nobody, so it gets no points. It is also
 * unknown if something is missing or wrong while a question on the way got no answer: that may be why.
 * @param needsAll false where the unanswered questions cannot change the verdict
 */
export function judgeKnown<T>(
  found: Found<T>,
  judge: (value: T) => Verdict,
  { needsAll = true }: { readonly needsAll?: boolean } = {},
): Verdict {
  if (!found.isKnown) return unknown(found.why, found.advice)
  const verdict = judge(found.value)
  const [unanswered] = found.unanswered
  const isBad = verdict.status === "fail" || verdict.status === "warning"
  return needsAll && isBad && unanswered !== undefined
    ? unknown(`The DNS gave no answer for ${unanswered}.`)
    : verdict
}

const tryAgain = "See that the DNS servers of the domain answer, and try again."

export function unknown(why: string, advice = tryAgain): Verdict {
  return { status: "unknown", share: 0, why, advice, fix: null, best: null }
}

/** A fix that is one record. */
export function recordFix(
  [name, type, data]: readonly [name: string, type: string, data: string],
  note: string,
  { action = "add", after }: { readonly action?: "add" | "replace"; readonly after: (facts: Facts) => Facts },
): Fix {
  return { line: `${name}. 3600 IN ${type} ${data}`, action, file: null, note, after }
}

/** A fix that only the operator of the domain can write. */
export function manualFix(note: string): Fix {
  return { line: null, action: null, file: null, note }
}

/** Text as a zone file writes it: strings of at most 255 bytes in quotes (RFC 1035 §5.1). */
export function toStrings(text: string): string {
  const pieces = text.match(/.{1,255}/gs) ?? [""]
  return pieces.map((piece) => `"${piece.replaceAll(/["\\]/g, "\\$&")}"`).join(" ")
}

/** Up to three texts and how many more there are. */
export function few(texts: readonly string[]): string {
  const [first, last] = [texts.slice(0, 3), texts.length - 3]
  return last > 0 ? `${first.join(", ")} and ${last} more` : first.join(", ")
}
