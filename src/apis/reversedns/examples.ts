/** The names are those of the test double's DNS. */
const dns = {
  "14.215.184.93.in-addr.arpa": [{ PTR: "mail.good.example" }],
  "mail.good.example": [{ A: "93.184.215.14" }],
  "20.215.184.93.in-addr.arpa": [{ PTR: "host-93-184-215-20.none.example" }],
} as const

/** A mail server, a customer's line, and an address without a name. */
export const examples = [
  {
    name: "A mail server whose name has its address",
    input: { ip: "93.184.215.14" },
    output: {
      ip: "93.184.215.14",
      reverse_name: "14.215.184.93.in-addr.arpa",
      is_confirmed: true,
      names: [{ name: "mail.good.example", is_confirmed: true, is_generic: false, ips: ["93.184.215.14"] }],
      problems: [],
    },
    given: { dns },
  },
  {
    name: "The line of a customer",
    input: { ip: "93.184.215.20" },
    output: {
      ip: "93.184.215.20",
      reverse_name: "20.215.184.93.in-addr.arpa",
      is_confirmed: false,
      names: [{ name: "host-93-184-215-20.none.example", is_confirmed: false, is_generic: true, ips: [] }],
      problems: [
        {
          code: "generic_name" as const,
          severity: "warning" as const,
          message: "The name is made from the address.",
          where: "host-93-184-215-20.none.example",
        },
        {
          code: "not_confirmed" as const,
          severity: "warning" as const,
          message: "The name does not have the address.",
          where: "host-93-184-215-20.none.example",
        },
      ],
    },
    given: { dns },
  },
  {
    name: "An IPv6 address without a name",
    input: { ip: "2606:2800:21f:cb07::99" },
    output: {
      ip: "2606:2800:21f:cb07::99",
      reverse_name: "9.9.0.0.0.0.0.0.0.0.0.0.0.0.0.0.7.0.b.c.f.1.2.0.0.0.8.2.6.0.6.2.ip6.arpa",
      is_confirmed: false,
      names: [],
      problems: [
        {
          code: "no_name" as const,
          severity: "warning" as const,
          message: "The address has no name.",
          where: "9.9.0.0.0.0.0.0.0.0.0.0.0.0.0.0.7.0.b.c.f.1.2.0.0.0.8.2.6.0.6.2.ip6.arpa",
        },
      ],
    },
    given: { dns },
  },
]
