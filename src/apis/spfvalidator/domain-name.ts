import { reject } from "../contract.ts"

const maxNameBytes = 253
const maxLabelBytes = 63

/**
 * Reads a domain as people write it: case and one trailing dot do not matter, and an internationalized name becomes
 * A-labels (RFC 5890 §2.3.2.1). Returns the name in lower case.
 * @throws InputRejected for `domain`, where RFC 7208 §4.3 has the result none
 */
export async function requireDomain(text: string): Promise<string> {
  if (text === "") reject("domain", "must not be empty")
  // Keeps the slow conversion from long texts, none of which could become short enough.
  if (text.length > 1000) reject("domain", "must be at most 253 bytes long")
  if (/\s/u.test(text)) reject("domain", "must be a domain name without spaces")
  if (text.includes("/")) reject("domain", "must be a domain name such as example.com, not a URL")
  if (text.includes("@")) reject("domain", "must be a domain name such as example.com, not an e-mail address")

  const name = withoutTrailingDot((await toALabels(text)) ?? rejectCharacters()).toLowerCase()
  const labels = name.split(".")
  if (/^\[.*\]$|:/.test(name) || (labels.length > 1 && /^\d+$/.test(labels.at(-1) ?? "")))
    reject("domain", "must be a domain name, not an IP address")
  if (name.length > maxNameBytes) reject("domain", "must be at most 253 bytes long")
  if (labels.includes("")) reject("domain", "must not have empty labels")
  if (labels.some((label) => label.length > maxLabelBytes))
    reject("domain", "must not have a label of more than 63 bytes")
  if (labels.length < 2) reject("domain", "must be a full domain name such as example.com")
  return /^[a-z\d._-]+$/.test(name) ? name : rejectCharacters()
}

function rejectCharacters(): never {
  return reject("domain", "must be a domain name of letters, digits and hyphens")
}

/** Turns U-labels into A-labels and leaves ASCII unchanged. Null when IDNA does not allow the name. */
export async function toALabels(name: string): Promise<string | null> {
  if (isAscii(name)) return name
  // Loaded on first use: the mapping tables are slow to load, and few callers need them.
  const { toASCII, toUnicode } = await import("tr46")
  const ascii = toASCII(name, { checkBidi: true, checkJoiners: true })
  return ascii !== null && toUnicode(ascii).domain.split(".").every(isIdnaLabel) ? ascii : null
}

/** RFC 5892 allows letters, marks, digits and a few other characters. UTS #46 alone would also allow emoji. */
function isIdnaLabel(label: string): boolean {
  return /^[\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}\u00b7\u0375\u05f3\u05f4\u30fb\p{Join_Control}_-]*$/u.test(
    label,
  )
}

/** Whether every character, or byte, is in ASCII. */
export function isAscii(text: string): boolean {
  return !/[\u0080-\uffff]/.test(text)
}

/** Turns an expanded domain-spec into a lower-case name, without the left labels that exceed 253 bytes (RFC 7208 §7.3). */
export function toTargetName(expanded: string): string {
  const name = withoutTrailingDot(expanded).toLowerCase()
  if (name.length <= maxNameBytes) return name
  const dotAt = name.indexOf(".", name.length - maxNameBytes - 1)
  return dotAt < 0 ? name : name.slice(dotAt + 1)
}

/** Whether the DNS can be asked for a name. Any other name counts as one that does not exist (RFC 7208 §4.3). */
export function isAskable(name: string): boolean {
  return (
    name.length <= maxNameBytes &&
    /^[\x20-\x7e]+$/.test(name) &&
    name.split(".").every((label) => label !== "" && label.length <= maxLabelBytes)
  )
}

/** Whether `name`, in any case, is the lower-case `domain` or a name below it. Both without a trailing dot. */
export function isSameOrBelow(name: string, domain: string): boolean {
  const lower = name.toLowerCase()
  return lower === domain || lower.endsWith(`.${domain}`)
}

function withoutTrailingDot(name: string): string {
  return name.endsWith(".") ? name.slice(0, -1) : name
}
