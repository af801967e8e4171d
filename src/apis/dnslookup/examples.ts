/** The names are those of the test double's DNS. */
const dns = {
  "good.example": [
    { MX: [10, "mail.good.example"] },
    { TXT: "v=spf1 mx include:_spf.mailer.example include:_spf.desk.example -all" },
    { CAA: '0 issue "letsencrypt.org; validationmethods=dns-01"' },
    { CAA: '0 issuewild ";"' },
    { CAA: '0 iodef "mailto:security@good.example"' },
  ],
  "mail.good.example": [{ A: "93.184.215.14" }, { AAAA: "2606:2800:21f:cb07::14" }],
  "www.good.example": [{ CNAME: "mail.good.example" }],
} as const

const found = { is_in_dns: true, is_authenticated: false }
const nothingElse = { unanswered: [], signatures: [] }

/** Mail servers, an address behind an alias, all types, and a name that does not exist. */
export const examples = [
  {
    name: "The mail servers of a domain",
    input: { name: "good.example", type: "MX" as const },
    output: {
      name: "good.example",
      ...found,
      records: [{ name: "good.example", type: "MX", ttl: 300, value: "10 mail.good.example." }],
      ...nothingElse,
    },
    given: { dns },
  },
  {
    name: "An address behind an alias",
    input: { name: "www.good.example" },
    output: {
      name: "www.good.example",
      ...found,
      records: [
        { name: "www.good.example", type: "CNAME", ttl: 300, value: "mail.good.example." },
        { name: "mail.good.example", type: "A", ttl: 300, value: "93.184.215.14" },
      ],
      ...nothingElse,
    },
    given: { dns },
  },
  {
    name: "All types",
    input: { name: "mail.good.example", type: "ALL" as const },
    output: {
      name: "mail.good.example",
      ...found,
      records: [
        { name: "mail.good.example", type: "A", ttl: 300, value: "93.184.215.14" },
        { name: "mail.good.example", type: "AAAA", ttl: 300, value: "2606:2800:21f:cb07::14" },
      ],
      unanswered: [],
      signatures: null,
    },
    given: { dns },
  },
  {
    name: "A name that does not exist",
    input: { name: "no.good.example", type: "TXT" as const },
    output: { name: "no.good.example", ...found, is_in_dns: false, records: [], ...nothingElse },
    given: { dns },
  },
]
