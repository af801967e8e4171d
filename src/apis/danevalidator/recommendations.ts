import type { TlsaRdata } from "../mail/dane/tlsa-check.ts"
import recommendations from "./recommendations.json"
import texts from "./terms.json"

type Term = { readonly name: string; readonly description: string; readonly full_description: string }

type Field = "usage" | "selector" | "matching"

/** Explains a field's number (RFC 6698 §2.1, RFC 7671), with the names of RFC 7218 and digests as commonly written. */
function toTerm(field: Field, value: number): Term {
  const term = assigned[field][value]
  if (term !== undefined) return term
  const { noun, privateName } = nouns[field]
  if (value === 255)
    return {
      name: privateName,
      description: `A ${noun} for private use.`,
      full_description: `The ${noun} 255 is reserved for private use (RFC 7218). Only clients that were set up for it know what it means; all others treat the record as unusable.`,
    }
  if (value >= 0 && value < 255)
    return {
      name: "Unassigned",
      description: `An unassigned ${noun}.`,
      full_description: `No standard gives the ${noun} ${value} a meaning. Clients treat the record as unusable (RFC 6698 §4.1).`,
    }
  return {
    name: "Out of range",
    description: `A ${noun} that no record can hold.`,
    full_description: `The ${noun} is one byte, 0 to 255 (RFC 6698 §2.1). Name servers refuse ${value} or store another number.`,
  }
}

const nouns: Readonly<Record<Field, { noun: string; privateName: string }>> = {
  usage: { noun: "certificate usage", privateName: "PrivCert" },
  selector: { noun: "selector", privateName: "PrivSel" },
  matching: { noun: "matching type", privateName: "PrivMatch" },
}

const assigned: Readonly<Record<Field, readonly Term[]>> = texts

export const securityLevels = ["Recommended", "Acceptable", "Discouraged", "Insecure"] as const
export type SecurityLevel = (typeof securityLevels)[number]

/**
 * Usage, selector and matching type, as the record has them. For each the file says what to publish, from RFC 7671 §5 and §10.1
 * and, for mail, RFC 7672 §3.1.
 */
type Combination = keyof typeof recommendations

/** Whether a record has valid numbers, so that the file has a text for it. */
function isCombination(text: string): text is Combination {
  return Object.hasOwn(recommendations, text)
}

/** The level of a valid record (RFC 7671 §5). A digest does the same as full data in less space (RFC 7671 §10.1). */
function toSecurityLevel(combination: Combination): SecurityLevel {
  if (combination.endsWith("0")) return "Discouraged"
  return combination === "3 1 1" || combination === "2 0 1" ? "Recommended" : "Acceptable"
}

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
  if (isKnown && faults.length === 0)
    return { security_level: toSecurityLevel(combination), recommendation: recommendations[combination] }
  const remedy = isKnown ? "Correct the data and check again." : "The recommended configuration is 3 1 1."
  return {
    security_level: "Insecure",
    recommendation: `Do not publish this record: name servers refuse it, or no client can use it (RFC 6698 §4.1). ${faults.join(" ")} ${remedy}`,
  }
}
