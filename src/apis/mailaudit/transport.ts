import {
  type Check,
  type Fix,
  fail,
  few,
  judgeKnown,
  manualFix,
  notApplicable,
  pass,
  recordFix,
  warning,
} from "./check.ts"
import type { Facts } from "./facts.ts"
import { takesMail } from "./receiving.ts"

const noMail = "The domain takes no mail."

const dane: Check = {
  id: "dane",
  title: "Encrypted delivery by DANE",
  weight: 7,
  source: "RFC 7672",
  judge: (facts) => {
    if (!takesMail(facts)) return notApplicable(noMail)
    return judgeKnown(facts.dane, ({ mail_servers }) => {
      const servers = mail_servers?.servers ?? []
      if (mail_servers?.is_protected)
        return pass("Senders check the certificate of each mail server by DANE.")
      const avoided = servers.filter(({ action }) => action === "avoid")
      const [first] = avoided
      if (first)
        return fail({
          why: `Senders that use DANE do not deliver to ${few(avoided.map(({ host }) => host))}: ${first.reason ?? "its records are not usable."}`,
          advice:
            "Mend the signatures of the TLSA records or of the addresses: danelookup shows what is wrong.",
          best: "D",
        })
      const fix = manualFix(
        "The record holds a fingerprint of the certificate's key: '_25._tcp.' and the name of the server, TLSA 3 1 1. The zone must be signed first.",
      )
      const some = servers.filter(({ action }) => action === "authenticate")
      const advice = "Publish TLSA records for each mail server, in a signed zone."
      if (some.length > 0)
        return warning(0.5, {
          why: `Only some of the mail servers have usable records: ${few(some.map(({ host }) => host))}.`,
          advice,
          fix,
        })
      return fail({ why: "No mail server has TLSA records that senders can use.", advice, fix })
    })
  },
}

const mtaSts: Check = {
  id: "mta_sts",
  title: "Encrypted delivery by MTA-STS",
  weight: 7,
  source: "RFC 8461",
  judge: (facts) => {
    if (!takesMail(facts)) return notApplicable(noMail)
    return judgeKnown(facts.mtaSts, ({ is_valid, problems, record, mode, mx_matches }) => {
      const uncovered = mx_matches.filter(({ matched_by }) => matched_by === null).map(({ host }) => host)
      if (mode === "enforce" && uncovered.length > 0)
        return fail({
          why: `The policy does not cover ${few(uncovered)}, so mail is not delivered there.`,
          advice: "Name all mail servers in the policy, and change the id of the record.",
          fix: policyFix(facts),
          best: "D",
        })
      const error = problems.find(({ severity }) => severity === "error")
      if (record !== null && (!is_valid || error))
        return fail({
          why: error?.message ?? "Senders cannot use the policy.",
          advice: "Mend the record or the policy: mtastsvalidator shows each mistake.",
          fix: policyFix(facts),
        })
      if (record === null || mode === null || mode === "none")
        return fail({
          why: problems[0]?.message ?? "The domain does not ask for encryption.",
          advice: "Publish a record and a policy.",
          fix: policyFix(facts),
        })
      if (mode === "testing")
        return warning(0.5, {
          why: "The policy is in test mode: mail is delivered without encryption too.",
          advice: "Change the mode to enforce, and the id of the record.",
          fix: policyFix(facts),
        })
      return pass("Senders deliver by verified TLS alone.")
    })
  },
}

/** A record and a policy for the present mail servers. */
function policyFix({ domain, route }: Facts): Fix {
  const hosts = route.isKnown ? route.value.servers.map(({ host }) => host) : []
  const text = [
    "version: STSv1",
    "mode: enforce",
    ...hosts.map((host) => `mx: ${host}`),
    "max_age: 604800",
    "",
  ].join("\r\n")
  const id = new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 16)
  return {
    ...recordFix(
      `_mta-sts.${domain}`,
      "TXT",
      `"v=STSv1; id=${id}"`,
      "Publish the policy first. Begin with 'mode: testing' for some weeks, and read the reports about encrypted delivery.",
    ),
    file: { url: `https://mta-sts.${domain}/.well-known/mta-sts.txt`, text },
  }
}

const bimi: Check = {
  id: "bimi",
  title: "Logo in mailboxes",
  weight: 2,
  source: "draft-brand-indicators-for-message-identification",
  judge: ({ bimi: found }) =>
    judgeKnown(found, ({ is_valid, problems, record, is_declined }) => {
      if (record === null || is_declined)
        return notApplicable("The domain publishes no logo (BIMI), which is a matter of taste.")
      if (is_valid) return pass("Mailboxes can show the logo of the domain.")
      return fail({
        why: problems.find(({ severity }) => severity === "error")?.message ?? "The logo cannot be shown.",
        advice: "Mend the record or the logo: bimivalidator shows each mistake.",
        fix: manualFix("Without a valid record mailboxes show initials instead; mail arrives all the same."),
      })
    }),
}

const tlsReports: Check = {
  id: "tls_reports",
  title: "Reports about encrypted delivery",
  weight: 4,
  source: "RFC 8460",
  judge: (facts) => {
    if (!takesMail(facts)) return notApplicable(noMail)
    return judgeKnown(facts.tlsrpt, ({ is_valid, problems, record }) => {
      if (is_valid) return pass("Senders report deliveries that could not be encrypted.")
      if (record !== null)
        return fail({
          why: problems.find(({ severity }) => severity === "error")?.message ?? "The record is not valid.",
          advice: "Mend the record: tlsrptvalidator shows each mistake.",
        })
      return fail({
        why: problems.at(-1)?.message ?? "There is no record.",
        advice: "Ask senders for reports.",
        fix: recordFix(
          `_smtp._tls.${facts.domain}`,
          "TXT",
          `"v=TLSRPTv1; rua=mailto:tls-reports@${facts.domain}"`,
          "The mailbox must exist. mailreportparser reads what comes in.",
        ),
      })
    })
  },
}

/** Whether mail to the domain is encrypted on its way. */
export const transportChecks = { dane, mtaSts, tlsReports, bimi }
