import { showBytes, trimBlanks } from "./tag-list.ts"

/** An address in `rua` or `ruf`, to which reports are sent. */
export interface ReportAddress {
  readonly uri: string
  readonly kind: "mailto" | "https" | "other"
  /** Whether it is a URI of RFC 3986 in which `,`, `!` and `;` are encoded; of mail with an address, of the web with a host. */
  readonly isUri: boolean
}

/** The addresses of `rua` or `ruf` (RFC 9989 §4.7, RFC 8460 §3). */
export function readReportAddresses(value: string): ReportAddress[] {
  return value.split(",").map((part) => toReportAddress(trimBlanks(part)))
}

export function toReportAddress(uri: string): ReportAddress {
  const scheme = /^([a-z][a-z\d+.-]*):/i.exec(uri)?.[1]?.toLowerCase()
  const kind = scheme === "mailto" || scheme === "https" ? scheme : "other"
  return { uri, kind, isUri: isUri(uri, kind) }
}

function isUri(uri: string, kind: ReportAddress["kind"]): boolean {
  if (!/^[a-z][a-z\d+.-]*:(?:[\w.~:/?#[\]@$&'()*+=-]|%[\da-f]{2})+$/i.test(uri)) return false
  // Nobody's mailbox begins with two slashes, as the grammar would allow.
  if (kind === "mailto") return /^mailto:(?!\/\/)[^@?#]+@[^@?#]+(?:\?[^#]*)?$/i.test(uri)
  return kind === "other" || (/^https:\/\/[^/?#]/i.test(uri) && URL.canParse(uri))
}

/** Quotes an address that is no URI, and says what to change. */
export function explainAddress(uri: string): string {
  if (uri === "") return "An address is missing: leave out the comma, or the tag."
  const cause = causes.find(([form]) => form.test(uri))?.[1] ?? "Write it as in mailto:name@example.com."
  return `'${showBytes(uri)}' is no address for reports. ${cause}`
}

const causes: readonly (readonly [form: RegExp, cause: string])[] = [
  [/\\/, "Leave out the backslash: it is for zone files alone."],
  [/^[<"']|[>"']$/, "Leave out the brackets and quotation marks around it."],
  [/@[^@]*(?:mailto:|https:|\s[^\s@]*@)/i, "Put a comma between two addresses."],
  [/^[^\s:@]+@[^\s:@]+$/, "Begin it with mailto:."],
  [/^mailto[ \t]*[=;@]|^mail(?:to)?[ \t]+:?|^mail:/i, "Begin it with mailto:."],
  [/^mailto:\/\//i, "Leave out the slashes after mailto:."],
  [/\s/, "Leave out the blank."],
  [/!\d+[kmgt]?(?:i?b|bytes)$/i, "Leave out the size after the exclamation mark: receivers ignore it."],
  [/!/, "Write an exclamation mark as %21."],
  [/[^\x20-\x7e]/, "It has a character that is not ASCII; write international domains as A-labels (xn--)."],
]
