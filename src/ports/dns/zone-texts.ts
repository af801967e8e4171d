import type { DnsZone } from "../../apis/contract.ts"

/** The zone with the texts of TXT and SPF records as bytes, in UTF-8. */
export function encodeTexts(zone: DnsZone): DnsZone {
  const encoded = Object.entries(zone).map(([name, entries]) => [name, entries.map(encodeEntry)] as const)
  return Object.fromEntries(encoded)
}

/** {@link encodeTexts} for one entry. */
export function encodeEntry<T>(entry: T): T {
  if (typeof entry !== "object" || entry === null) return entry
  const pairs = Object.entries(entry).map(([type, value]) => {
    const isText = type === "TXT" || type === "SPF"
    return [type, !isText ? value : Array.isArray(value) ? value.map(encodeText) : encodeText(value)]
  })
  return Object.fromEntries(pairs) as T
}

/** One UTF-16 unit for each byte, as in the answers of a DNS port. */
function encodeText(value: unknown): unknown {
  if (typeof value !== "string") return value
  if (!value.isWellFormed()) throw new Error("must have well-formed Unicode text, without lone surrogates")
  return Buffer.from(value, "utf8").toString("latin1")
}
