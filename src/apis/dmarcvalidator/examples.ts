/** The names are those of the test double's DNS. */
const dns = {
  "good.example": [{ MX: [10, "mail.good.example"] }],
  "_dmarc.good.example": [{ TXT: "v=DMARC1; p=reject; rua=mailto:dmarc@good.example" }],
  "mail.good.example": [{ A: "93.184.215.14" }],
  "typo.example": [{ TXT: "v=spf1 ip4:93.184.215.0/24 inlcude:_spf.mailer.example -all" }],
  "_dmarc.typo.example": [{ TXT: "v=DMARC1; p=quarantaine; pct=50; rua=mailto:dmarc@reports.example" }],
  "none.example": [{ TXT: "some-verification=4f1c2d" }],
} as const

const relaxed = { dkim: "relaxed" as const, spf: "relaxed" as const }
const reject = "reject" as const
const none = "none" as const

/** A policy from the organizational domain, a record with a mistake, and no record. */
export const examples = [
  {
    name: "A policy that the domain above has set",
    input: { domain: "mail.good.example" },
    output: {
      is_valid: true,
      problems: [],
      domain: "mail.good.example",
      is_in_dns: true,
      organizational_domain: "good.example",
      record_domain: "good.example",
      record: "v=DMARC1; p=reject; rua=mailto:dmarc@good.example",
      policy: reject,
      policies: { domain: reject, subdomains: reject, nonexistent: reject },
      is_testing: false,
      alignment: relaxed,
      rua: [{ uri: "mailto:dmarc@good.example", is_valid: true }],
      ruf: [],
      report_permissions: [{ domain: "good.example", is_external: false, is_permitted: true }],
    },
    given: { dns },
  },
  {
    name: "A mistyped policy, and reports to a domain that does not take them",
    input: { domain: "typo.example" },
    output: {
      is_valid: false,
      problems: [
        {
          code: "value" as const,
          severity: "error" as const,
          message: "'p=quarantaine' is wrong. The value of p is none, quarantine or reject.",
          where: "p",
        },
        {
          code: "historic_tag" as const,
          severity: "info" as const,
          message: "Receivers ignore the tag pct.",
          where: "pct",
        },
        {
          code: "assumed_none" as const,
          severity: "warning" as const,
          message: "The policy is taken for none.",
          where: "p",
        },
      ],
      domain: "typo.example",
      is_in_dns: true,
      organizational_domain: "typo.example",
      record_domain: "typo.example",
      record: "v=DMARC1; p=quarantaine; pct=50; rua=mailto:dmarc@reports.example",
      policy: none,
      policies: { domain: none, subdomains: none, nonexistent: none },
      is_testing: false,
      alignment: relaxed,
      rua: [{ uri: "mailto:dmarc@reports.example", is_valid: true }],
      ruf: [],
      report_permissions: [{ domain: "reports.example", is_external: true, is_permitted: false }],
    },
    given: { dns },
  },
  {
    name: "No record",
    input: { domain: "none.example" },
    output: {
      is_valid: false,
      problems: [
        {
          code: "no_record" as const,
          severity: "error" as const,
          message: "No record applies to the domain.",
          where: "_dmarc.none.example",
        },
      ],
      domain: "none.example",
      is_in_dns: true,
      organizational_domain: "none.example",
      record_domain: null,
      record: null,
      policy: null,
      policies: null,
      is_testing: false,
      alignment: relaxed,
      rua: [],
      ruf: [],
      report_permissions: [],
    },
    given: { dns },
  },
]
