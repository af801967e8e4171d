import { reject } from "../../contract.ts"
import { isSupported } from "./algorithms.ts"
import type { DelegationSigner } from "./session.ts"

const digestBytes: Readonly<Record<string, number>> = { 2: 32, 4: 48 }

/** Reads the data of a DS record as a zone file writes them, also after `. IN DS`; null if the text is something else. */
export function readAnchor(text: string): DelegationSigner | null {
  const [, keyTag, algorithm, digestType = "", digits = ""] =
    /^\s*(?:\.\s+(?:\d+\s+)?(?:IN\s+)?DS\s+)?(\d{1,5})\s+(\d{1,3})\s+([24])\s+([\da-f\s]+)$/i.exec(text) ?? []
  const digest = digits.replace(/\s+/g, "").toLowerCase()
  if (digest.length !== 2 * (digestBytes[digestType] ?? Number.NaN)) return null
  if (Number(keyTag) > 0xffff || Number(algorithm) > 255) return null
  return { keyTag: Number(keyTag), algorithm: Number(algorithm), digestType: Number(digestType), digest }
}

const anchorForm = "the data of a DS record with SHA-256 or SHA-384, such as '20326 8 2 E06D…'"
const anchorAlgorithms = "one of the algorithms 8, 10, 13, 14, 15 and 16"

/**
 * Reads a file with a DS record in each line, as zone files write them. Empty lines and those that begin with `;` or `#` are left
 * out.
 * @throws Error that names the line that is wrong
 */
export function readAnchors(text: string): readonly DelegationSigner[] {
  const anchors = text.split(/\r?\n/).flatMap((line, index) => {
    const data = line.replace(/[;#].*$/, "").trim()
    if (data === "") return []
    const anchor = readAnchor(data)
    if (anchor === null) throw new Error(`line ${index + 1} must be ${anchorForm}`)
    if (!isSupported(anchor.algorithm)) throw new Error(`line ${index + 1} must have ${anchorAlgorithms}`)
    return [anchor]
  })
  if (anchors.length === 0) throw new Error(`it has no trust anchor. A line must be ${anchorForm}`)
  return anchors
}

/**
 * The keys of the root of the Internet as DS records: KSK-2017, and KSK-2024, which signs from October 2026 on. From
 * https://data.iana.org/root-anchors/root-anchors.xml, "Trust Anchors for the Root Zone" (RFC 7958).
 */
export const rootAnchors = readAnchors(`
  20326 8 2 E06D44B80B8F1D39A95C0B0D7C65D08458E880409BBC683457104237C7F8EC8D
  38696 8 2 683D2D0ACB8C9B712A1948B27F741219298D0A450D612C483AF444A4C0FB2B16
`)

/**
 * The trust anchors: the one that the caller gave, or else those of the service.
 * @throws InputRejected for `trust_anchor`
 */
export function requireAnchors(text: string | undefined, anchors: readonly DelegationSigner[]) {
  if (text === undefined) return anchors
  const anchor = readAnchor(text) ?? reject("trust_anchor", `must be ${anchorForm}`)
  if (!isSupported(anchor.algorithm)) reject("trust_anchor", `must have ${anchorAlgorithms}`)
  return [anchor]
}
