/** The names are those of the test double's DNS. */
const dns = {
  "good.example": [
    { CAA: '0 issue "letsencrypt.org; validationmethods=dns-01"' },
    { CAA: '0 issuewild ";"' },
    { CAA: '0 iodef "mailto:security@good.example"' },
  ],
  "typo.example": [{ CAA: '1 isue "ca.example"' }, { CAA: '0 issue "ca.example, other.example"' }],
} as const

const goodRecords = [
  record(0, "issue", "letsencrypt.org; validationmethods=dns-01"),
  record(0, "issuewild", ";"),
  record(0, "iodef", "mailto:security@good.example"),
]

/** A CA that may issue for a host, none for a wildcard, records with mistakes, and no records. */
export const examples = [
  {
    name: "A CA that may issue, by the records of the domain above",
    input: { domain: "www.good.example", ca: "letsencrypt.org" },
    output: {
      is_valid: true,
      problems: [],
      domain: "www.good.example",
      is_wildcard: false,
      record_domain: "good.example",
      records: goodRecords,
      is_any_ca_permitted: false,
      issuers: ["letsencrypt.org"],
      is_ca_permitted: true,
      permissions: [{ issuer: "letsencrypt.org", accounts: [], methods: ["dns-01"] }],
    },
    given: { dns },
  },
  {
    name: "A wildcard, for which no CA may issue",
    input: { domain: "*.good.example", ca: "letsencrypt.org" },
    output: {
      is_valid: true,
      problems: [],
      domain: "good.example",
      is_wildcard: true,
      record_domain: "good.example",
      records: goodRecords,
      is_any_ca_permitted: false,
      issuers: [],
      is_ca_permitted: false,
      permissions: [],
    },
    given: { dns },
  },
  {
    name: "Records with mistakes",
    input: { domain: "typo.example" },
    output: {
      is_valid: false,
      problems: [
        {
          code: "reserved_flags" as const,
          severity: "warning" as const,
          message: "The flags are 1; only 0 and 128 have a meaning.",
          where: "record 1",
        },
        {
          code: "unknown_tag" as const,
          severity: "warning" as const,
          message: "The property isue is not known.",
          where: "record 1",
        },
        {
          code: "value" as const,
          severity: "error" as const,
          message: "'ca.example, other.example' is not the name of a CA. Give each CA a record of its own.",
          where: "record 2",
        },
      ],
      domain: "typo.example",
      is_wildcard: false,
      record_domain: "typo.example",
      records: [record(1, "isue", "ca.example"), record(0, "issue", "ca.example, other.example")],
      is_any_ca_permitted: false,
      issuers: [],
      is_ca_permitted: null,
      permissions: [],
    },
    given: { dns },
  },
  {
    name: "No records",
    input: { domain: "none.example" },
    output: {
      is_valid: true,
      problems: [
        {
          code: "no_record" as const,
          severity: "info" as const,
          message: "Neither the domain nor one above it has records.",
          where: "none.example",
        },
      ],
      domain: "none.example",
      is_wildcard: false,
      record_domain: null,
      records: [],
      is_any_ca_permitted: true,
      issuers: [],
      is_ca_permitted: null,
      permissions: [],
    },
    given: { dns },
  },
]

function record(flags: number, tag: string, property_value: string) {
  return { value: `${flags} ${tag} "${property_value}"`, flags, is_critical: false, tag, property_value }
}
