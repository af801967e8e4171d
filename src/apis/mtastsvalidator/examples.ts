/** The names are those of the test double's DNS and replies. */
const dns = {
  "good.example": [{ MX: [10, "mail.good.example"] }],
  "_mta-sts.good.example": [{ TXT: "v=STSv1; id=20250101T000000" }],
  "typo.example": [{ MX: [10, "mail.typo.example"] }, { MX: [20, "backup.example"] }],
  "_mta-sts.typo.example": [{ TXT: "v=STSv1; id=2025-01-01" }],
} as const

const goodPolicy = "version: STSv1\nmode: enforce\nmx: mail.good.example\nmax_age: 604800\n"
const typoPolicy =
  'version: STSv1\nmode: enforced\nmx: mail.typo.example\nmx: "*.typo.example"\nmax_age: 3600\n'

const web = {
  "https://mta-sts.good.example/.well-known/mta-sts.txt": {
    body: goodPolicy,
    certificate: `-----BEGIN CERTIFICATE-----
MIIBZjCCAQygAwIBAgIIAQIDBAUGBwgwCgYIKoZIzj0EAwIwLjEaMBgGA1UEAxMR
RXhhbXBsZSBBdXRob3JpdHkxEDAOBgNVBAoTB0V4YW1wbGUwHhcNMjQxMjAxMDAw
MDAwWhcNMjUwMzAxMDAwMDAwWjAfMR0wGwYDVQQDExRtdGEtc3RzLmdvb2QuZXhh
bXBsZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABIpcTybSwSP0GvYA51jAYwER
meCTMrYLkkgLmQPTtWY4sb9TrQEK1OqYrZi+LY5JadYTfhqMV0omv3lBiKBQBzmj
IzAhMB8GA1UdEQQYMBaCFG10YS1zdHMuZ29vZC5leGFtcGxlMAoGCCqGSM49BAMC
A0gAMEUCIQD1cTp3wiI3J8oDZ7JeGUCbU07bPrUVnZkGDCjIi/AGNwIgckTYuKaa
aQEpM8ipyt1ttGjMxOMChXJQnkh6zPLvBxY=
-----END CERTIFICATE-----`,
  },
  "https://mta-sts.typo.example/.well-known/mta-sts.txt": { type: "text/html", body: typoPolicy },
}

const given = { now: "2025-01-01T00:00:00Z", dns, web }

/** A policy without a fault, one with several, one that is not published yet, and none. */
export const examples = [
  {
    name: "A record and a policy",
    input: {
      domain: "good.example",
    },
    output: {
      is_valid: true,
      problems: [],
      domain: "good.example",
      record_name: "_mta-sts.good.example",
      record: "v=STSv1; id=20250101T000000",
      id: "20250101T000000",
      policy_url: "https://mta-sts.good.example/.well-known/mta-sts.txt",
      policy: goodPolicy,
      content_type: "text/plain",
      version: "STSv1",
      mode: "enforce" as const,
      mx: ["mail.good.example"],
      max_age: 604800,
      mx_matches: [
        {
          preference: 10,
          host: "mail.good.example",
          matched_by: "mail.good.example",
        },
      ],
      certificate: {
        subject: "CN=mta-sts.good.example",
        issuer: "CN=Example Authority, O=Example",
        names: ["mta-sts.good.example"],
        valid_from: "2024-12-01T00:00:00.000Z",
        valid_until: "2025-03-01T00:00:00.000Z",
        days_left: 59,
        sha256: "7f5db38c0d2b8d5505e56182ad748764ea00a59b261500d81baaa5a4a0adc858",
      },
    },
    given,
  },
  {
    name: "Mistakes in the record and in the policy",
    input: {
      domain: "typo.example",
    },
    output: {
      is_valid: false,
      problems: [
        {
          code: "id" as const,
          severity: "error" as const,
          message: "The id must be 1 to 32 letters and digits, not '2025-01-01'.",
          where: "record",
        },
        {
          code: "content_type" as const,
          severity: "warning" as const,
          message: "The policy is not served as text/plain.",
          where: "https://mta-sts.typo.example/.well-known/mta-sts.txt",
        },
        {
          code: "mx" as const,
          severity: "error" as const,
          message: `'"*.typo.example"' is not the name of a mail server. Leave out the quotation marks.`,
          where: "policy, line 4",
        },
        {
          code: "mode" as const,
          severity: "error" as const,
          message: "The mode must be enforce, testing or none, not 'enforced'.",
          where: "policy, line 2",
        },
        {
          code: "short_max_age" as const,
          severity: "warning" as const,
          message: "Senders keep the policy for 3600 seconds only.",
          where: "policy, line 5",
        },
        {
          code: "mx_not_covered" as const,
          severity: "error" as const,
          message: "No mx of the policy covers backup.example.",
          where: "backup.example",
        },
      ],
      domain: "typo.example",
      record_name: "_mta-sts.typo.example",
      record: "v=STSv1; id=2025-01-01",
      id: null,
      policy_url: "https://mta-sts.typo.example/.well-known/mta-sts.txt",
      policy: typoPolicy,
      content_type: "text/html",
      version: "STSv1",
      mode: null,
      mx: ["mail.typo.example"],
      max_age: 3600,
      mx_matches: [
        {
          preference: 10,
          host: "mail.typo.example",
          matched_by: "mail.typo.example",
        },
        {
          preference: 20,
          host: "backup.example",
          matched_by: null,
        },
      ],
      certificate: null,
    },
    given,
  },
  {
    name: "A policy before it is published",
    input: {
      policy:
        "version: STSv1\nmode: testing\nmx: mail.example.com\nmx: *.backup.example.com\nmax_age: 86400\n",
    },
    output: {
      is_valid: true,
      problems: [
        {
          code: "testing" as const,
          severity: "info" as const,
          message: "Mail is delivered in any case; failures are only reported.",
          where: "mode",
        },
      ],
      domain: null,
      record_name: null,
      record: null,
      id: null,
      policy_url: null,
      policy:
        "version: STSv1\nmode: testing\nmx: mail.example.com\nmx: *.backup.example.com\nmax_age: 86400\n",
      content_type: null,
      version: "STSv1",
      mode: "testing" as const,
      mx: ["mail.example.com", "*.backup.example.com"],
      max_age: 86400,
      mx_matches: [],
      certificate: null,
    },
  },
  {
    name: "No record",
    input: {
      domain: "none.example",
    },
    output: {
      is_valid: false,
      problems: [
        {
          code: "no_record" as const,
          severity: "error" as const,
          message: "_mta-sts.none.example has no record.",
          where: "_mta-sts.none.example",
        },
      ],
      domain: "none.example",
      record_name: "_mta-sts.none.example",
      record: null,
      id: null,
      policy_url: "https://mta-sts.none.example/.well-known/mta-sts.txt",
      policy: null,
      content_type: null,
      version: null,
      mode: null,
      mx: [],
      max_age: null,
      mx_matches: [],
      certificate: null,
    },
    given,
  },
]
