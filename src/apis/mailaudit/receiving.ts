import {
  type Check,
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

/** Whether the domain says that it takes no mail. Unknown counts as taking mail. */
export function takesMail({ route }: Facts): boolean {
  return !route.isKnown || !["refused", "nowhere", "missing"].includes(route.value.kind)
}

const noMail = "The domain takes no mail."

const mailServers: Check = {
  id: "mail_servers",
  title: "Mail servers",
  weight: 8,
  source: "RFC 5321 §5.1, RFC 7505",
  judge: (facts) =>
    judgeKnown(facts.route, ({ kind, servers }) => {
      const { domain } = facts
      if (kind === "refused") return notApplicable("The domain says that it takes no mail (null MX).")
      if (kind === "missing")
        return fail({
          why: "The domain does not exist.",
          advice: "Check how the name is written, and whether the domain is registered and delegated.",
          best: "F",
        })
      if (kind === "nowhere")
        return fail({
          why: "The domain has neither MX records nor an address, so mail to it cannot arrive.",
          advice: "Publish the names of the mail servers, or a null MX if the domain takes no mail.",
          fix: recordFix(
            domain,
            "MX",
            "0 .",
            "Only if the domain takes no mail. Otherwise name its mail servers.",
          ),
        })
      const lost = servers.filter(({ addresses, isKnown }) => addresses.length === 0 && isKnown)
      if (lost.length === servers.length)
        return fail({
          why: `No mail server has an address: ${few(lost.map(({ host }) => host))}.`,
          advice: "Name mail servers that have A or AAAA records.",
          best: "F",
        })
      if (lost.length > 0)
        return warning(0.5, {
          why: `Mail servers without an address: ${few(lost.map(({ host }) => host))}.`,
          advice: "Remove their MX records, or give them A or AAAA records.",
        })
      const aliases = servers.filter(({ isAlias }) => isAlias)
      if (aliases.length > 0)
        return warning(0.75, {
          why: `Mail servers whose name is an alias: ${few(aliases.map(({ host }) => host))}.`,
          advice: "Let the MX records name the targets of the aliases.",
        })
      if (kind === "domain")
        return warning(0.75, {
          why: "There are no MX records, so mail goes to the address of the domain itself.",
          advice: "Publish an MX record for the mail server, or a null MX if the domain takes no mail.",
          fix: recordFix(
            domain,
            "MX",
            `10 ${domain}.`,
            "Says what senders assume now. Put '0 .' if no mail is taken.",
          ),
        })
      return pass(`Mail goes to ${few(servers.map(({ host }) => host))}.`)
    }),
}

const reverseNames: Check = {
  id: "reverse_names",
  title: "Names of the mail servers' addresses",
  weight: 3,
  source: "RFC 1912 §2.1",
  judge: (facts) =>
    judgeKnown(facts.reverse, (names) => {
      if (!takesMail(facts)) return notApplicable(noMail)
      if (names.size === 0)
        return fail({ why: "No mail server has an address.", advice: "See “Mail servers”." })
      const wrong = [...names].filter(([, { is_confirmed }]) => !is_confirmed).map(([ip]) => ip)
      if (wrong.length === 0) return pass("Each address has a name that leads back to it.")
      const advice = "Ask the provider of these addresses to set a name (PTR) that has the address."
      const why = `Addresses without a name that leads back to them: ${few(wrong)}.`
      const fix = manualFix(
        "PTR records are set by whoever provides the address, not in the zone of the domain.",
      )
      return wrong.length < names.size ? warning(0.5, { why, advice, fix }) : fail({ why, advice, fix })
    }),
}

const dnssec: Check = {
  id: "dnssec",
  title: "Signed DNS",
  weight: 8,
  source: "RFC 4033 to 4035, RFC 9364",
  judge: ({ dnssec: found }) =>
    judgeKnown(found, ({ status, reason }) => {
      if (status === "secure") return pass("The DNS of the domain is signed from the root down.")
      const why = reason ?? "The DNS gave no answer."
      if (status === "bogus")
        return fail({
          why: `The signatures are wrong, so resolvers that check them do not find the domain: ${why}`,
          advice: "Mend the signatures or the DS record at once: much mail is lost.",
          fix: manualFix(
            "Call dnssecvalidator for the domain: its chain shows the key or signature at fault.",
          ),
          best: "F",
        })
      if (status === "indeterminate")
        return {
          ...fail({ why, advice: "See that the DNS servers of the domain answer questions about DNSSEC." }),
          status: "unknown",
        }
      return fail({
        why: "The DNS of the domain is not signed, so that others can forge its answers.",
        advice: "Let the provider of the DNS sign the zone, and give its DS record to the registrar.",
        fix: manualFix(
          "Most providers sign a zone with one switch; the DS record goes to the registrar of the domain.",
        ),
      })
    }),
}

const caa: Check = {
  id: "caa",
  title: "Who may issue certificates",
  weight: 3,
  source: "RFC 8659",
  judge: ({ caa: found, domain }) =>
    judgeKnown(found, ({ is_valid, problems, anyone_may_issue, issuers }) => {
      const error = problems.find(({ severity }) => severity === "error")
      if (!is_valid && error)
        return fail({ why: error.message, advice: "Mend the CAA record: caavalidator shows each mistake." })
      if (!anyone_may_issue)
        return pass(
          issuers.length === 0 ? "No authority may issue certificates." : `Only ${few(issuers)} may issue.`,
        )
      return fail({
        why: "Every certification authority may issue certificates for the domain.",
        advice: "Name the authority that you use.",
        fix: recordFix(
          domain,
          "CAA",
          '0 issue "letsencrypt.org"',
          "Put the name of your own authority instead of letsencrypt.org, with a record for each if there are several.",
        ),
      })
    }),
}

/** The checks of the servers, the DNS and the certificates of a domain. */
export const receivingChecks = { mailServers, reverseNames, dnssec, caa }
