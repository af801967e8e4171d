import type { Static } from "@sinclair/typebox"
import type { Example } from "../contract.ts"
import { exampleAnchor as trust_anchor } from "../mail/dnssec/example-zone.ts"
import type { Status } from "./check.ts"
import { checks } from "./checks.ts"
import { auditGiven as given } from "./example-domains.ts"
import type { input, output } from "./schema.ts"

type AuditExample = Example<typeof input, typeof output>
type Row = readonly [id: string, status: Status, why: string, advice?: string]

const protectedDomain: AuditExample = {
  name: "A domain with everything",
  input: { domain: "all.dane.test", trust_anchor },
  given: { ...given, domain: "all.dane.test" },
  output: {
    domain: "all.dane.test",
    grade: "A",
    score: 100,
    limited_by: [],
    checks: checksOf([
      ["mail_servers", "pass", "Mail goes to good.dane.test, mixed.dane.test."],
      ["reverse_names", "pass", "Each address has a name that leads back to it."],
      ["spf_record", "pass", "The SPF record is valid."],
      ["spf_policy", "pass", "Mail from all other servers fails."],
      ["dkim_key", "pass", "Keys were found: s1._domainkey.all.dane.test."],
      ["dmarc_record", "pass", "The domain has a valid record."],
      ["dmarc_policy", "pass", "Forged mail is refused."],
      ["dmarc_reports", "pass", "Receivers send reports."],
      ["dnssec", "pass", "The DNS of the domain is signed from the root down."],
      [
        "dane",
        "pass",
        "Senders check the certificate of each mail server by DANE. Whether the certificates fit the records was not looked at.",
      ],
      ["mta_sts", "pass", "Senders deliver by verified TLS alone."],
      ["tls_reports", "pass", "Senders report deliveries that could not be encrypted."],
      ["caa", "pass", "Only ca.example may issue."],
      ["bimi", "not_applicable", "The domain publishes no logo (BIMI), which is a matter of taste."],
    ]),
    fixes: [],
  },
}

const forgeable: AuditExample = {
  name: "A domain that anybody can forge",
  input: { domain: "plain.test", trust_anchor },
  given,
  output: {
    domain: "plain.test",
    grade: "E",
    score: 36,
    limited_by: [],
    checks: checksOf([
      ["mail_servers", "pass", "Mail goes to mail.plain.test."],
      ["reverse_names", "pass", "Each address has a name that leads back to it."],
      ["spf_record", "pass", "The SPF record is valid."],
      [
        "spf_policy",
        "fail",
        "SPF allows other servers to send mail for the domain.",
        "End the record with '~all', or with '-all' if you know all servers that send.",
      ],
      [
        "dkim_key",
        "fail",
        "No key was found: neither with the selectors asked for nor with 20 usual ones.",
        "Sign the mail of the domain. If it is signed, give the selector in 'selectors'.",
      ],
      ["dmarc_record", "pass", "The domain has a valid record."],
      [
        "dmarc_policy",
        "fail",
        "The policy is none: forged mail is delivered.",
        "Make the policy quarantine, then reject, once the reports show that your own mail passes.",
      ],
      ["dmarc_reports", "pass", "Receivers send reports."],
      [
        "dnssec",
        "fail",
        "The DNS of the domain is not signed, so that others can forge its answers.",
        "Let the provider of the DNS sign the zone, and give its DS record to the registrar.",
      ],
      [
        "dane",
        "fail",
        "No mail server has TLSA records that senders can use.",
        "Publish TLSA records 3 1 1 for each mail server, in a signed zone.",
      ],
      ["mta_sts", "fail", "_mta-sts.plain.test has no record.", "Publish a record and a policy."],
      ["tls_reports", "fail", "_smtp._tls.plain.test has no record.", "Ask senders for reports."],
      [
        "caa",
        "fail",
        "Every certification authority may issue certificates for the domain.",
        "Name the authority that you use.",
      ],
      ["bimi", "not_applicable", "The domain publishes no logo (BIMI), which is a matter of taste."],
    ]),
    fixes: [
      {
        check: "dmarc_policy",
        checks: ["dmarc_policy"],
        points: 16,
        line: '_dmarc.plain.test. 3600 IN TXT "v=DMARC1; p=quarantine; rua=mailto:dmarc@plain.test"',
        action: "replace",
        file: null,
        note: "Read the reports first: mail of yours that passes neither SPF nor DKIM goes to the folder for junk.",
      },
      {
        check: "dkim_key",
        checks: ["dkim_key"],
        points: 12,
        line: null,
        action: null,
        file: null,
        note: "The key pair is made by the mail server or service that signs; it shows the record to publish.",
      },
      {
        check: "dnssec",
        checks: ["dnssec"],
        points: 8,
        line: null,
        action: null,
        file: null,
        note: "Most providers sign a zone with one switch; the DS record goes to the registrar of the domain.",
      },
      {
        check: "dane",
        checks: ["dane"],
        points: 7,
        line: null,
        action: null,
        file: null,
        note: "The record holds a fingerprint of the certificate's key: '_25._tcp.' and the name of the server, TLSA 3 1 1. The zone must be signed first.",
      },
      {
        check: "spf_policy",
        checks: ["spf_policy"],
        points: 6,
        line: 'plain.test. 3600 IN TXT "v=spf1 mx ~all"',
        action: "replace",
        file: null,
        note: "Name all servers that send for the domain before you publish it.",
      },
      {
        check: "mta_sts",
        checks: ["mta_sts"],
        points: 4,
        line: '_mta-sts.plain.test. 3600 IN TXT "v=STSv1; id=4fd80659dba5b224"',
        action: "add",
        file: {
          url: "https://mta-sts.plain.test/.well-known/mta-sts.txt",
          text: "version: STSv1\r\nmode: testing\r\nmx: mail.plain.test\r\nmax_age: 604800\r\n",
        },
        note: "Publish the policy first: the name mta-sts.plain.test must lead to a web server with a certificate for it. It only tests: when the reports about encrypted delivery show no failure for some weeks, change the mode to enforce and the id.",
      },
      {
        check: "tls_reports",
        checks: ["tls_reports"],
        points: 4,
        line: '_smtp._tls.plain.test. 3600 IN TXT "v=TLSRPTv1; rua=mailto:tls-reports@plain.test"',
        action: "add",
        file: null,
        note: "The mailbox must exist. mailreportparser reads what comes in.",
      },
      {
        check: "caa",
        checks: ["caa"],
        points: 3,
        line: null,
        action: null,
        file: null,
        note: "Only you know your authority: 'plain.test. 3600 IN CAA 0 issue \"letsencrypt.org\"' lets Let's Encrypt issue and no other. Publish a record for each that you use.",
      },
    ],
  },
}

const broken: AuditExample = {
  name: "A domain whose signatures have expired",
  input: { domain: "expired.test", trust_anchor },
  given,
  output: {
    domain: "expired.test",
    grade: "F",
    score: 28,
    limited_by: [],
    checks: checksOf([
      [
        "mail_servers",
        "fail",
        "The domain has neither MX records nor an address, so mail to it cannot arrive.",
        "Publish the names of the mail servers, or a null MX if the domain takes no mail.",
      ],
      ["reverse_names", "not_applicable", "The domain takes no mail."],
      ["spf_record", "pass", "The SPF record is valid."],
      ["spf_policy", "pass", "Mail from all other servers fails."],
      ["dkim_key", "not_applicable", "The domain says that it sends no mail."],
      [
        "dmarc_record",
        "fail",
        "No record applies to the domain.",
        "Publish a record, and read the reports before you make its policy stricter.",
      ],
      ["dmarc_policy", "fail", "No policy applies, so forged mail is delivered.", "See “DMARC record”."],
      [
        "dmarc_reports",
        "not_applicable",
        "The domain has no mail, so reports would be about forged mail alone.",
      ],
      [
        "dnssec",
        "fail",
        "The signatures are wrong, so resolvers that check them do not find the domain: The signatures of expired.test DNSKEY have expired (RFC 4035 §5.3.1).",
        "Mend the signatures or the DS record at once: much mail is lost.",
      ],
      ["dane", "not_applicable", "The domain takes no mail."],
      ["mta_sts", "not_applicable", "The domain takes no mail."],
      ["tls_reports", "not_applicable", "The domain takes no mail."],
      ["caa", "not_applicable", "The domain has no mail servers that need certificates."],
      ["bimi", "not_applicable", "The domain publishes no logo (BIMI), which is a matter of taste."],
    ]),
    fixes: [
      {
        check: "mail_servers",
        checks: ["mail_servers"],
        points: 4,
        line: "expired.test. 3600 IN MX 0 .",
        action: "add",
        file: null,
        note: "Says that the domain takes no mail. If it does, name its mail servers instead.",
      },
      {
        check: "dmarc_record",
        checks: ["dmarc_record", "dmarc_policy"],
        points: 52,
        line: '_dmarc.expired.test. 3600 IN TXT "v=DMARC1; p=reject"',
        action: "add",
        file: null,
        note: "The domain has no mail, so all mail in its name is forged.",
      },
      {
        check: "dnssec",
        checks: ["dnssec"],
        points: 16,
        line: null,
        action: null,
        file: null,
        note: "Call dnssecvalidator for the domain: its chain shows the key or signature at fault.",
      },
    ],
  },
}

export const examples: readonly AuditExample[] = [protectedDomain, forgeable, broken]

/** The checks of an answer in which each passes wholly or brings no points. Titles, points and sources are those of the table. */
function checksOf(rows: readonly Row[]): Static<typeof output>["checks"] {
  return rows.map(([id, status, why, advice = null]) => {
    const check = checks.find((one) => one.id === id)
    if (!check) throw new Error(`there is no check '${id}'`)
    const { title, weight, source } = check
    const max_points = status === "not_applicable" ? 0 : weight
    return { id, title, status, points: status === "pass" ? weight : 0, max_points, why, advice, source }
  })
}
