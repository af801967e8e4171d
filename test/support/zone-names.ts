/** Names of zones without escapes, in lower case and without a trailing dot: their order, and their hashes for NSEC3. */
import { toWire } from "./dns-reply.ts"

/** The name without its first label. */
export function above(name: string): string {
  const dot = name.indexOf(".")
  return dot === -1 ? "" : name.slice(dot + 1)
}

/** The name and all names above it, the root last. */
export const ancestors = (name: string): string[] => (name === "" ? [""] : [name, ...ancestors(above(name))])

/** Whether a name is below another one, and not the same. */
export const isBelow = (name: string, other: string): boolean =>
  name !== other && (other === "" || name.endsWith(`.${other}`))

/** The canonical order of names (RFC 4034 §6.1): by labels from the right. */
export function compareNames(one: string, other: string): number {
  const [left, right] = [one, other].map((name) => name.split(".").filter(Boolean).reverse())
  for (const [index, label] of (left ?? []).entries()) {
    const against = right?.[index]
    if (against === undefined) return 1
    if (label !== against) return label < against ? -1 : 1
  }
  return (left?.length ?? 0) - (right?.length ?? 0)
}

const hashed = new Map<string, string>()
const digits = "0123456789abcdefghijklmnopqrstuv"

/** The hash of a name for NSEC3 (RFC 5155 §5), in base32hex and lower case. */
export function hashOf(name: string, { salt, iterations }: { salt: Buffer; iterations: number }): string {
  const key = `${name} ${iterations} ${salt.toString("hex")}`
  const known = hashed.get(key)
  if (known !== undefined) return known
  let hash: Buffer = toWire(name)
  for (let round = 0; round <= iterations; round++)
    hash = Buffer.from(new Bun.CryptoHasher("sha1").update(hash).update(salt).digest())
  const bits = [...hash].map((byte) => byte.toString(2).padStart(8, "0")).join("")
  const text = (bits.match(/.{5}/g) ?? []).map((five) => digits.charAt(Number.parseInt(five, 2))).join("")
  hashed.set(key, text)
  return text
}
