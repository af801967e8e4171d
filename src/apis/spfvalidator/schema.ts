import { type Static, Type } from "@sinclair/typebox"
import { choice, nullable, nullableText, premium } from "../contract.ts"
import { field } from "../shared.ts"

export const input = Type.Object({
  domain: field.text(
    "The domain to validate, such as example.com. International names are converted to A-labels.",
    { minLength: 1 },
  ),
  ip: field.optional.text("An IPv4 or IPv6 address, to check whether it may send mail for the domain."),
  sender: field.optional.text("The MAIL FROM address, for macros. Default: postmaster at the domain.", {
    maxLength: 320,
  }),
  helo: field.optional.text("The HELO name, for macros. Default: the domain.", { maxLength: 255 }),
})

const recordEntry = Type.Object({
  origin: premium(field.text("The domain the record belongs to.")),
  record: premium(field.text("The full text of the record.")),
  chars_num: premium(field.integer("The number of characters in the record.")),
  use_macro: premium(field.flag("Whether the record uses macros.")),
  domains: Type.Optional(
    premium(
      field.texts(
        "The domains to which the record refers; absent when it refers to no domain. Macros that depend on the sender stay as written.",
      ),
    ),
  ),
  authorized_ips: Type.Optional(
    premium(
      field.group(
        "The addresses that the record authorizes by ip4 and ip6; absent when it lists no address.",
        {
          ipv4: field.texts("The IPv4 addresses and networks the record lists."),
          ipv6: Type.Optional(
            field.texts(
              "The IPv6 addresses and networks the record lists; absent when it lists no IPv6 address.",
            ),
          ),
        },
      ),
    ),
  ),
})

const issue = Type.Object({
  code: field.text("The kind of issue, as a fixed code."),
  severity: choice(["error", "warning", "info"], { description: "How serious the issue is." }),
  message: field.text("What is wrong and what to change, with the section of the standard."),
  domain: field.text("The domain whose record has the issue."),
  term: nullableText("The term that has the issue; null for the record as a whole."),
})

export const output = Type.Object({
  host: field.text("The domain that was validated."),
  has_spf_record: field.nullableFlag(
    "Whether the domain has an SPF record; null when the DNS did not tell, for which `issues_found` has DNS_TEMPFAIL.",
  ),
  dns_lookups_num: premium(
    field.integer(
      "The number of terms in the whole tree that need a DNS look-up, of which 10 are allowed (RFC 7208 §4.6.4).",
    ),
  ),
  spf_record: field.text("The domain's SPF record; empty when none was found."),
  spf_records_list: premium(
    Type.Array(recordEntry, {
      description: "The domain's own record and every record that it includes or redirects to, depth-first.",
    }),
  ),
  domains_extracted: premium(
    field.texts("The domain itself and every domain to which the records refer, depth-first."),
  ),
  authorized_ips: premium(
    field.group("The addresses that the records authorize by ip4 and ip6.", {
      ipv4: field.texts("The IPv4 addresses and networks of all records."),
      ipv6: field.texts("The IPv6 addresses and networks of all records."),
    }),
  ),
  issues_found: premium(Type.Array(issue, { description: "The issues found; empty when nothing is wrong." })),
  spf_valid: field.flag(
    "Whether the domain has a record that receivers can evaluate completely without an error.",
  ),
  has_issues: field.flag("Whether any issue was found."),
  macros_found: premium(field.flag("Whether any of the records uses macros.")),
  ip_pass: field.flag("Whether the result for `ip` is pass; false without `ip`."),
  ip_result: Type.Optional(
    choice(["pass", "fail", "softfail", "neutral", "none", "temperror", "permerror"], {
      description: "The result for `ip` (RFC 7208 §2.6); only with `ip`.",
    }),
  ),
  ip_explanation: field.optional.text(
    "The domain owner's explanation of a fail (RFC 7208 §6.2); absent when the domain publishes no explanation.",
  ),
  elapsed_ms: premium(field.number("How long the validation took, in milliseconds.")),
  all_qualifier: nullable(
    choice(["pass", "fail", "softfail", "neutral"], { description: "The qualifier." }),
    {
      description:
        "The result that the record's own `all` gives to all other senders; null when the record has no `all`.",
    },
  ),
  risk_score: premium(
    field.integer("How easily others can send mail in the domain's name; a higher score means more easily.", {
      minimum: 0,
      maximum: 100,
    }),
  ),
  risk_level: premium(
    choice(["low", "medium", "high"], {
      description: "The range of the score: `low` to 33, `medium` to 66, `high` above.",
    }),
  ),
})

export type SpfInput = Static<typeof input>
export type RecordEntry = Static<typeof recordEntry>
export type Issue = Static<typeof issue>
export type SpfReport = Static<typeof output>
