import { Type } from "@sinclair/typebox"
import { choice, defineApi, premium } from "../contract.ts"
import { checkTlsa, type TlsaRdata } from "../mail/dane/tlsa-check.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"
import recommendations from "./recommendations.json"
import texts from "./terms.json"
import { parseTlsaRecord } from "./tlsa-record.ts"

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

const securityLevels = ["Recommended", "Acceptable", "Discouraged", "Insecure"] as const
type SecurityLevel = (typeof securityLevels)[number]

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

function rate(combination: string, faults: readonly string[]) {
  const isKnown = isCombination(combination)
  if (isKnown && faults.length === 0)
    return { security_level: toSecurityLevel(combination), recommendation: recommendations[combination] }
  const remedy = isKnown ? "Correct the data and check again." : "The recommended configuration is 3 1 1."
  return {
    security_level: "Insecure" as const,
    recommendation: `Do not publish this record: name servers refuse it, or no client can use it (RFC 6698 §4.1). ${faults.join(" ")} ${remedy}`,
  }
}

/** The longest RDATA has 131,070 digits (RFC 1035 §3.2.1); the rest is for the owner name, line breaks and comments. */
const maxRecordLength = 150_000

export const danevalidator = defineApi({
  id: "danevalidator",
  title: "DANE/TLSA validator",
  category: "mail",
  keywords: ["TLSA", "certificate", "TLS", "SMTP", "DNSSEC", "encryption"],
  description:
    "Parses a TLSA record in zone-file form, checks it against RFC 6698 and rates its combination of usage, selector and matching type by RFC 7671. Makes no DNS queries: DNSSEC and the server's certificate are not checked.",
  method: "POST",
  credits: 1,
  input: Type.Object({
    record: field.text(
      "One TLSA record in zone-file form: owner name `_port._protocol.host`, TTL, class, `TLSA`, usage, selector, matching type and the certificate data in hexadecimal. TTL and class may be left out.",
      { maxLength: maxRecordLength },
    ),
  }),
  output: Type.Object({
    raw_record: field.text("The record as it was sent."),
    parsed: field.group("The fields of the record.", {
      name: field.text("The owner name, with a trailing dot."),
      port: field.integer("The port in the owner name."),
      protocol: field.text("The transport in the owner name: `tcp`, `udp` or `sctp`."),
      hostname: field.text("The owner name without port, transport and trailing dot."),
      ttl: field.nullableInteger(
        "Time to live in seconds; null when the record has no TTL, so that its zone's default applies.",
      ),
      class: field.text("The DNS class; `IN` when the record names no class."),
      usage: field.number("Certificate usage; 0 to 3 are valid."),
      selector: field.number("Selector; 0 and 1 are valid."),
      matching: field.number("Matching type; 0 to 2 are valid."),
      certificate_data: field.text("The certificate association data as written, with its parts joined."),
      certificate_data_length: field.integer("The length of that data in characters."),
    }),
    interpretation: premium(
      field.group("The meaning and the rating of the record.", {
        usage: term("What the certificate usage means."),
        selector: term("What the selector means."),
        matching: term("What the matching type means."),
        security_level: choice(securityLevels, {
          description: "The rating of the combination; `Insecure` for every record that is not valid.",
        }),
        recommendation: field.text(
          "What the record does, and what to publish instead where another record is better.",
        ),
      }),
    ),
    validation: field.group("The result of the checks.", {
      is_valid: field.flag("Whether clients can use the record."),
      certificate_data_format: field.text(
        "Whether the data has hexadecimal digits only: `Valid hexadecimal` or `Invalid hexadecimal`.",
      ),
      certificate_data_length_valid: field.flag(
        "Whether the length fits: 64 digits for SHA-256, 128 for SHA-512, and for Full exactly one certificate or public key in DER.",
      ),
    }),
  }),
  examples: storedExamples(stored, answers),
  run: ({ record }) => {
    const { owner, ttl, class: rrClass, ...rdata } = parseTlsaRecord(record)
    const { isHexadecimal, isLengthValid, faults } = checkTlsa(rdata)
    return {
      raw_record: record,
      parsed: {
        ...owner,
        ttl,
        class: rrClass,
        usage: rdata.usage,
        selector: rdata.selector,
        matching: rdata.matching,
        certificate_data: rdata.data,
        certificate_data_length: rdata.data.length,
      },
      interpretation: interpretTlsa(rdata, faults),
      validation: {
        is_valid: faults.length === 0,
        certificate_data_format: isHexadecimal ? "Valid hexadecimal" : "Invalid hexadecimal",
        certificate_data_length_valid: isLengthValid,
      },
    }
  },
})

function term(description: string) {
  return field.group(description, {
    name: field.text("Its name, such as `DANE-EE`, `SPKI` or `SHA-256`."),
    description: field.text("Its meaning in a few words."),
    full_description: field.text("Its meaning in full."),
  })
}
