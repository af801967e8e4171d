import { type Advice, adviceByCombination, isCombination } from "./advice.ts"
import { type Term, toTerm } from "./terms.ts"
import type { TlsaRdata } from "./tlsa-record.ts"

export interface Interpretation {
  readonly usage: Term
  readonly selector: Term
  readonly matching: Term
  readonly security_level: Advice["level"]
  readonly recommendation: string
}

/** Explains a record and rates it. A record with faults is Insecure whatever its numbers: no client can use it. */
export function interpretTlsa(rdata: TlsaRdata, faults: readonly string[]): Interpretation {
  const { usage, selector, matching } = rdata
  const { level, recommendation } = toAdvice(`${usage} ${selector} ${matching}`, faults)
  return {
    usage: toTerm("usage", usage),
    selector: toTerm("selector", selector),
    matching: toTerm("matching", matching),
    security_level: level,
    recommendation,
  }
}

function toAdvice(combination: string, faults: readonly string[]): Advice {
  const isKnown = isCombination(combination)
  if (isKnown && faults.length === 0) return adviceByCombination[combination]
  const remedy = isKnown ? "Correct the data and check again." : "The recommended configuration is 3 1 1."
  return {
    level: "Insecure",
    recommendation: `Do not publish this record: name servers refuse it, or no client can use it (RFC 6698 §4.1). ${faults.join(" ")} ${remedy}`,
  }
}
