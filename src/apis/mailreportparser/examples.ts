/** The report of RFC 9990, appendix B, with a row of forged mail. The names of the senders are those of the test double's DNS. */
const report = `<?xml version="1.0"?>
<feedback xmlns="urn:ietf:params:xml:ns:dmarc-2.0">
  <version>1.0</version>
  <report_metadata>
    <org_name>Sample Reporter</org_name>
    <email>reports@receiver.example</email>
    <report_id>3v98abbp8ya9n3va8yr8oa3ya</report_id>
    <date_range><begin>1764028800</begin><end>1764115199</end></date_range>
    <generator>Example DMARC Aggregate Reporter v1.2</generator>
  </report_metadata>
  <policy_published>
    <domain>good.example</domain>
    <p>reject</p>
    <testing>n</testing>
    <discovery_method>treewalk</discovery_method>
  </policy_published>
  <record>
    <row>
      <source_ip>93.184.215.14</source_ip>
      <count>123</count>
      <policy_evaluated><disposition>pass</disposition><dkim>pass</dkim><spf>fail</spf></policy_evaluated>
    </row>
    <identifiers><envelope_from>good.example</envelope_from><header_from>good.example</header_from></identifiers>
    <auth_results>
      <dkim><domain>good.example</domain><result>pass</result><selector>s1</selector></dkim>
      <spf><domain>good.example</domain><result>fail</result></spf>
    </auth_results>
  </record>
  <record>
    <row>
      <source_ip>93.184.215.20</source_ip>
      <count>4</count>
      <policy_evaluated><disposition>reject</disposition><dkim>fail</dkim><spf>fail</spf></policy_evaluated>
    </row>
    <identifiers><header_from>good.example</header_from></identifiers>
    <auth_results/>
  </record>
</feedback>
`

/** A report of RFC 7489 as many send it, packed by gzip. */
const packed = [
  "H4sIAAAAAAACA2VT247iMAx95yv4gNWmZQsUZEX7NL9RhcYtEUkdJeky/P06vQAz89LYx5fjY6vQIeqLam9yAwE9hdQ4TEqrpCRQ",
  "6JtBOZQ9UW/xd0sOxBMEdMpYORDX2cffJQc/lfMWQczRtanR8lSd/lR1fTgUx/2+rMpjBeIVBabEJqih584X7M0gy+OhKnZ1XRQg",
  "ZgRw0BNclvvydGIS9kG8l4rvKjbgyZr20fjxYk28YuYiHm6QZPVr3gUDpW/GyQBiNkBF38nIbn7Bs96Bs72EuNpsgG+TLPOg2eDv",
  "d8q83ZYCcwe6cy2NocXGeLkrivKsL/X5vNtzqycOLY1DkjsQs7GqwH/Kjqw3qzDRUzTJ0LBM8o7ANP4HH4HxSUkW0E3+JCWgijkv",
  "PTzKjsJdBY0axOQzvXPIvJboFrfP8K+tpvvQB6Vxm2g70665eflzT/FzWpGFb8BozjSdwRAlXJH7hKYL5L4e4z0A4r1mA2pM1yZg",
  "HG2Ks6j1nrzrFH9eNLbEilxuxtInB+Z6GalL80oWYNmN+EoiluNtQLz+l/8gwaybOwMAAA==",
].join("")

/** The report of RFC 8460, appendix B, with one failure. */
const tlsReport = `{
  "organization-name": "Company-X",
  "date-range": { "start-datetime": "2016-04-01T00:00:00Z", "end-datetime": "2016-04-01T23:59:59Z" },
  "contact-info": "sts-reporting@company-x.example",
  "report-id": "5065427c-23d3-47ca-b6e0-946ea0e8c4be",
  "policies": [{
    "policy": {
      "policy-type": "sts",
      "policy-string": ["version: STSv1", "mode: testing", "mx: *.mail.company-y.example", "max_age: 86400"],
      "policy-domain": "company-y.example",
      "mx-host": ["*.mail.company-y.example"]
    },
    "summary": { "total-successful-session-count": 5326, "total-failure-session-count": 303 },
    "failure-details": [{
      "result-type": "certificate-expired",
      "sending-mta-ip": "2001:db8:abcd:12::1",
      "receiving-mx-hostname": "mx1.mail.company-y.example",
      "failed-session-count": 303
    }]
  }]
}
`

const dns = {
  "14.215.184.93.in-addr.arpa": [{ PTR: "mail.good.example" }],
  "20.215.184.93.in-addr.arpa": [{ PTR: "host-93-184-215-20.none.example" }],
} as const

export const examples = [
  {
    name: "An aggregate report of DMARC",
    input: { report },
    output: {
      is_valid: true,
      problems: [],
      kind: "dmarc" as const,
      standard: "rfc9990" as const,
      organization: "Sample Reporter",
      contact: "reports@receiver.example",
      contact_details: null,
      report_id: "3v98abbp8ya9n3va8yr8oa3ya",
      generator: "Example DMARC Aggregate Reporter v1.2",
      period: {
        begins_at: "2025-11-25T00:00:00.000Z",
        ends_at: "2025-11-25T23:59:59.000Z",
      },
      errors: [],
      published: {
        domain: "good.example",
        policy: "reject" as const,
        subdomain_policy: null,
        nonexistent_policy: null,
        dkim_alignment: "relaxed" as const,
        spf_alignment: "relaxed" as const,
        is_testing: false,
        discovery_method: "treewalk" as const,
        failure_options: null,
        percent: null,
      },
      totals: {
        rows: 2,
        count: 127,
        passed: 123,
        failed: 4,
        quarantined: 0,
        rejected: 4,
      },
      rows: [
        {
          source_ip: "93.184.215.14",
          count: 123,
          disposition: "pass" as const,
          dkim: "pass" as const,
          spf: "fail" as const,
          reasons: [],
          header_from: "good.example",
          envelope_from: "good.example",
          envelope_to: null,
          dkim_results: [
            {
              domain: "good.example",
              selector: "s1",
              result: "pass" as const,
              human_result: null,
            },
          ],
          spf_results: [
            {
              domain: "good.example",
              scope: null,
              result: "fail" as const,
              human_result: null,
            },
          ],
        },
        {
          source_ip: "93.184.215.20",
          count: 4,
          disposition: "reject" as const,
          dkim: "fail" as const,
          spf: "fail" as const,
          reasons: [],
          header_from: "good.example",
          envelope_from: null,
          envelope_to: null,
          dkim_results: [],
          spf_results: [],
        },
      ],
      tls_policies: [],
      rows_left_out: 0,
      sources: [
        {
          ip: "93.184.215.14",
          host: "mail.good.example",
          count: 123,
          passed: 123,
          failed: 0,
        },
        {
          ip: "93.184.215.20",
          host: "host-93-184-215-20.none.example",
          count: 4,
          passed: 0,
          failed: 4,
        },
      ],
    },
    given: { dns, domain: "good.example" },
  },
  {
    name: "A report of RFC 7489 with a mistake, packed by gzip",
    input: { report: packed },
    output: {
      is_valid: false,
      problems: [
        {
          code: "value" as const,
          severity: "error" as const,
          message: "The value must be one of pass, fail.",
          where: "record 1/row/policy_evaluated/dkim",
        },
      ],
      kind: "dmarc" as const,
      standard: "rfc7489" as const,
      organization: "google.com",
      contact: "noreply@google.example",
      contact_details: null,
      report_id: "949348866075514174",
      generator: null,
      period: {
        begins_at: "2025-11-25T00:00:00.000Z",
        ends_at: "2025-11-25T23:59:59.000Z",
      },
      errors: [],
      published: {
        domain: "old.example",
        policy: "none" as const,
        subdomain_policy: "none" as const,
        nonexistent_policy: null,
        dkim_alignment: "relaxed" as const,
        spf_alignment: "strict" as const,
        is_testing: false,
        discovery_method: null,
        failure_options: null,
        percent: 100,
      },
      totals: {
        rows: 1,
        count: 2,
        passed: 0,
        failed: 2,
        quarantined: 0,
        rejected: 0,
      },
      rows: [
        {
          source_ip: "2001:db8::25",
          count: 2,
          disposition: "none" as const,
          dkim: "fail" as const,
          spf: "fail" as const,
          reasons: [
            {
              kind: "forwarded" as const,
              comment: "looks forwarded, downgrade to none",
            },
          ],
          header_from: "old.example",
          envelope_from: null,
          envelope_to: null,
          dkim_results: [],
          spf_results: [
            {
              domain: "lists.example",
              scope: "mfrom" as const,
              result: "softfail" as const,
              human_result: null,
            },
          ],
        },
      ],
      tls_policies: [],
      rows_left_out: 0,
      sources: [
        {
          ip: "2001:db8::25",
          host: null,
          count: 2,
          passed: 0,
          failed: 2,
        },
      ],
    },
    given: { dns },
  },
  {
    name: "A report of TLS",
    input: { report: tlsReport },
    output: {
      is_valid: true,
      problems: [],
      kind: "tls" as const,
      standard: "rfc8460" as const,
      organization: "Company-X",
      contact: "sts-reporting@company-x.example",
      report_id: "5065427c-23d3-47ca-b6e0-946ea0e8c4be",
      period: {
        begins_at: "2016-04-01T00:00:00.000Z",
        ends_at: "2016-04-01T23:59:59.000Z",
      },
      contact_details: null,
      generator: null,
      errors: [],
      published: null,
      totals: {
        rows: 1,
        count: 5629,
        passed: 5326,
        failed: 303,
        quarantined: 0,
        rejected: 0,
      },
      rows: [],
      tls_policies: [
        {
          kind: "sts" as const,
          domain: "company-y.example",
          policy: ["version: STSv1", "mode: testing", "mx: *.mail.company-y.example", "max_age: 86400"],
          mx_hosts: ["*.mail.company-y.example"],
          passed: 5326,
          failed: 303,
          failures: [
            {
              result: "certificate-expired" as const,
              count: 303,
              sending_ip: "2001:db8:abcd:12::1",
              receiving_host: "mx1.mail.company-y.example",
              receiving_helo: null,
              receiving_ip: null,
              information: null,
              reason_code: null,
            },
          ],
          failures_left_out: 0,
        },
      ],
      rows_left_out: 0,
      sources: [
        {
          ip: "2001:db8:abcd:12::1",
          host: null,
          count: 303,
          passed: 0,
          failed: 303,
        },
      ],
    },
    given: { dns },
  },
]
