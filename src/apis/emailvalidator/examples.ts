/** The names are those of the test double's DNS. */
const dns = {
  "good.example": [{ MX: [10, "mail.good.example"] }],
  "_dmarc.good.example": [{ TXT: "v=DMARC1; p=reject; rua=mailto:dmarc@good.example" }],
  "parked.example": [{ MX: [0, "."] }],
} as const

/** An address whose domain accepts mail, one whose domain accepts none, and one with a mistake. */
export const examplesFor = (data_date: string | null) => [
  {
    name: "The address of a role, in a domain that accepts mail",
    input: { email: "Info@Good.example" },
    output: {
      is_valid: true,
      problems: [],
      diagnosis: "valid" as const,
      local_part: "Info",
      domain: "good.example",
      ascii: "Info@good.example",
      is_smtputf8_required: false,
      is_role: true,
      suggestion: null,
      is_disposable: false,
      data_date,
      delivery: {
        is_accepting_mail: true,
        reason: "mx" as const,
        mail_servers: [{ preference: 10, host: "mail.good.example" }],
      },
      dmarc: {
        has_record: true,
        policy: "reject" as const,
        record_domain: "good.example",
        record: "v=DMARC1; p=reject; rua=mailto:dmarc@good.example",
      },
    },
    given: { dns },
  },
  {
    name: "A domain that accepts no mail",
    input: { email: "zoë@parked.example" },
    output: {
      is_valid: true,
      problems: [],
      diagnosis: "valid" as const,
      local_part: "zoë",
      domain: "parked.example",
      ascii: null,
      is_smtputf8_required: true,
      is_role: false,
      suggestion: null,
      is_disposable: false,
      data_date,
      delivery: { is_accepting_mail: false, reason: "null_mx" as const, mail_servers: [] },
      dmarc: { has_record: false, policy: null, record_domain: null, record: null },
    },
    given: { dns },
  },
  {
    name: "Two dots in a row",
    input: { email: "ann..smith@good.example" },
    output: {
      is_valid: false,
      problems: [
        {
          code: "dot" as const,
          severity: "error" as const,
          message: "There are two dots in a row.",
          where: "email",
        },
      ],
      diagnosis: "invalid" as const,
      local_part: null,
      domain: null,
      ascii: null,
      is_smtputf8_required: false,
      is_role: false,
      suggestion: null,
      is_disposable: null,
      data_date,
      delivery: null,
      dmarc: null,
    },
  },
]
