import texts from "./terms.json"

export type Term = { readonly name: string; readonly description: string; readonly full_description: string }

export type Field = "usage" | "selector" | "matching"

/** Explains a field's number (RFC 6698 §2.1, RFC 7671), with the names of RFC 7218 and digests as commonly written. */
export function toTerm(field: Field, value: number): Term {
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
