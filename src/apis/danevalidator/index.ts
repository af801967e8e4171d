import { Type } from "@sinclair/typebox"
import { choice, defineApi, premium } from "../contract.ts"
import { checkTlsa } from "../mail/dane/tlsa-check.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"
import { interpretTlsa, securityLevels } from "./recommendations.ts"
import { parseTlsaRecord } from "./tlsa-record.ts"

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
