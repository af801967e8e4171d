import { type Address, isIpv6 } from "../../values/ip.ts"

/**
 * Whether a name is made of the address, as providers name the lines of their customers: `host-192-0-2-7.example`. Mail servers
 * trust such names less. All four numbers of an IPv4 address count, in either order, with or without zeros before them, also in
 * hexadecimal; of IPv6 its last 32 bits.
 */
export function isGeneric(name: string, address: Address): boolean {
  const text = name.toLowerCase()
  const bytes = address.toByteArray().slice(-4)
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, "0"))
  if (isIpv6(address)) {
    const nibbles = [...hex.join("")]
    return containsAny(text, [hex.join(""), nibbles.join("."), nibbles.toReversed().join("."), groups(hex)])
  }
  const padded = bytes.map((byte) => String(byte).padStart(3, "0"))
  if (
    containsAny(text, [
      hex.join(""),
      hex.toReversed().join(""),
      padded.join(""),
      padded.toReversed().join(""),
    ])
  )
    return true
  const numbers = bytes.map((byte) => `0{0,2}${byte}`)
  return [numbers, numbers.toReversed()].some((order) =>
    new RegExp(`(?<!\\d)${order.join("[^a-z\\d]")}(?!\\d)`).test(text),
  )
}

/** The last two groups as people write them: `cb07-14`. */
function groups(hex: readonly string[]): string {
  const [a = "", b = "", c = "", d = ""] = hex
  return `${trimZeros(a + b)}-${trimZeros(c + d)}`
}

function trimZeros(digits: string): string {
  return digits.replace(/^0{1,3}/, "")
}

function containsAny(text: string, parts: readonly string[]): boolean {
  return parts.some((part) => text.includes(part))
}
