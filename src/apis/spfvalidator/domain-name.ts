const maxNameOctets = 253
const maxLabelOctets = 63

/** A usable domain name, or what a wrong one must be instead, in the words that follow "The 'domain' parameter …". */
export type DomainInput = { readonly name: string } | { readonly requirement: string }

/**
 * Reads a domain as people give it: case and one trailing dot do not matter, an internationalised name becomes
 * A-labels (RFC 5890 §2.3.2.1). Two labels at least: anything else would be the result none (RFC 7208 §4.3).
 */
export async function parseDomain(text: string): Promise<DomainInput> {
  if (text === "") return { requirement: "must not be empty" }
  // Before anything is converted: no name of this length gets any shorter than it may be.
  if (text.length > 1000) return { requirement: "must be at most 253 bytes long" }
  if (/\s/u.test(text)) return { requirement: "must be a domain name without spaces" }
  if (text.includes("/")) return { requirement: "must be a domain name such as example.com, not a URL" }
  if (text.includes("@"))
    return { requirement: "must be a domain name such as example.com, not an e-mail address" }

  const ascii = await toALabels(text)
  if (ascii === null) return { requirement: "must be a domain name of letters, digits and hyphens" }
  const name = withoutTrailingDot(ascii).toLowerCase()
  const labels = name.split(".")
  const topLabel = labels.at(-1) ?? ""
  if (/^\[.*\]$|:/.test(name) || (labels.length > 1 && /^\d+$/.test(topLabel))) {
    return { requirement: "must be a domain name, not an IP address" }
  }
  if (name.length > maxNameOctets) return { requirement: "must be at most 253 bytes long" }
  if (labels.includes("")) return { requirement: "must not have empty labels" }
  if (labels.some((label) => label.length > maxLabelOctets)) {
    return { requirement: "must not have a label of more than 63 bytes" }
  }
  if (labels.length < 2) return { requirement: "must be a full domain name such as example.com" }
  if (!/^[a-z\d._-]+$/.test(name)) {
    return { requirement: "must be a domain name of letters, digits and hyphens" }
  }
  return { name }
}

/** U-labels become A-labels; ASCII stays as it is. Null when the name is not allowed by IDNA. */
export async function toALabels(name: string): Promise<string | null> {
  if (isAscii(name)) return name
  // Loaded on first use: the mapping tables are the slowest thing here to load, and few callers need them.
  const { toASCII, toUnicode } = await import("tr46")
  const ascii = toASCII(name, { checkBidi: true, checkJoiners: true })
  return ascii !== null && toUnicode(ascii).domain.split(".").every(isIdnaLabel) ? ascii : null
}

/** RFC 5892: letters, marks and digits, and a few characters by exception. UTS #46 alone would let symbols and emoji by. */
function isIdnaLabel(label: string): boolean {
  return /^[\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}\u00b7\u0375\u05f3\u05f4\u30fb\p{Join_Control}_-]*$/u.test(
    label,
  )
}

export function isAscii(text: string): boolean {
  return !/[\u0080-\uffff]/.test(text)
}

/**
 * An expanded domain-spec as a name to ask for: no trailing dot, and labels dropped from the left until 253 octets
 * are kept (RFC 7208 §7.3). Lower case, since names do not differ by case.
 */
export function toTargetName(expanded: string): string {
  const name = withoutTrailingDot(expanded).toLowerCase()
  if (name.length <= maxNameOctets) return name
  const dotAt = name.indexOf(".", name.length - maxNameOctets - 1)
  return dotAt < 0 ? name : name.slice(dotAt + 1)
}

/**
 * Whether a name can be asked for at all. One that cannot (an empty or over-long label, octets beyond ASCII) is
 * treated as not existing, without a query (RFC 7208 §4.3).
 */
export function isAskable(name: string): boolean {
  return (
    name.length <= maxNameOctets &&
    /^[\x20-\x7e]+$/.test(name) &&
    name.split(".").every((label) => label !== "" && label.length <= maxLabelOctets)
  )
}

/** Whether `name` is `domain` or lies below it. Both in any case, without trailing dot. */
export function isSameOrBelow(name: string, domain: string): boolean {
  const lower = name.toLowerCase()
  return lower === domain || lower.endsWith(`.${domain}`)
}

function withoutTrailingDot(name: string): string {
  return name.endsWith(".") ? name.slice(0, -1) : name
}
