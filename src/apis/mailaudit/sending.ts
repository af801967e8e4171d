import { dmarcFix, permissionFix } from "./dmarc-line.ts"
import type { Facts } from "./facts.ts"
import { domainOfUri } from "./mail-servers.ts"
import type { DkimResult } from "./parts.ts"
import {
  type Check,
  fail,
  few,
  hasNoMail,
  judgeKnown,
  manualFix,
  notApplicable,
  pass,
  sendsMail,
  takesMail,
  unknown,
  warning,
} from "./purpose.ts"
import { spfFix } from "./spf-lines.ts"
import { deadHosts } from "./transport.ts"

/** Warnings of spfvalidator that another check judges. */
const judgedByPolicy = new Set(["NEUTRAL_ALL", "NO_ALL_OR_REDIRECT", "WRONG_PLACE"])

const spfRecord: Check = {
  id: "spf_record",
  title: "SPF record",
  weight: 10,
  source: "RFC 7208",
  judge: (facts) =>
    judgeKnown(
      facts.spf,
      ({ has_spf_record, spf_valid, issues_found }) => {
        const fix = spfFix(facts)
        if (!has_spf_record)
          return fail({
            why:
              issues_found.find(({ code }) => code === "WRONG_PLACE" || code === "BAD_VERSION_TAG")
                ?.message ??
              "The domain has no SPF record, so receivers cannot tell which servers may send its mail.",
            advice: "Publish a record that names the servers that send for the domain.",
            ...(fix && { fix }),
          })
        const error = issues_found.find(({ severity }) => severity === "error")
        const unanswered = issues_found.find(({ code }) => code === "DNS_TEMPFAIL")
        if (
          unanswered &&
          issues_found.every(({ code, severity }) => severity !== "error" || code === "DNS_TEMPFAIL")
        )
          return unknown(unanswered.message)
        if (!spf_valid)
          return fail({
            why: error?.message ?? "Receivers cannot evaluate the SPF record.",
            advice: "Mend the record: while it is wrong, receivers ignore it or refuse mail.",
            ...(fix && { fix }),
          })
        const dead = [...deadHosts(facts)].map((host) => `mail exchanger '${host}'`)
        const doubt = issues_found.find(
          ({ severity, code, message }) =>
            severity === "warning" &&
            !judgedByPolicy.has(code) &&
            !dead.some((words) => message.includes(words)),
        )
        if (doubt)
          return warning(0.8, {
            why: doubt.message,
            advice: "The record works, but not for all senders or not for long: see spfvalidator.",
            fix: manualFix("Call spfvalidator for the domain: it shows the term."),
          })
        return pass("The SPF record is valid.")
      },
      { needsAll: false },
    ),
}

const spfPolicy: Check = {
  id: "spf_policy",
  title: "What SPF says of all other servers (all)",
  weight: 6,
  source: "RFC 7208 §4.7, §5.1",
  judge: (facts) =>
    judgeKnown(
      facts.spf,
      ({ has_spf_record, spf_valid, risk_level, issues_found }) => {
        const fix = spfFix(facts)
        if (!has_spf_record)
          return fail({
            why: "There is no SPF record.",
            advice: "Publish one, see “SPF record”.",
            ...(fix && { fix }),
          })
        if (!spf_valid) {
          const unanswered = issues_found.find(({ code }) => code === "DNS_TEMPFAIL")
          if (unanswered) return unknown(unanswered.message)
          return fail({
            why: "The SPF record is not valid, so it protects nothing.",
            advice: "See “SPF record”.",
            ...(fix && { fix }),
          })
        }
        if (risk_level === "high")
          return fail({
            why: "SPF allows other servers to send mail for the domain.",
            advice: "End the record with '~all', or with '-all' if you know all servers that send.",
            ...(fix && { fix }),
          })
        if (risk_level === "low") return pass("Mail from all other servers fails.")
        // DMARC counts a softfail as no pass (RFC 9989 §4.4, §5).
        if (isEnforced(facts))
          return pass("Mail from all other servers softfails, and DMARC asks to keep it from the inbox.")
        return warning(0.5, {
          why: "Mail from all other servers softfails: without a DMARC policy that asks for more, most receivers deliver it.",
          advice:
            "Let DMARC quarantine or reject such mail. Or end the record with '-all' once you know all servers that send.",
          fix: manualFix(
            "Make the DMARC policy quarantine or reject, see “DMARC record”: then '~all' is enough.",
          ),
        })
      },
      { needsAll: false },
    ),
}

/** Whether receivers are asked to keep forged mail from the inbox. */
function isEnforced({ dmarc }: Facts): boolean {
  if (!dmarc.isKnown) return false
  const { policy, is_testing } = dmarc.value
  return policy === "reject" || (policy === "quarantine" && !is_testing)
}

const dkimKey: Check = {
  id: "dkim_key",
  title: "DKIM keys",
  weight: 12,
  source: "RFC 6376, RFC 8301",
  judge: (facts) => {
    if (!sendsMail(facts)) return notApplicable("The domain says that it sends no mail.")
    const judge = (keys: readonly DkimResult[]) => {
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
      const short = good.filter((one) => one.key_algorithm === "rsa" && (one.key_bits ?? 0) < 2048)
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
          fix: manualFix("The rest of the record stays as it is."),
        })
      return pass(`Keys were found: ${few(good.map(({ record_name }) => record_name))}.`)
    }
    // A domain has few of the usual selectors: one without an answer matters only if no key was found.
    const hasKey = facts.dkim.isKnown && facts.dkim.value.some(({ record }) => record !== null)
    return judgeKnown(facts.dkim, judge, { needsAll: !hasKey })
  },
}

const dmarcRecord: Check = {
  id: "dmarc_record",
  title: "DMARC record",
  weight: 10,
  source: "RFC 9989",
  judge: (facts) =>
    judgeKnown(facts.dmarc, ({ record, policy, problems, record_domain }) => {
      const fix = dmarcFix(facts)
      if (record === null)
        return fail({
          why:
            problems.find(({ code }) => code !== "no_record")?.message ??
            problems[0]?.message ??
            "No record applies to the domain.",
          advice: "Publish a record, and read the reports before you make its policy stricter.",
          ...(fix && { fix }),
        })
      const error = problems.find(({ severity }) => severity === "error")
      if (policy === null || error)
        return warning(policy === null ? 0 : 0.5, {
          why: error?.message ?? "The record has no valid policy.",
          advice: "Mend the record: dmarcvalidator shows each mistake.",
          ...(fix && { fix }),
        })
      return pass(
        record_domain === facts.domain
          ? "The domain has a valid record."
          : `The record of ${record_domain} applies.`,
      )
    }),
}

const dmarcPolicy: Check = {
  id: "dmarc_policy",
  title: "What receivers do with forged mail (DMARC policy)",
  weight: 16,
  source: "RFC 9989 §4.7, §5",
  judge: (facts) =>
    judgeKnown(facts.dmarc, ({ policy, policies, is_testing, record }) => {
      const fix = dmarcFix(facts)
      const more = fix ? { fix } : {}
      const best = "C"
      if (policy === null)
        return fail({
          why: "No policy applies, so forged mail is delivered.",
          advice: "See “DMARC record”.",
          best,
          ...more,
        })
      if (policy === "none")
        return fail({
          why: "The policy is none: forged mail is delivered.",
          advice: "Make the policy quarantine, then reject, once the reports show that your own mail passes.",
          best,
          ...more,
        })
      if (is_testing)
        return warning(policy === "reject" ? 0.75 : 0.25, {
          why: "The record is in test mode, so receivers apply the next weaker policy.",
          advice: "Take 't=y' out of the record.",
          ...(policy === "quarantine" && { best }),
          ...more,
        })
      const percent = /(?:^|;)\s*pct\s*=\s*(\d+)/i.exec(record ?? "")?.[1]
      if (percent !== undefined && Number(percent) < 100)
        return warning(0.75, {
          why: `With 'pct=${percent}', receivers that still follow RFC 7489 apply the policy to ${percent} % of forged mail; the others ignore it.`,
          advice: "Take 'pct' out of the record: RFC 9989 has removed it.",
          ...more,
        })
      if (policies?.subdomains === "none")
        return warning(0.75, {
          why: "The policy does not protect the domains below.",
          advice: "Take 'sp=none' out of the record.",
          ...more,
        })
      return pass(
        policy === "reject" ? "Forged mail is refused." : "Forged mail goes to the folder for junk.",
      )
    }),
}

const dmarcReports: Check = {
  id: "dmarc_reports",
  title: "Reports about forged mail (rua)",
  weight: 4,
  source: "RFC 9990",
  judge: (facts) =>
    judgeKnown(facts.dmarc, ({ record, rua, report_permissions }) => {
      const fix = dmarcFix(facts)
      if (record === null)
        return hasNoMail(facts)
          ? notApplicable("The domain has no mail, so reports would be about forged mail alone.")
          : fail({
              why: "There is no DMARC record.",
              advice: "Publish one, see “DMARC record”.",
              ...(fix && takesMail(facts) && { fix }),
            })
      const domains = rua.filter(({ is_valid }) => is_valid).map(({ uri }) => domainOfUri(uri))
      if (domains.length === 0) {
        if (hasNoMail(facts))
          return notApplicable("The domain has no mail, so reports would be about forged mail alone.")
        return fail({
          why: "No reports are sent, so nobody sees what fails.",
          advice: "Name a mailbox for reports with 'rua'.",
          fix:
            (takesMail(facts) ? fix : null) ?? manualFix("The mailbox must be in a domain that takes mail."),
        })
      }
      const deaf = domains.filter((one) => isDeaf(one, facts))
      if (deaf.length === domains.length)
        return fail({
          why: `Reports go to ${few(deaf)}, where no mail arrives.`,
          advice: "Name a mailbox in a domain that takes mail.",
          fix: manualFix(
            "Only you know where such a mailbox is. 'rua=mailto:' and its address go into the DMARC record.",
          ),
        })
      const refused = report_permissions.filter(({ is_permitted }) => is_permitted === false)
      const [first] = refused
      if (first)
        return warning(0.5, {
          why: `No reports are sent to ${few(refused.map(({ domain }) => domain))}, which does not say that it takes them.`,
          advice: "Ask whoever runs that domain to permit the reports.",
          fix: permissionFix(facts, first.domain),
        })
      return pass("Receivers send reports.")
    }),
}

/** Whether no mail arrives at a domain that gets reports. */
function isDeaf(host: string, facts: Facts): boolean {
  if (host === facts.domain) return !takesMail(facts)
  const route = facts.reports.isKnown ? facts.reports.value.get(host) : undefined
  return route !== undefined && ["refused", "nowhere", "missing"].includes(route.kind)
}

/** Whether others can send mail in the name of the domain. */
export const sendingChecks = { spfRecord, spfPolicy, dkimKey, dmarcRecord, dmarcPolicy, dmarcReports }
