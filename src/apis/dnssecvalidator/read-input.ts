import { reject } from "../contract.ts"
import { requireDomain } from "../mail/domain-name.ts"
import { isSupported } from "./algorithms.ts"
import type { DelegationSigner } from "./keys.ts"
import { readAnchor, rootAnchors } from "./root-anchors.ts"

/**
 * Reads a name as people write it; empty for `.`, the root.
 * @throws InputRejected for `name`
 */
export async function requireName(text: string): Promise<string> {
  return text === "." ? "" : requireDomain(text, { parameter: "name", leastLabels: 1 })
}

/**
 * The trust anchors: the one that was given, or those of the root of the Internet.
 * @throws InputRejected for `trust_anchor`
 */
export function requireAnchors(text: string | undefined): readonly DelegationSigner[] {
  if (text === undefined) return rootAnchors
  const anchor =
    readAnchor(text) ??
    reject(
      "trust_anchor",
      "must be the data of a DS record with SHA-256 or SHA-384, such as '20326 8 2 E06D…'",
    )
  if (!isSupported(anchor.algorithm))
    reject("trust_anchor", "must have one of the algorithms 8, 10, 13, 14, 15 and 16")
  return [anchor]
}
