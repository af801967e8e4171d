import {
  type Check,
  fail,
  few,
  judgeKnown,
  manualFix,
  notApplicable,
  pass,
  recordFix,
  toStrings,
  warning,
} from "./check.ts"
import type { Facts } from "./facts.ts"
import type { DmarcResult } from "./parts.ts"
import { takesMail } from "./receiving.ts"

/** Whether the domain may send mail: not if its SPF record forbids all servers. Unknown counts as sending. */
function sendsMail({ spf }: Facts): boolean {
  return !spf.isKnown || !/^v=spf1\s+-all\s*$/i.test(spf.value.spf_record)
}

const spfRecord: Check = {
  id: "spf_record",
  title: "SPF record",
  weight: 10,
  source: "RFC 7208",
  judge: (facts) =>
    judgeKnown(facts.spf, ({ has_spf_record, spf_valid, issues_found }) => {
      if (!has_spf_record)
        return fail({
          why: "The domain has no SPF record, so receivers cannot tell which servers may send its mail.",
          advice: "Publish a record that names the servers that send for the domain.",
          fix: takesMail(facts)
            ? recordFix(
                facts.domain,
                "TXT",
                '"v=spf1 mx ~all"',
                "Lets the mail servers of the domain send. Add the services that send for it before '~all'.",
              )
            : recordFix(facts.domain, "TXT", '"v=spf1 -all"', "Says that the domain sends no mail."),
        })
      if (spf_valid) return pass("The SPF record is valid.")
      const error = issues_found.find(({ severity }) => severity === "error")
      return fail({
        why: error?.message ?? "Receivers cannot evaluate the SPF record.",
        advice: "Mend the record: while it is wrong, receivers ignore it or refuse mail.",
        fix: manualFix("Call spfvalidator for the domain: it shows each mistake with its term."),
      })
    }),
}

const spfPolicy: Check = {
  id: "spf_policy",
  title: "What SPF says of all other servers",
  weight: 6,
  source: "RFC 7208 §4.7, §5.1",
  judge: ({ spf, domain }) =>
    judgeKnown(spf, ({ has_spf_record, spf_record, spf_valid, risk_level }) => {
      if (!has_spf_record)
        return fail({ why: "There is no SPF record.", advice: "Publish one, see “SPF record”." })
      if (!spf_valid)
        return fail({
          why: "The SPF record is not valid, so it protects nothing.",
          advice: "See “SPF record”.",
        })
      // With DMARC a softfail is as good as a fail (RFC 9989 §5).
      if (risk_level !== "high") return pass("Mail from all other servers fails.")
      const stricter = spf_record.replace(/(?:^|\s)[+?]?all(?=\s|$)/i, " ~all")
      const ends = stricter === spf_record ? `${spf_record} ~all` : stricter
      const isDelegated = /(?:^|\s)redirect=/i.test(spf_record)
      const fix = isDelegated
        ? manualFix("The record leads to that of another domain, which decides: change it there.")
        : recordFix(
            domain,
            "TXT",
            toStrings(ends),
            "Name all servers that send for the domain before you publish it.",
          )
      const advice = "End the record with '~all', or with '-all' if you know all servers that send."
      return fail({ why: "SPF allows other servers to send mail for the domain.", advice, fix })
    }),
}

const dkimKey: Check = {
  id: "dkim_key",
  title: "DKIM keys",
  weight: 12,
  source: "RFC 6376, RFC 8301",
  judge: (facts) => {
    if (!sendsMail(facts)) return notApplicable("The domain says that it sends no mail.")
    return judgeKnown(facts.dkim, (keys) => {
      const fix = manualFix(
        "The key pair is made by the mail server or service that signs; it shows the record to publish.",
      )
      const published = keys.filter(({ record }) => record !== null)
      const good = published.filter(({ is_valid }) => is_valid)
      const wrong = keys.filter(({ is_valid }) => !is_valid)
      if (published.length === 0)
        return fail({
          why: "No key was found: neither with the selectors asked for nor with 20 usual ones.",
          advice: "Sign the mail of the domain. If it is signed, give the selector in 'selectors'.",
          fix,
        })
      const [broken] = wrong
      if (good.length === 0 || broken)
        return fail({
          why: `${broken?.record_name ?? "A key"}: ${broken?.problems[0]?.message ?? "the key is not valid."}`,
          advice: "Publish the key as the server that signs shows it: dkimvalidator names each mistake.",
          fix,
        })
      const short = good.filter(({ key_type, key_bits }) => key_type === "rsa" && (key_bits ?? 0) < 2048)
      if (short.length > 0)
        return warning(0.5, {
          why: `RSA keys of under 2,048 bits: ${few(short.map(({ record_name }) => record_name))}.`,
          advice: "Replace them with keys of 2,048 bits.",
          fix,
        })
      if (good.every(({ is_testing }) => is_testing))
        return warning(0.5, {
          why: "The keys say that the domain only tests DKIM ('t=y').",
          advice: "Take 't=y' out of the records.",
        })
      return pass(`Keys were found: ${few(good.map(({ record_name }) => record_name))}.`)
    })
  },
}

const dmarcRecord: Check = {
  id: "dmarc_record",
  title: "DMARC record",
  weight: 10,
  source: "RFC 9989",
  judge: (facts) =>
    judgeKnown(facts.dmarc, ({ record, policy, problems, record_domain }) => {
      const { domain } = facts
      if (record === null)
        return fail({
          why: problems[0]?.message ?? "No record applies to the domain.",
          advice: "Publish a record, and read the reports before you make its policy stricter.",
          fix: firstRecord(facts),
        })
      const error = problems.find(({ severity }) => severity === "error")
      if (policy === null || error)
        return warning(policy === null ? 0 : 0.5, {
          why: error?.message ?? "The record has no valid policy.",
          advice: "Mend the record: dmarcvalidator shows each mistake.",
          fix: manualFix(`The record is at _dmarc.${record_domain ?? domain}.`),
        })
      return pass(
        record_domain === domain
          ? "The domain has a valid record."
          : `The record of ${record_domain} applies.`,
      )
    }),
}

function firstRecord(facts: Facts) {
  const { domain } = facts
  const policy = sendsMail(facts) ? "quarantine" : "reject"
  const note = sendsMail(facts)
    ? "Begin with 'p=none' if you do not know all servers that send, and read the reports for some weeks. The mailbox must exist."
    : "The domain sends no mail, so all mail in its name is forged. The mailbox for reports must exist."
  const record = `"v=DMARC1; p=${policy}; rua=mailto:dmarc-reports@${domain}"`
  return recordFix(`_dmarc.${domain}`, "TXT", record, note)
}

const dmarcPolicy: Check = {
  id: "dmarc_policy",
  title: "What receivers do with forged mail",
  weight: 16,
  source: "RFC 9989 §4.7, §5",
  judge: ({ dmarc, domain }) =>
    judgeKnown(dmarc, (result) => {
      const { policy, policies, is_testing } = result
      const best = "C"
      if (policy === null)
        return fail({
          why: "No policy applies, so forged mail is delivered.",
          advice: "See “DMARC record”.",
          best,
        })
      if (policy === "none")
        return fail({
          why: "The policy is none: forged mail is delivered.",
          advice: "Make the policy quarantine, then reject, once the reports show that your own mail passes.",
          fix: stricter(result, domain),
          best,
        })
      if (is_testing)
        return warning(policy === "reject" ? 0.75 : 0.25, {
          why: "The record is in test mode, so receivers apply the next weaker policy.",
          advice: "Take 't=y' out of the record.",
          ...(policy === "quarantine" && { best }),
        })
      if (policies?.subdomains === "none")
        return warning(0.75, {
          why: "The policy does not protect the domains below.",
          advice: "Take 'sp=none' out of the record.",
        })
      return pass(
        policy === "reject" ? "Forged mail is refused." : "Forged mail goes to the folder for junk.",
      )
    }),
}

/** The same record with a policy that protects, for the domain itself. */
function stricter({ record, record_domain }: DmarcResult, domain: string) {
  const note =
    "Read the reports first: mail of yours that passes neither SPF nor DKIM goes to the folder for junk."
  if (record === null) return manualFix(note)
  const text = record.replace(/([;\s]p\s*=\s*)[a-z]*/i, "$1quarantine")
  return recordFix(`_dmarc.${record_domain ?? domain}`, "TXT", toStrings(text), note)
}

const dmarcReports: Check = {
  id: "dmarc_reports",
  title: "Reports about forged mail",
  weight: 4,
  source: "RFC 9990",
  judge: ({ dmarc, domain }) =>
    judgeKnown(dmarc, ({ record, record_domain, rua, report_permissions }) => {
      if (record === null)
        return fail({ why: "There is no DMARC record.", advice: "Publish one, see “DMARC record”." })
      const refused = report_permissions.filter(({ is_permitted }) => is_permitted === "no")
      if (!rua.some(({ is_valid }) => is_valid))
        return fail({
          why: "No reports are sent, so nobody sees what fails.",
          advice: "Name a mailbox for reports with 'rua'.",
          fix: recordFix(
            `_dmarc.${record_domain ?? domain}`,
            "TXT",
            toStrings(
              `${record.replace(/[;\s]*$/, "").replace(/;\s*rua\s*=[^;]*/i, "")}; rua=mailto:dmarc-reports@${domain}`,
            ),
            "The mailbox must exist. mailreportparser reads what comes in.",
          ),
        })
      const [first] = refused
      if (first)
        return warning(0.5, {
          why: `No reports are sent to ${few(refused.map(({ host }) => host))}, which does not say that it takes them.`,
          advice: "Ask whoever runs that domain to permit the reports.",
          fix: recordFix(
            `${record_domain ?? domain}._report._dmarc.${first.host}`,
            "TXT",
            '"v=DMARC1"',
            "Belongs into the zone of the domain that takes the reports.",
          ),
        })
      return pass("Receivers send reports.")
    }),
}

/** Whether others can send mail in the name of the domain. */
export const sendingChecks = { spfRecord, spfPolicy, dkimKey, dmarcRecord, dmarcPolicy, dmarcReports }
