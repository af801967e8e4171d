import { maxLabelBytes, maxNameBytes, withoutTrailingDot } from "../mail/domain-name.ts"

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
