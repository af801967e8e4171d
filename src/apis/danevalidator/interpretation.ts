import { isCombination, recommendations, type SecurityLevel, toSecurityLevel } from "./recommendations.ts"
import { toTerm } from "./terms.ts"
import type { TlsaRdata } from "./tlsa-record.ts"

/** Explains a record and rates it. A record with faults is Insecure whatever its numbers: no client can use it. */
export function interpretTlsa({ usage, selector, matching }: TlsaRdata, faults: readonly string[]) {
  return {
    usage: toTerm("usage", usage),
    selector: toTerm("selector", selector),
    matching: toTerm("matching", matching),
    ...rate(`${usage} ${selector} ${matching}`, faults),
  }
}

type Rating = { readonly security_level: SecurityLevel; readonly recommendation: string }

function rate(combination: string, faults: readonly string[]): Rating {
  const isKnown = isCombination(combination)
  if (isKnown && faults.length === 0) {
    return { security_level: toSecurityLevel(combination), recommendation: recommendations[combination] }
  }
  const remedy = isKnown ? "Correct the data and check again." : "The recommended configuration is 3 1 1."
  return {
    security_level: "Insecure",
    recommendation: `Do not publish this record: name servers refuse it, or no client can use it (RFC 6698 §4.1). ${faults.join(" ")} ${remedy}`,
  }
}
