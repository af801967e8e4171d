import { type Static, Type } from "@sinclair/typebox"
import { choice, nullable, premium } from "../contract.ts"

export const input = Type.Object({
  domain: Type.String({
    minLength: 1,
    description:
      "The domain to validate, such as example.com. International names are converted to A-labels.",
  }),
  ip: Type.Optional(
    Type.String({
      description: "An IPv4 or IPv6 address, to check whether it may send mail for the domain.",
    }),
  ),
  sender: Type.Optional(
    Type.String({
      maxLength: 320,
      description: "The MAIL FROM address, for macros. Without it: postmaster at the domain.",
    }),
  ),
  helo: Type.Optional(
    Type.String({ maxLength: 255, description: "The HELO name, for macros. Without it: the domain." }),
  ),
})

const strings = (description: string) => Type.Array(Type.String(), { description })

const recordEntry = Type.Object({
  origin: premium(Type.String({ description: "The domain the record belongs to." })),
  record: premium(Type.String({ description: "The full text of the record." })),
  chars_num: premium(Type.Integer({ description: "How many characters the record has." })),
  use_macro: premium(Type.Boolean({ description: "Whether the record uses macros." })),
  domains: Type.Optional(
    premium(
      strings(
        "The domains the record references; only where there are any. Unresolved macros stay as written.",
      ),
    ),
  ),
  authorized_ips: Type.Optional(
    premium(
      Type.Object(
        {
          ipv4: strings("The IPv4 addresses and networks the record lists."),
          ipv6: Type.Optional(
            strings("The IPv6 addresses and networks the record lists; only where there are any."),
          ),
        },
        { description: "What the record lets send by address; only where it lists any." },
      ),
    ),
  ),
})

const issue = Type.Object({
  code: Type.String({ description: "What is wrong, as a fixed code." }),
  severity: choice(["error", "warning", "info"], { description: "How bad it is." }),
  message: Type.String({
    description: "What is wrong and what to change, with the section of the standard.",
  }),
  domain: Type.String({ description: "The domain whose record it is about." }),
  term: nullable(Type.String(), {
    description: "The term of the record it is about; null for the record as a whole.",
  }),
})

export const output = Type.Object({
  host: Type.String({ description: "The domain that was validated." }),
  has_spf_record: Type.Boolean({ description: "Whether the domain has an SPF record." }),
  dns_lookups_num: premium(
    Type.Integer({
      description:
        "How many terms of the whole tree look something up, of which 10 are allowed (RFC 7208 §4.6.4); never more " +
        "than 9007199254740991.",
    }),
  ),
  spf_record: Type.String({ description: "The domain's SPF record; empty without one." }),
  spf_records_list: premium(
    Type.Array(recordEntry, {
      description: "Every record of the tree, depth-first, beginning with the domain's own.",
    }),
  ),
  domains_extracted: premium(
    strings("Every domain of the tree, depth-first, beginning with the domain itself."),
  ),
  authorized_ips: premium(
    Type.Object(
      {
        ipv4: strings("The IPv4 addresses and networks of all records."),
        ipv6: strings("The IPv6 addresses and networks of all records."),
      },
      { description: "What the records of the tree let send by address." },
    ),
  ),
  issues_found: premium(Type.Array(issue, { description: "What was found wrong; may be empty." })),
  spf_valid: Type.Boolean({
    description: "Whether the domain has a record that receivers can evaluate to its end without an error.",
  }),
  has_issues: Type.Boolean({ description: "Whether anything was found wrong." }),
  macros_found: premium(Type.Boolean({ description: "Whether any record of the tree uses macros." })),
  ip_pass: Type.Boolean({ description: "Whether the result for `ip` is pass; false without `ip`." }),
  ip_result: Type.Optional(
    choice(["pass", "fail", "softfail", "neutral", "none", "temperror", "permerror"], {
      description: "The result for `ip` (RFC 7208 §2.6); only with `ip`.",
    }),
  ),
  ip_explanation: Type.Optional(
    Type.String({
      description: "Why the result is fail, in the words of the domain's owner; only if there are any.",
    }),
  ),
  elapsed_ms: premium(Type.Number({ description: "How long the validation took, in milliseconds." })),
  all_qualifier: nullable(
    choice(["pass", "fail", "softfail", "neutral"], { description: "The qualifier." }),
    {
      description: "What the record's own `all` says of other senders; null without one.",
    },
  ),
  risk_score: premium(
    Type.Integer({
      minimum: 0,
      maximum: 100,
      description: "How easily the domain is spoofed; higher is easier.",
    }),
  ),
  risk_level: premium(
    choice(["low", "medium", "high"], { description: "The band of the score: to 33, to 66, and above." }),
  ),
})

/** The parameters of a validation. */
export type SpfInput = Static<typeof input>
/** One record of the tree, as the answer lists it. */
export type RecordEntry = Static<typeof recordEntry>
/** Something wrong with a record, as the answer lists it. */
export type Issue = Static<typeof issue>
/** The `data` of an answer. */
export type SpfReport = Static<typeof output>
