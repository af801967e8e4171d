import { storedExamples } from "../stored-examples.ts"
import answers from "./answers.json"

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

export const examples = storedExamples(
  {
    examples: [
      {
        name: "An aggregate report of DMARC",
        input: { report },
        given: { dns, domain: "good.example" },
      },
      {
        name: "A report of RFC 7489 with a mistake, packed by gzip",
        input: { report: packed },
        given: { dns },
      },
      {
        name: "A report of TLS",
        input: { report: tlsReport },
        given: { dns },
      },
    ],
  },
  answers,
)
