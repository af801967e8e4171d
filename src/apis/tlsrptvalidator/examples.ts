/** The names are those of the test double's DNS. */
const dns = {
  "_smtp._tls.good.example": [
    { TXT: "v=TLSRPTv1; rua=mailto:tls@good.example,https://reports.good.example/tls" },
  ],
  "_smtp._tls.typo.example": [{ TXT: "v=TLSRPTv1; rua=http://reports.typo.example/tls, tls@typo.example" }],
} as const

/** A record without a fault, one with two, and none. */
export const examples = [
  {
    name: "Reports by mail and by HTTPS",
    input: { domain: "good.example" },
    output: {
      is_valid: true,
      problems: [],
      domain: "good.example",
      record_name: "_smtp._tls.good.example",
      record: "v=TLSRPTv1; rua=mailto:tls@good.example,https://reports.good.example/tls",
      rua: [
        { uri: "mailto:tls@good.example", kind: "mailto" as const, is_valid: true },
        { uri: "https://reports.good.example/tls", kind: "https" as const, is_valid: true },
      ],
    },
    given: { dns },
  },
  {
    name: "Two addresses that no report can be sent to",
    input: { domain: "typo.example" },
    output: {
      is_valid: false,
      problems: [
        {
          code: "scheme" as const,
          severity: "error" as const,
          message: "http://reports.typo.example/tls begins neither with mailto: nor with https:.",
          where: "rua, address 1",
        },
        {
          code: "uri" as const,
          severity: "error" as const,
          message: "'tls@typo.example' is no address for reports. Begin it with mailto:.",
          where: "rua, address 2",
        },
      ],
      domain: "typo.example",
      record_name: "_smtp._tls.typo.example",
      record: "v=TLSRPTv1; rua=http://reports.typo.example/tls, tls@typo.example",
      rua: [
        { uri: "http://reports.typo.example/tls", kind: "other" as const, is_valid: false },
        { uri: "tls@typo.example", kind: "other" as const, is_valid: false },
      ],
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
          message: "_smtp._tls.none.example has no record.",
          where: "_smtp._tls.none.example",
        },
      ],
      domain: "none.example",
      record_name: "_smtp._tls.none.example",
      record: null,
      rua: [],
    },
    given: { dns },
  },
]
