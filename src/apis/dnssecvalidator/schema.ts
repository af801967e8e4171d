import { type Static, Type } from "@sinclair/typebox"
import { choice, nullable, nullableText, premium } from "../contract.ts"
import { field } from "../shared.ts"
import { problemList } from "./problems.ts"

/** The types whose records can be validated. Signatures and denials are parts of a validation, not its object. */
const types = [
  "A",
  "AAAA",
  "CAA",
  "CNAME",
  "DNAME",
  "DNSKEY",
  "DS",
  "HTTPS",
  "MX",
  "NAPTR",
  "NS",
  "PTR",
  "SOA",
  "SRV",
  "SSHFP",
  "SVCB",
  "TLSA",
  "TXT",
] as const

export const input = Type.Object({
  name: field.text(
    "The name whose records to validate, such as www.example.com, or `.` for the root. International names are converted to A-labels.",
    { minLength: 1, maxLength: 1000 },
  ),
  type: Type.Optional(choice(types, { description: "The type of the records.", default: "A" })),
  trust_anchor: field.optional.text(
    "For a DNS with its own root: the data of a DS record of the root's key, such as `20326 8 2 E06D…`. Default: the keys of the root of the Internet, KSK-2017 and KSK-2024, or those that the service was given.",
    { minLength: 1, maxLength: 300 },
  ),
})

const key = Type.Object({
  key_tag: field.integer("The tag of the key (RFC 4034 appendix B)."),
  algorithm: field.text("The name of its algorithm; its number if it is not supported."),
  flags: field.integer("257 for a key that signs keys, 256 for one that signs data."),
  is_matched: field.flag("Whether it matches a DS record or trust anchor."),
})

const signature = Type.Object({
  name: field.text("The name whose records it signs."),
  type: field.text("The type of these records."),
  key_tag: field.integer("The tag of the key."),
  algorithm: field.text("The name of the algorithm."),
  valid_from: field.text("Since when it is valid (RFC 3339)."),
  valid_until: field.text("Until when it is valid (RFC 3339)."),
  days_left: field.integer("Whole days until then."),
})

const link = Type.Object({
  zone: field.text("The name of the zone; `.` for the root."),
  ds: field.nullableTexts("Its DS records, as a zone file writes them; null for the root."),
  keys: Type.Array(key, { description: "Its keys." }),
  signatures: Type.Array(signature, {
    description:
      "The signatures that were used: of its DS records by its parent, of its keys, and of its data.",
  }),
})

export const output = Type.Object({
  name: field.text("The name that was validated, in lower case."),
  type: field.text("The type of the records."),
  status: choice(["secure", "insecure", "bogus", "indeterminate"], {
    description:
      "`secure`: signed all the way from the root. `insecure`: proven to be unsigned, so anybody could have changed it. `bogus`: it should be signed and is not, or not correctly; validating resolvers do not answer. `indeterminate`: the DNS gave no answer (RFC 4033 §5).",
  }),
  is_secure: field.flag("Whether the status is `secure`."),
  reason: nullableText("Why the status is not `secure`, with the section of the standard; null if it is."),
  result: nullable(choice(["records", "nodata", "nxdomain"], { description: "The result." }), {
    description:
      "`records`: there are records of the type. `nodata`: the name has none. `nxdomain`: the name does not exist. Null without an answer.",
  }),
  records: field.rows("The records. Do not use those that are bogus.", {
    name: field.text("The owner of the record: the given name, or the last of `aliases`."),
    type: field.text("Its type."),
    ttl: field.integer("Its TTL in seconds, as the DNS server gave it."),
    value: field.text("Its data as a zone file writes them."),
  }),
  aliases: field.texts("The names that the name is an alias for, in the order in which they lead on."),
  valid_until: nullableText(
    "When the first of the signatures that were used expires; null if there was none.",
  ),
  problems: problemList,
  chain: premium(
    Type.Array(link, {
      description: "The zones from the root on whose keys were found, each with what was checked.",
    }),
  ),
})

export type DnssecReport = Static<typeof output>
