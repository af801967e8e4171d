import { toALabels } from "../../values/idna.ts"
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
